"""Gold text of a labelled page -> labels of its blocks."""

from __future__ import annotations

import pytest
from scripts.extraction.labels import label_page

FIRST = "the quick brown fox jumps over the lazy dog"
SECOND = "pack my box with five dozen liquor jugs"


def labels(texts: list[str], gold: str) -> list[float | None]:
    return label_page(texts, {"text": gold}, str.split)


def test_blocks_of_the_gold_text_are_wanted_and_others_are_not() -> None:
    assert labels([FIRST, "some other words that are not there", SECOND], f"{FIRST}\n{SECOND}") == [
        1.0,
        0.0,
        1.0,
    ]


def test_a_second_copy_is_not_wanted() -> None:
    assert labels([FIRST, FIRST], FIRST) == [1.0, 0.0]


def test_both_copies_are_wanted_when_the_gold_text_has_both() -> None:
    assert labels([FIRST, FIRST], f"{FIRST} {FIRST}") == [1.0, 1.0]


@pytest.mark.parametrize(("place", "wanted"), [(1, 1.0), (2, 0.0)])
def test_a_short_block_is_wanted_only_between_the_same_neighbours(
    place: int, wanted: float
) -> None:
    blocks = [FIRST, SECOND]
    blocks.insert(place, "Fruit")

    assert label_page(blocks, {"text": f"{FIRST} fruit {SECOND}"}, str.split)[place] == wanted


def test_snippets_leave_all_other_blocks_unlabelled() -> None:
    label = {"with": ["brown fox"], "without": ["liquor jugs"]}

    assert label_page([FIRST, SECOND, "neither"], label, str.split) == [1.0, 0.0, None]
