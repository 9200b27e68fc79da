"""Ellipses and brackets are the writer's: what they hide is shown, and what they may not hide is
not accepted.
"""

from __future__ import annotations

import pytest

from tests.verify.quotes.reading import check

WORDS = (
    "The landlord, who lives in the harbour, is not permitted to raise the rent of boats. "
    "Owners pay a fee of 12 euros for every night [Table 3] and leave before noon."
)


def test_pieces_are_in_order_and_omissions_are_shown() -> None:
    finding = check("Owners pay a fee … for every night", WORDS)

    assert finding.tier == "elided"
    assert finding.left_out == ("of 12 euros",)
    assert finding.matched == ("Owners pay a fee", "for every night")
    assert finding.warnings == ()


@pytest.mark.parametrize("mark", ["…", "...", " [...] ", " […] ", " (...) ", " . . . ", " (…) "])
def test_an_ellipsis_is_one_however_it_is_written(mark: str) -> None:
    assert check(f"Owners pay a fee{mark}for every night", WORDS).tier == "elided"


def test_a_negation_that_is_left_out_is_warned_of() -> None:
    finding = check("The landlord, who lives … permitted to raise the rent", WORDS)

    assert finding.tier == "elided"
    assert "“not”" in finding.warnings[0]


def test_a_negation_right_before_the_beginning_is_warned_of() -> None:
    finding = check("… permitted to raise the rent of boats", WORDS)

    assert finding.is_accepted
    assert "“not”" in finding.warnings[0]


@pytest.mark.parametrize(
    "quote",
    [
        "for every night … Owners pay a fee of 12 euros",  # the other way round
        "The landlord is [not] paid a fee of 12 euros",
        "Owners [do not] pay a fee of 12 euros for every night",
        "Owners pay a fee of 12 euros for every night [Table 4] and leave before noon",
        "Owners pay a fee of [15] euros for every night",
        "who lives in the harbour, is [always] permitted to raise the rent",
    ],
)
def test_brackets_and_ellipses_cannot_change_the_meaning(quote: str) -> None:
    assert not check(quote, WORDS).is_accepted


def test_distant_pieces_are_refused() -> None:
    words = "The harbour was built." + " Much else is told here." * 40 + " The fees were low."

    assert not check("The harbour was built … The fees were low", words).is_accepted


@pytest.mark.parametrize(
    ("quote", "inserted"),
    [
        ("Owners pay a fee of 12 euros [sic] for every night", ("sic",)),
        (
            "Owners pay a fee [that is, a charge] of 12 euros for every night",
            ("that is, a charge",),
        ),
        ("Owners pay a fee of 12 euros for every night [Table 3] and leave", ()),
    ],
)
def test_words_in_brackets_are_the_writers_unless_the_page_has_them(
    quote: str, inserted: tuple[str, ...]
) -> None:
    finding = check(quote, WORDS)

    assert finding.is_accepted
    assert finding.inserted == inserted


def test_words_in_brackets_may_replace_a_few_others() -> None:
    finding = check("is not permitted to raise [their] rent of boats", WORDS)

    assert finding.tier == "elided"
    assert finding.left_out == ("the",)
