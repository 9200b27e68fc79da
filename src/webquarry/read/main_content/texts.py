"""The text of each block -> what can be counted in it: lengths, words, repeats, likeness to the
title.

The words of a page are found and looked up all at once, a mark behind those of each block, and then
summed block by block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.lifts import END, Lifts, words_among
from webquarry.read.main_content.words import END_OF_TEXT, words_of

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_FIRST_CJK = 0x3040
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
REPEATS, ECHOES, CHARS, WORDS, ENDS, TITLE, MAX, MIN, MEAN, TOPIC, COMMENTS, CUT, PRICES = range(
    len(COUNTED)
)
Array = NDArray[np.float64]


def count_texts(texts: Sequence[str], title: str, topic: Sequence[str], lifts: Lifts) -> Array:
    """A row for each of `COUNTED`, a column a block."""
    counts = np.zeros((len(COUNTED), len(texts)))
    counts[CHARS] = sizes = list(map(len, texts))
    counts[WORDS] = _words(texts)
    last = [text[-1] for text in texts]
    counts[ENDS] = [end in _ENDS for end in last]
    counts[CUT] = [
        end in _CUT_ENDS and text.endswith(_CUT) for end, text in zip(last, texts, strict=True)
    ]
    _count_copies(counts, texts)
    _count_words(counts, texts, frozenset(words_of(title)), lifts)
    if topic:
        counts[TOPIC] = [
            _share(topic, text) if size > SHORT else 0.0
            for size, text in zip(sizes, texts, strict=True)
        ]
    return counts


def _words(texts: Sequence[str]) -> list[float]:
    units = np.frombuffer("".join(texts).encode("utf-16-le"), np.uint16)
    if units.max() < _FIRST_CJK:
        return [text.count(" ") + 1.0 for text in texts]
    return [words_in(text) for text in texts]


def words_in(text: str) -> float:
    """How many words a text has; a CJK character counts as .6."""
    if text.isascii():
        return text.count(" ") + 1
    dense = len(_CJK.findall(text))
    if not dense:
        return text.count(" ") + 1
    return text.count(" ") + 0.6 * dense


def _count_copies(counts: Array, texts: Sequence[str]) -> None:
    seen: dict[str, int] = {}
    begun: dict[str, int] = {}
    for index, text in enumerate(texts):
        beginning = text[:_BEGINNING]
        echoes = begun.get(beginning)
        if echoes is None:
            begun[beginning] = seen[text] = 1
        else:
            counts[ECHOES, index] = echoes
            begun[beginning] = echoes + 1
            counts[REPEATS, index] = repeats = seen.get(text, 0)
            seen[text] = repeats + 1


def _count_words(counts: Array, texts: Sequence[str], title: frozenset[str], lifts: Lifts) -> None:
    """What the words of a short block say, and those at the beginning of a longer one."""
    lookup = lifts.of_words
    joined = _ENDED.join([text[:SHORT] for text in texts]) + _ENDED
    numbers = lookup.words(joined)
    ends = np.flatnonzero(numbers == END)
    starts = np.zeros_like(ends)
    np.add(ends[:-1], 1, out=starts[1:])
    size = ends - starts
    long = counts[CHARS] > SHORT
    values = lookup.values.take(numbers + np.repeat(lookup.size * long, size + 1))
    some = np.maximum(size, 1.0)
    np.divide(np.add.reduceat(values, starts), some, out=counts[MEAN])
    values[ends] = values[ends - 1]  # so that the mark changes neither highest nor lowest
    np.maximum.reduceat(values, starts, out=counts[MAX])
    np.minimum.reduceat(values, starts, out=counts[MIN])
    counts[MAX : MIN + 1, size == 0] = 0.0
    np.maximum.reduceat(lookup.about_comments.take(numbers), starts, out=counts[COMMENTS])
    if title:
        np.divide(np.add.reduceat(words_among(joined, title), starts), some, out=counts[TITLE])
    signs = [sign for sign in _CURRENCIES if sign in joined]
    if signs:
        counts[PRICES] = [any(map(text.__contains__, signs)) for text in texts]
    for row in (TITLE, COMMENTS, PRICES):
        counts[row, long] = 0.0


def _share(topic: Sequence[str], text: str) -> float:
    lowered = text[:_TOPIC_IN].lower()
    return len([word for word in topic if word in lowered]) / len(topic)
