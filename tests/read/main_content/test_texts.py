"""Counts in the text of each block."""

from __future__ import annotations

import pytest

from webquarry._native import COUNTED
from webquarry._read.main_content.lifts import Lifts
from webquarry._read.main_content.texts import count_texts
from webquarry._read.main_content.words import split_words

LIFTS = Lifts({}, {"share": -0.5, "story": 0.25, "old": 0.75}, {"old": 0.125, "tale": -0.25})
LONG = "An old tale, told again and again: " + "and so it went on. " * 5


def counted(
    texts: list[str], title: str = "", topic: tuple[str, ...] = ()
) -> dict[str, list[float]]:
    rows = count_texts(texts, title, topic, LIFTS)
    return dict(zip(COUNTED, rows.tolist(), strict=True))


def test_repeated_texts_and_repeated_beginnings_are_counted() -> None:
    same = "x" * 50
    rows = counted([same + "a", same + "b", same + "a", "y", same + "a"])

    assert rows["echoes"] == [0, 1, 2, 0, 3]
    assert rows["repeats"] == [0, 0, 1, 0, 2]


def test_short_and_long_blocks_have_different_word_tables() -> None:
    rows = counted(["Old story!", LONG, "Share"])

    assert rows["word_max"] == [0.75, 0.125, -0.5]
    assert rows["word_min"] == [0.25, -0.25, -0.5]
    assert rows["word_mean"][0] == 0.5
    assert rows["word_mean"][2] == -0.5


@pytest.mark.parametrize("texts", [["***", "old"], ["old", "***"], ["old", "***", "old"]])
def test_a_block_without_words_has_neutral_scores(texts: list[str]) -> None:
    rows = counted(texts)

    for row in ("word_max", "word_min", "word_mean"):
        assert rows[row] == [0.75 if text == "old" else 0.0 for text in texts]


def test_likeness_to_the_title_comments_and_prices_count_in_short_blocks_only() -> None:
    rows = counted(
        ["An old tale", "3 comments", "Now €5", LONG + "$5 comments"], "Old Tale – The Site"
    )

    assert rows["title_share"] == pytest.approx([2 / 3, 0, 0, 0])
    assert rows["says_comments"] == [0, 1, 0, 0]
    assert rows["prices"] == [0, 0, 1, 0]


def test_topic_words_count_in_long_blocks_only() -> None:
    assert counted(["tale", LONG], topic=("tale", "harbour"))["topic"] == [0.0, 0.5]


def test_ends_and_ellipses_are_recognized() -> None:
    rows = counted(["Whole.", "Cut...", "Cut […]", "None"])

    assert rows["ends"] == [1, 1, 0, 0]
    assert rows["cut"] == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("text", "words"), [("two words", 2), ("deux été", 2), ("海の道", 1.8), ("\U0001f30a wave", 2)]
)
def test_a_cjk_character_counts_as_a_part_of_a_word(text: str, words: float) -> None:
    assert counted(["plain text", text])["words"] == pytest.approx([2, words])


def test_words_are_split_at_punctuation_and_lowered_in_ascii() -> None:
    assert split_words("Don’t “SHOUT”, été_2 Ёж!") == ["don", "t", "shout", "été", "2", "Ёж"]
