"""The text of each block -> what can be counted in it: lengths, words, repeats, likeness to the
title.

The words of a page are found and looked up all at once, a mark behind those of each block, and then
summed block by block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.main_content.arrays.buffers import Rows, make_rows
from webquarry._read.main_content.lifts import END, Array, Lifts, mark_words
from webquarry._read.main_content.words import END_OF_TEXT, split_words
from webquarry._read.text._search import WordSearch

try:
    from webquarry._read.main_content._words import WordTable, fill_counts
except ImportError:  # not built: numpy does it
    fill_counts = None  # type: ignore[assignment]
if TYPE_CHECKING:
    import numpy as np
else:
    from webquarry._read.main_content.arrays.late_numpy import np

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_FIRST_CJK = 0x3040
_CJK_WORDS = 0.6  # words that a CJK character counts as
_ENDED = f" {END_OF_TEXT} "
_CURRENCIES = "$€£¥₹₽₩"
_ENDS = frozenset('.!?:;。！？…"”’)')
_CUT = ("…", "...", "...]", "…]")
_CUT_ENDS = frozenset("….]")
# characters; labels, headings, links: they have a table of words of their own; of others that much
# is read
SHORT = 100
_TOPIC_IN = 400  # characters in which words for the page's subject are looked for
_BEGINNING = 50  # characters

# What is counted in each block, in this order. The first ones are features as they stand.
COUNTED = (
    "repeats",  # how often the same text came before
    "echoes",  # how often a text with the same beginning came before
    "chars",
    "words",  # a CJK character counts as .6
    "ends",
    "title_share",
    "word_max",
    "word_min",
    "word_mean",
    "topic",  # share of the page's own words for its subject, in longer blocks
    "says_comments",
    "cut",  # the text ends in dots, as teasers do
    "prices",
)
(
    REPEATS,
    ECHOES,
    CHARS,
    WORDS,
    ENDS,
    TITLE,
    MAX,
    MIN,
    MEAN,
    TOPIC,
    COMMENTS,
    CUT,
    PRICES,
) = range(len(COUNTED))


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
    if fill_counts is None:
        return count_in_numpy(texts, title, topic, lifts)
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


def count_in_numpy(texts: list[str], title: str, topic: Sequence[str], lifts: Lifts) -> Array:
    """The same where nothing is compiled."""
    counts = np.zeros((len(COUNTED), len(texts)))
    counts[CHARS] = list(map(len, texts))
    units = np.frombuffer("".join(texts).encode("utf-16-le"), np.uint16)
    if units.max() < _FIRST_CJK:  # as in most pages, where counting is simpler
        counts[WORDS] = [text.count(" ") + 1.0 for text in texts]
    else:
        counts[WORDS] = [count_words(text) for text in texts]
    last = [text[-1] for text in texts]
    counts[ENDS] = [end in _ENDS for end in last]
    counts[CUT] = [
        end in _CUT_ENDS and text.endswith(_CUT) for end, text in zip(last, texts, strict=True)
    ]
    _count_copies(counts, texts)
    _look_up_words(counts, texts, frozenset(split_words(title)), lifts)
    if topic:
        search = WordSearch(topic)
        for index, text in enumerate(texts):
            if len(text) > SHORT:
                counts[TOPIC, index] = search.count_in_lower(text, _TOPIC_IN) / len(topic)
    return counts


def count_words(text: str) -> float:
    """How many words a text has; a CJK character counts as .6."""
    blanks = text.count(" ")
    if text.isascii():
        return blanks + 1
    dense = len(_CJK.findall(text))
    if not dense:
        return blanks + 1
    return blanks + _CJK_WORDS * dense


def _count_copies(counts: Array, texts: Sequence[str]) -> None:
    """How often a text, or only its beginning, came before."""
    copies: dict[str, int] = {}
    beginnings: dict[str, int] = {}
    for index, text in enumerate(texts):
        beginning = text[:_BEGINNING]
        echoes = beginnings.get(beginning)
        if echoes is None:
            beginnings[beginning] = copies[text] = 1
            continue
        counts[ECHOES, index] = echoes
        beginnings[beginning] = echoes + 1
        repeats = copies.get(text, 0)
        counts[REPEATS, index] = repeats
        copies[text] = repeats + 1


def _look_up_words(
    counts: Array, texts: Sequence[str], title: frozenset[str], lifts: Lifts
) -> None:
    """What the words of a short block say, and those at the beginning of a longer one."""
    lookup = lifts.word_lookup
    # the words of all blocks, one behind the other, and where those of each block start and end
    joined = _ENDED.join([text[:SHORT] for text in texts]) + _ENDED
    numbers = lookup.number_words(joined)
    ends = np.flatnonzero(numbers == END)
    starts = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=starts[1:])
    size = ends - starts
    # what they speak for or against
    is_long = counts[CHARS] > SHORT
    to_table = np.repeat(lookup.size * is_long, size + 1)  # longer blocks have the second one
    values = np.asarray(lookup.values).take(numbers + to_table)
    divisor = np.maximum(size, 1.0)
    np.divide(np.add.reduceat(values, starts), divisor, out=counts[MEAN])
    values[ends] = values[ends - 1]  # so that the mark changes neither highest nor lowest
    np.maximum.reduceat(values, starts, out=counts[MAX])
    np.minimum.reduceat(values, starts, out=counts[MIN])
    counts[MAX : MIN + 1, size == 0] = 0.0
    # what they are about
    about_comments = np.asarray(lookup.about_comments).take(numbers)
    np.maximum.reduceat(about_comments, starts, out=counts[COMMENTS])
    if title:
        in_title = np.add.reduceat(mark_words(joined, title), starts)
        np.divide(in_title, divisor, out=counts[TITLE])
    signs = [sign for sign in _CURRENCIES if sign in joined]
    if signs:
        counts[PRICES] = [any(map(text.__contains__, signs)) for text in texts]
    for row in (TITLE, COMMENTS, PRICES):
        counts[row, is_long] = 0.0
