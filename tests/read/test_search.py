"""Words looked for in a text one by one and all at once: the same are found."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry.read.text.search import PlainSearch, WordSearch

LETTERS = st.sampled_from("abAB é\u0130ΣσÉ語😀")
WORDS = st.lists(st.text(LETTERS, min_size=2, max_size=4), max_size=8, unique=True)


@given(WORDS, st.text(LETTERS, max_size=40), st.integers(0, 50))
@example(["ab", "abab", "ba"], "xABABx", 50)
@example(["σς", "i\u0307"], "ΣΣ \u0130", 50)
@example(["ab"], "ab" * 400, 800)
def test_the_same_words_are_found(words: list[str], text: str, most: int) -> None:
    one, other = PlainSearch(words), WordSearch(words)

    assert one.is_any_in(text) == other.is_any_in(text) == any(word in text for word in words)
    assert one.count_in_lower(text, most) == other.count_in_lower(text, most)


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
