"""The text of each block -> what can be counted in it: lengths, words, repeats, likeness to the
title.

The words of a page are found and looked up all at once, a mark behind those of each block, and then
summed block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webquarry._native import COUNTED, WordSearch, WordTable, fill_counts
from webquarry._read.main_content.buffers import Rows, make_rows
from webquarry._read.main_content.lifts import Lifts
from webquarry._read.main_content.words import split_words

_CJK_WORDS = 0.6  # words that a CJK character counts as
_CURRENCIES = "$€£¥₹₽₩"
_ENDS = frozenset('.!?:;。！？…"”’)')
# characters; labels, headings, links: they have a table of words of their own; of others that much
# is read
SHORT = 100
_TOPIC_IN = 400  # characters in which words for the page's subject are looked for
_BEGINNING = 50  # characters

# Rows of `COUNTED`.
CHARS, WORDS = 2, 3


class Limits(NamedTuple):
    """What the compiled way to count is told, so that it stands here only."""

    short: int = SHORT
    topic_in: int = _TOPIC_IN
    beginning: int = _BEGINNING
    cjk_words: float = _CJK_WORDS
    ends: str = "".join(sorted(_ENDS))
    currencies: str = _CURRENCIES


_LIMITS = Limits()


def count_texts(texts: list[str], title: str, topic: Sequence[str], lifts: Lifts) -> Rows:
    """A row for each of `COUNTED`, a column a block."""
    counts = make_rows(len(COUNTED), len(texts))
    lookup = lifts.word_lookup
    title_words = None
    if title:
        title_words = WordTable(dict.fromkeys(split_words(title), 1), 0)
    fill_counts(
        counts,
        texts,
        lookup.table,
        lookup.by_word,
        title_words,
        WordSearch(topic),
        _LIMITS,
    )
    return counts
