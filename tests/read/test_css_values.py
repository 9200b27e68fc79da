"""Values of CSS: what sums come to, where transformations take a box, which shapes are empty."""

from __future__ import annotations

import pytest

from tests.read.converting import markdown
from webquarry._read.css.declarations import parse_length, parse_lengths
from webquarry._read.css.media import NEVER, judge_media
from webquarry._read.css.values.numbers import ANGLES, evaluate, find_calls, split_top
from webquarry._read.css.values.transforms import place_box
from webquarry._read.visibility.shapes import is_empty_clip, is_empty_mask, leads_away


@pytest.mark.parametrize(
    ("value", "pixels"),
    [
        ("calc(1px + 2px * 3)", 7),
        ("calc((1px + 2px) * 3)", 9),
        ("calc(10px - -2px)", 12),
        ("calc(-1 * calc(2px + 3px))", -5),
        ("min(4px, 1em, 9px)", 4),
        ("max(4px, 1em)", 16),
        ("clamp(2px, 1px, 9px)", 2),
        ("abs(-3px)", 3),
        ("round(up, 3.2px, 1px)", 3),
        ("env(safe-area-inset-top, 4px)", 4),
        ("-webkit-calc(1px * 2)", 2),
        ("calc(infinity * -1px)", -1e8),
        ("calc(1px / 0)", None),
        ("calc(1px +)", None),
        ("calc(" * 100 + "1px", None),
        ("calc(" + "1px + " * 1000 + "1px)", None),
        ("fit-content(3px)", None),
        ("calc(1 banana)", None),
    ],
)
def test_a_sum_comes_to_pixels_or_is_not_understood(value: str, pixels: float | None) -> None:
    assert parse_length(value) == pixels


@pytest.mark.parametrize(
    "value",
    ["clamp(1px)", "calc(1px, 2px)", "mod(1px)", "abs(1px, 2px)", "sin(1, 2)", "pow(2)", "min()"],
)
def test_a_function_with_another_number_of_arguments_is_not_understood(value: str) -> None:
    assert evaluate(value, {"": 1.0, "px": 1.0}) is None
    assert markdown(f'<p style="font-size:{value}">Some words.</p>') == "Some words."


@pytest.mark.parametrize("font", ["40x0 serif", "4² serif", "40â€0 serif", "9e a"])
def test_a_size_in_a_font_that_is_no_number_is_passed_over(font: str) -> None:
    assert markdown(f'<p style="font:{font}">Some words.</p>') == "Some words."


def test_a_depth_of_colours_in_other_digits_is_never_had() -> None:
    assert judge_media("(min-color: ²)") == NEVER


def test_values_are_taken_apart_where_no_brackets_and_no_quotes_are_open() -> None:
    assert split_top("a(b, c), 'd, e' f,g", ",") == ["a(b, c)", "'d, e' f", "g"]
    assert split_top("  1px  calc(2px + 3px) ", " ") == ["1px", "calc(2px + 3px)"]
    assert list(find_calls("a(b(c)) d('e)') f(")) == [("a", "b(c)"), ("d", "'e)'"), ("f", "")]
    assert parse_lengths("1px, calc(1px + 1px) auto 3px") == [1, 2, 3]


@pytest.mark.parametrize(
    ("angle", "degrees"), [("90deg", 90), (".25turn", 90), ("100grad", 90), ("0", 0)]
)
def test_angles_are_degrees(angle: str, degrees: float) -> None:
    assert evaluate(angle, ANGLES) == pytest.approx(degrees)


def test_transformations_are_applied_one_after_the_other() -> None:
    assert place_box("translate(10px, 5px) scale(2)")[:4] == pytest.approx((2, 2, 10, 5))
    assert place_box("scale(2) translate(10px, 5px)")[:4] == pytest.approx((2, 2, 20, 10))
    assert place_box("rotatex(60deg)").height == pytest.approx(0.5)
    assert place_box("rotatey(180deg)").turned_away
    assert place_box("", translate="3px", scale="50%")[:4] == pytest.approx((0.5, 0.5, 3, 0))
    assert place_box("banana(1)")[:4] == (1, 1, 0, 0)


def test_a_transformation_of_thousands_of_steps_ends_somewhere() -> None:
    assert place_box("rotate(1deg) " * 5000).width == pytest.approx(1)


@pytest.mark.parametrize(
    "shape",
    [
        "path('m5 5l5 5z')",
        "path('M 0 0 L 90 90')",
        "inset(60% 0 45%)",
        "polygon(0 0)",
        "xywh(0 0 1px 9px)",
    ],
)
def test_a_shape_without_an_inside_lets_nothing_through(shape: str) -> None:
    assert is_empty_clip(shape.lower())


@pytest.mark.parametrize(
    "shape",
    [
        "path('M0 0 L90 0 L90 90')",
        "inset(auto)",
        "polygon(0 0, 100% 0, 50% 100%)",
        "url(#a)",
        "circle()",
    ],
)
def test_a_shape_with_an_inside_or_one_that_is_not_known_does(shape: str) -> None:
    assert not is_empty_clip(shape.lower())


def test_a_mask_hides_where_all_of_it_is_transparent() -> None:
    assert is_empty_mask("linear-gradient(transparent, rgb(0 0 0 / 0))", "")
    assert is_empty_mask("url(a.png)", "0 0")
    assert not is_empty_mask("linear-gradient(transparent, #000)", "")
    assert not is_empty_mask("url(a.png)", "")


def test_a_path_leads_away_only_where_all_of_it_lies_off_the_page() -> None:
    assert leads_away("path('m -900 0 h -10')")
    assert not leads_away("path('m 0 0 h -900')")
