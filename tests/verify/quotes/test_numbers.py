"""A number is found by its value and its unit, however it is written; rounding is told apart."""

from __future__ import annotations

import pytest

from tests.verify.quotes.reading import text
from webquarry.verify.quotes.numbers import NumberChecker, list_numbers

WORDS = (
    "The port has 1,234 berths and earned $1.2 million, 12.5% more than before. The mean was "
    "85.19 boats; 8,234 people came; it was -4 °C; a mile is 5 km here; 3½ years."
)


def judge(number: str, words: str = WORDS) -> str:
    (mention,) = list_numbers(number)
    return NumberChecker([text(words)]).check(mention).verdict


@pytest.mark.parametrize(
    "number",
    [
        "1,234", "1234", "1\u202f234", "1 234", "1'234", "$1,200,000", "12.5%",
        "12.5 per cent", "12.5 Prozent", "−4 °C", "5 km", "5 kilometres", "USD 1.2 million",
    ],
)  # fmt: skip
def test_a_number_is_found_however_it_is_written(number: str) -> None:
    assert judge(number) == "found"


@pytest.mark.parametrize("number", ["85.2", "85"])
def test_a_number_with_fewer_decimals_is_rounded(number: str) -> None:
    assert judge(number) == "rounded"


@pytest.mark.parametrize(
    "number",
    [
        "1,235",
        "12.5‰",
        "125%",
        "1.2 million",
        "€1.2 million",
        "1.2 billion",
        "8,000",
        "4 °C",
        "5 miles",
        "85.3",
    ],
)
def test_another_number_is_different(number: str) -> None:
    assert judge(number) == "different"


@pytest.mark.parametrize(
    ("number", "words", "verdict"),
    [
        ("15 megawatt-hours", "They produce 15 MWh.", "found"),
        ("10 g", "It weighs 10 grams.", "found"),
        ("4 degrees", "It was 4 °C.", "found"),
        ("15 megawatt-hours", "They met on 15 September.", "different"),
        ("15 crews", "They met on September 15.", "different"),
        ("15 MWh", "They have 15 boats.", "different"),
        ("15 boats", "They produce 15 MWh.", "different"),
        ("15 MW", "They produce 15 MWh.", "different"),
    ],
)
def test_unit_has_to_agree_and_may_be_spelled_out(number: str, words: str, verdict: str) -> None:
    assert judge(number, words) == verdict


def test_a_decimal_comma_is_known_by_the_language_of_the_text() -> None:
    assert judge("1.5 %", "Der Hafen wuchs um 1,5 Prozent auf 1.234 Boote.") == "found"
    assert judge("1,234", "Der Hafen wuchs um 1,5 Prozent auf 1.234 Boote.") == "found"


def test_a_page_that_writes_decimals_both_ways_may_mean_either() -> None:
    assert judge("1338", "Price 9,99 € and 9,49 € or $5.50; 1,338 people came.") == "found"


def test_a_source_that_was_not_read_leaves_a_number_unchecked() -> None:
    (mention,) = list_numbers("12.5%")

    assert NumberChecker([]).check(mention, "https://gone.example/").verdict == "unchecked"
