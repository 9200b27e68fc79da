"""Search for several words at once."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._native import WordSearch

LETTERS = st.sampled_from("abAB é\u0130ΣσÉ語😀")
WORDS = st.lists(st.text(LETTERS, min_size=2, max_size=4), max_size=8, unique=True)
LONG_WORDS = st.lists(
    st.text(LETTERS, min_size=6, max_size=12), min_size=1, max_size=8, unique=True
)


@given(WORDS, st.text(LETTERS, max_size=40), st.integers(0, 50))
@example(["ab", "abab", "ba"], "xABABx", 50)
@example(["σς", "i\u0307"], "ΣΣ \u0130", 50)
@example(["ab"], "ab" * 400, 800)
def test_words_are_found_in_any_text(words: list[str], text: str, limit: int) -> None:
    search = WordSearch(words)

    assert search.is_any_in(text) == any(word in text for word in words)
    lowered = text[:limit].lower()
    assert search.count_in_lower(text, limit) == sum(word in lowered for word in words)


@given(LONG_WORDS, st.text(LETTERS, max_size=9), st.text(LETTERS, max_size=9))
def test_long_words_are_found_at_any_position(words: list[str], before: str, after: str) -> None:
    assert WordSearch(words).is_any_in(before + words[0] + after)


def test_each_word_counts_once_and_only_before_the_limit() -> None:
    search = WordSearch(["tide", "tides", "moon"])

    assert search.count_in_lower("TIDES and tide and MOON", 23) == 3
    assert search.count_in_lower("TIDES and tide and MOON", 22) == 2
    assert not search.is_any_in("TIDES")
