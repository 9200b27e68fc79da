"""What is counted in the text of each block."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.main_content.lifts import Lifts
from webquarry._read.main_content.texts import (
    COUNTED,
    count_in_numpy,
    count_texts,
    count_words,
)
from webquarry._read.main_content.words import split_words

LIFTS = Lifts({}, {"share": -0.5, "story": 0.25, "old": 0.75}, {"old": 0.125, "tale": -0.25})
LONG = "An old tale, told again and again: " + "and so it went on. " * 5


def counted(
    texts: list[str], title: str = "", topic: tuple[str, ...] = ()
) -> dict[str, list[float]]:
    rows = count_texts(texts, title, topic, LIFTS)
    return dict(zip(COUNTED, rows.tolist(), strict=True))


def test_a_text_that_comes_again_and_one_that_only_begins_the_same_are_told_apart() -> None:
    same = "x" * 50
    rows = counted([same + "a", same + "b", same + "a", "y", same + "a"])

    assert rows["echoes"] == [0, 1, 2, 0, 3]
    assert rows["repeats"] == [0, 0, 1, 0, 2]


def test_words_of_short_blocks_and_of_longer_ones_are_looked_up_in_tables_of_their_own() -> None:
    rows = counted(["Old story!", LONG, "Share"])

    assert rows["word_max"] == [0.75, 0.125, -0.5]
    assert rows["word_min"] == [0.25, -0.25, -0.5]
    assert rows["word_mean"][0] == 0.5
    assert rows["word_mean"][2] == -0.5


@pytest.mark.parametrize("texts", [["***", "old"], ["old", "***"], ["old", "***", "old"]])
def test_a_block_without_words_says_nothing_and_changes_nothing_beside_it(texts: list[str]) -> None:
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


def test_the_subject_is_looked_for_in_longer_blocks_only() -> None:
    assert counted(["tale", LONG], topic=("tale", "harbour"))["topic"] == [0.0, 0.5]


def test_how_a_text_ends_is_told() -> None:
    rows = counted(["Whole.", "Cut...", "Cut […]", "None"])

    assert rows["ends"] == [1, 1, 0, 0]
    assert rows["cut"] == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("text", "words"), [("two words", 2), ("deux été", 2), ("海の道", 1.8), ("\U0001f30a wave", 2)]
)
def test_words_are_counted_the_same_alone_and_among_others(text: str, words: float) -> None:
    assert count_words(text) == pytest.approx(words)
    assert counted(["plain text", text])["words"] == pytest.approx([2, words])


def test_words_are_cut_at_marks_and_their_ascii_letters_lowered() -> None:
    assert split_words("Don’t “SHOUT”, été_2 Ёж!") == ["don", "t", "shout", "été", "2", "Ёж"]


BLOCKS = st.lists(
    st.one_of(
        st.sampled_from(["old", "Share", "comments", "tale", "$5", "…]", "...", "x" * 60, LONG]),
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=9),
        st.just("海の道 が 深い"),
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(st.lists(BLOCKS, min_size=1, max_size=6), st.sampled_from(["", "An old Tale", "…"]))
@example(["]", "..]", "old", "old"], "old")
def test_numpy_and_the_compiled_way_count_the_same(texts: list[str], title: str) -> None:
    topic = ("tale", "深い", "went")
    expected = count_in_numpy(texts, title, topic, LIFTS)
    counts = count_texts(texts, title, topic, LIFTS)

    for name, row, expected_row in zip(COUNTED, counts.tolist(), expected.tolist(), strict=True):
        assert row == pytest.approx(expected_row), name
