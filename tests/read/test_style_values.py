"""Values of CSS: lengths, transforms and clip shapes."""

from __future__ import annotations

import pytest

from tests.read.converting import markdown
from webquarry._read.style.geometry import Placement, find_placement, is_empty_clip
from webquarry._read.style.values import ANGLES, evaluate, find_calls, parse_length
from webquarry._read.text.brackets import split_top


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
def test_mathematical_functions_are_evaluated_or_rejected(value: str, pixels: float | None) -> None:
    assert parse_length(value) == pixels


@pytest.mark.parametrize(
    "value",
    ["clamp(1px)", "calc(1px, 2px)", "abs(1px, 2px)", "min()"],
)
def test_function_with_wrong_number_of_arguments_is_ignored(value: str) -> None:
    assert evaluate(value, {"": 1.0, "px": 1.0}) is None
    assert markdown(f'<p style="font-size:{value}">Some words.</p>') == "Some words."


@pytest.mark.parametrize("font", ["40x0 serif", "4² serif", "40â€0 serif", "9e a"])
def test_font_without_valid_size_is_ignored(font: str) -> None:
    assert markdown(f'<p style="font:{font}">Some words.</p>') == "Some words."


def test_values_are_split_outside_of_brackets_and_quotes() -> None:
    assert split_top("a(b, c), 'd, e' f,g", ",") == ["a(b, c)", "'d, e' f", "g"]
    assert split_top("  1px  calc(2px + 3px) ", " ") == ["1px", "calc(2px + 3px)"]
    assert list(find_calls("a(b(c)) d('e)') f(")) == [("a", "b(c)"), ("d", "'e)'"), ("f", "")]


@pytest.mark.parametrize(
    ("angle", "degrees"), [("90deg", 90), (".25turn", 90), ("100grad", 90), ("0", 0)]
)
def test_angles_are_converted_to_degrees(angle: str, degrees: float) -> None:
    assert evaluate(angle, ANGLES) == pytest.approx(degrees)


def place(**style: str) -> Placement:
    return find_placement(style)


def test_transforms_are_applied_in_order() -> None:
    moved_first = place(transform="translate(10px, 5px) scale(2)")
    scaled_first = place(transform="scale(2) translate(10px, 5px)")

    assert moved_first[:4] == pytest.approx((2, 2, 10, 5))
    assert scaled_first[:4] == pytest.approx((2, 2, 20, 10))
    assert place(translate="3px", scale="50%")[:4] == pytest.approx((0.5, 0.5, 3, 0))
    assert place(transform="banana(1)")[:4] == (1, 1, 0, 0)


def test_rotation_around_an_axis_in_the_plane_foreshortens() -> None:
    assert place(transform="rotatex(60deg)").height == pytest.approx(0.5)
    assert place(rotate="y 60deg").width == pytest.approx(0.5)


def test_transform_of_thousands_of_steps_is_cut() -> None:
    assert place(transform="rotate(1deg) " * 5000).width == pytest.approx(1)


@pytest.mark.parametrize(
    "shape",
    [
        "inset(60% 0 45%)",
        "polygon(0 0)",
        "circle(0)",
        "rect(0 0 0 0)",
    ],
)
def test_shape_without_area_hides(shape: str) -> None:
    assert is_empty_clip(shape.lower())


@pytest.mark.parametrize(
    "shape",
    [
        "inset(auto)",
        "polygon(0 0, 100% 100%, 100% 0, 0 100%)",
        "polygon(0 0, 100% 0, 50% 100%)",
        "url(#a)",
        "circle()",
    ],
)
def test_shape_with_area_or_unknown_shape_hides_nothing(shape: str) -> None:
    assert not is_empty_clip(shape.lower())
