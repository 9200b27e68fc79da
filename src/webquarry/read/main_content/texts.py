"""The text of each block -> what can be counted in it: lengths, words, repeats, likeness to the title."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

WORD = re.compile(r"\w+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_CURRENCY = re.compile("[$€£¥₹₽₩]")
_ENDS = frozenset('.!?:;。！？…"”’)')
_CUT = ("…", "...", "...]", "…]")
_CUT_ENDS = frozenset("….]")
SHORT = 100  # characters; labels, headings, links: they have a table of words of their own
LOOKED_AT = 160  # characters of a longer block
_TOPIC_IN = 400  # characters in which words for the page's subject are looked for
_NO_VALUES = [0.0]
_ZEROS = repeat(0.0)
_COMMENTS = frozenset(
    """comment comments commentaires kommentare kommentar comentarios commenti komentarze comentários reacties replies responses
    reviews 评论 コメント комментарии комментариев""".split()  # noqa: SIM905
)


@dataclass(slots=True)
class Lifts:
    """What class names and words speak for or against, learned from pages."""

    classes: Mapping[str, float]
    words: Mapping[str, float]  # of short blocks
    long_words: Mapping[str, float]


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
_Counts = tuple[float, ...]  # all but the first two: what a text has wherever it stands


def count_texts(texts: Sequence[str], title: str, topic: Sequence[str], lifts: Lifts) -> array[float]:
    """Count everything in one pass: the values of the first block, then those of the second, and so on."""
    counts: list[float] = []
    title_words = frozenset(WORD.findall(title.lower()))
    known: dict[str, _Counts] = {}  # pages repeat short texts
    seen: dict[str, int] = {}
    beginnings: dict[str, int] = {}
    for text in texts:
        beginning = text[:50]
        echoes = beginnings.get(beginning, 0)
        beginnings[beginning] = echoes + 1
        repeats = 0
        if echoes and text in known:
            repeats = seen[text] = seen.get(text, 0) + 1
            found = known[text]
        elif len(text) <= SHORT:
            found = known[text] = _of_short(text, title_words, lifts.words)
        else:
            found = known[text] = _of_long(text, topic, lifts.long_words)
        counts += (repeats, echoes)
        counts += found
    return array("d", counts)


def _of_short(text: str, title: frozenset[str], table: Mapping[str, float]) -> _Counts:
    """What all the words of a short block say."""
    end, words = text[-1], WORD.findall(text.lower())
    if text.isascii():
        price, count = "$" in text, text.count(" ") + 1.0
    else:
        price, count = _CURRENCY.search(text) is not None, words_in(text)
    values = list(map(table.get, words, _ZEROS)) or _NO_VALUES
    number = len(values)
    share = 0.0 if title.isdisjoint(words) else len([word for word in words if word in title]) / number
    comments = 0.0 if _COMMENTS.isdisjoint(words) else 1.0
    cut = end in _CUT_ENDS and text.endswith(_CUT)
    if number == 1:
        value = values[0]
        return (len(text), count, end in _ENDS, share, value, value, value, 0.0, comments, cut, price)
    mean = sum(values) / number
    return (len(text), count, end in _ENDS, share, max(values), min(values), mean, 0.0, comments, cut, price)


def _of_long(text: str, topic: Sequence[str], table: Mapping[str, float]) -> _Counts:
    """What the words at the beginning of a longer block say."""
    end, lowered = text[-1], text[:_TOPIC_IN].lower()
    values = list(map(table.get, WORD.findall(lowered, 0, LOOKED_AT), _ZEROS)) or _NO_VALUES
    count = text.count(" ") + 1.0 if text.isascii() else words_in(text)
    share = len([word for word in topic if word in lowered]) / len(topic) if topic else 0.0
    cut = end in _CUT_ENDS and text.endswith(_CUT)
    mean = sum(values) / len(values)
    return (len(text), count, end in _ENDS, 0.0, max(values), min(values), mean, share, 0.0, cut, 0.0)


def words_in(text: str) -> float:
    """How many words a text has; a CJK character counts as .6."""
    if text.isascii():
        return text.count(" ") + 1
    dense = len(_CJK.findall(text))
    return text.count(" ") + 1 if not dense else text.count(" ") + 0.6 * dense
