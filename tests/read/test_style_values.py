"""Invalid and huge values of CSS, and the order of transforms."""

from __future__ import annotations

import pytest

from tests.read.converting import markdown
from webquarry._read.style.geometry import Placement, find_placement
from webquarry._read.style.values import evaluate, parse_length


@pytest.mark.parametrize(
    "value", ["calc(" * 100 + "1px", "calc(" + "1px + " * 1000 + "1px)", "calc(1px / 0)"]
)
def test_huge_and_undefined_values_are_rejected(value: str) -> None:
    assert parse_length(value) is None


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


def place(**style: str) -> Placement:
    return find_placement(style)


def test_transforms_are_applied_in_order() -> None:
    moved_first = place(transform="translate(10px, 5px) scale(2)")
    scaled_first = place(transform="scale(2) translate(10px, 5px)")

    assert moved_first[:4] == pytest.approx((2, 2, 10, 5))
    assert scaled_first[:4] == pytest.approx((2, 2, 20, 10))
    assert place(translate="3px", scale="50%")[:4] == pytest.approx((0.5, 0.5, 3, 0))
    assert place(transform="banana(1)")[:4] == (1, 1, 0, 0)


def test_transform_of_thousands_of_steps_is_cut() -> None:
    assert place(transform="rotate(1deg) " * 5000).width == pytest.approx(1)
