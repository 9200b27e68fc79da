"""Words looked for in a text one by one and all at once: the same are found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.text import search as searching
from webquarry._read.text.search import (
    PlainSearch,
    WordSearch,
    find_numbered,
    find_numbered_plainly,
    holds_folded,
)

LETTERS = st.sampled_from("abAB é\u0130ΣσÉ語😀")
WORDS = st.lists(st.text(LETTERS, min_size=2, max_size=4), max_size=8, unique=True)
LONG_WORDS = st.lists(
    st.text(LETTERS, min_size=6, max_size=12), min_size=1, max_size=8, unique=True
)


@given(WORDS, st.text(LETTERS, max_size=40), st.integers(0, 50))
@example(["ab", "abab", "ba"], "xABABx", 50)
@example(["σς", "i\u0307"], "ΣΣ \u0130", 50)
@example(["ab"], "ab" * 400, 800)
def test_the_same_words_are_found(words: list[str], text: str, most: int) -> None:
    one, other = PlainSearch(words), WordSearch(words)

    assert one.is_any_in(text) == other.is_any_in(text) == any(word in text for word in words)
    assert one.count_in_lower(text, most) == other.count_in_lower(text, most)
    assert one.count_in(text) == other.count_in(text)


@given(LONG_WORDS, st.text(LETTERS, max_size=9), st.text(LETTERS, max_size=9), st.booleans())
def test_a_long_word_is_found_wherever_it_stands(
    words: list[str], before: str, behind: str, in_capitals: bool
) -> None:
    one, other = PlainSearch(words), WordSearch(words)
    text = before + words[0] + behind
    if in_capitals:
        text = text.upper()

    assert one.is_any_in(text) == other.is_any_in(text)
    assert one.count_in_lower(text, 30) == other.count_in_lower(text, 30)
    for search in (one, other):
        found = search.find_in_lower([text, "", text], [0, 1, 2], len(text))
        assert bool(found) == bool(other.count_in_lower(text, len(text)))
        assert found in ([], [0, 2])
        assert search.find_in_lower([text], [0], len(text) - 1) == []


@given(
    st.text(st.sampled_from("@iImMpPoOrRtT "), max_size=20),
    st.sampled_from(["", "@ImPORT", "@impor"]),
)
def test_a_word_is_found_in_bytes_in_whatever_case(text: str, more: str) -> None:
    data = (text + more + text).encode()

    assert holds_folded(data, b"@import") == searching._holds_folded(data, b"@import")


@pytest.mark.parametrize("kind", [PlainSearch, WordSearch])
@pytest.mark.parametrize("words", [["a"], [""], [f"word{number}" for number in range(65)]])
def test_no_word_is_shorter_than_two_and_there_are_not_too_many(
    kind: type[PlainSearch], words: list[str]
) -> None:
    with pytest.raises(ValueError, match="word"):
        kind(words)


@pytest.mark.parametrize("kind", [PlainSearch, WordSearch])
def test_a_word_counts_once_and_only_in_the_beginning(kind: type[PlainSearch]) -> None:
    search = kind(["tide", "tides", "moon"])

    assert search.count_in_lower("TIDES and tide and MOON", 23) == 3
    assert search.count_in_lower("TIDES and tide and MOON", 22) == 2
    assert not search.is_any_in("TIDES")


@given(st.lists(st.text("ab 01٣é", max_size=6)), st.integers(0, 6))
def test_the_same_texts_may_have_two_numbers(texts: list[str], longest: int) -> None:
    assert find_numbered(texts, longest) == find_numbered_plainly(texts, longest)


@pytest.mark.parametrize("find", [find_numbered, find_numbered_plainly])
def test_texts_with_two_digits_are_found_and_those_that_cannot_be_told(
    find: Callable[[list[str], int], list[int]],
) -> None:
    texts = ["1 of 2", "12", "one of two", "1 of two", "1 of 2 pages", "٣ von ٤", ""]

    assert find(texts, 10) == [0, 1, 5]


@given(st.text(st.sampled_from("mMeEdD "), max_size=20), st.sampled_from(["", "MeDME", "medm"]))
def test_a_word_that_begins_with_a_letter_is_found_too(text: str, more: str) -> None:
    data = (text + more + text).encode()

    assert holds_folded(data, b"medme") == searching._holds_folded(data, b"medme")
