"""The text of each block -> what can be counted in it: lengths, words, punctuation, repeats, likeness to the title."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webquarry.read.main_content.notices import is_notice

_WORD = re.compile(r"\w+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")
_CURRENCY = re.compile("[$€£¥₹₽₩]")
_ENDS = frozenset('.!?:;。！？…"”’)')
_CUT = ("…", "...", "...]", "…]")
_CUT_ENDS = frozenset("….]")
SHORT = 100  # characters; labels, headings, links: they have a table of words of their own
LOOKED_AT = 240  # characters of a longer block
TOPIC_IN = 600  # characters in which words for the page's subject are looked for
_NO_VALUES = [0.0]
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


# What is counted in each block, in this order.
COUNTED = (
    "words",  # a CJK character counts as .6
    "punctuation",
    "ends",
    "repeats",  # how often the same text came before
    "echoes",  # how often a text with the same beginning came before
    "cut",  # the text ends in dots, as teasers do
    "notice",
    "title_share",
    "word_max",
    "word_min",
    "word_mean",
    "word_start",
    "says_comments",
    "prices",
    "topic",  # share of the page's own words for its subject, in longer blocks
)


def count_texts(texts: Sequence[str], title: str, topic: Sequence[str], lifts: Lifts) -> array[float]:
    """Count everything in one pass: the values of the first block, then those of the second, and so on."""
    counts: list[float] = []
    title_words = frozenset(_WORD.findall(title.lower()))
    seen: dict[str, int] = {}
    known: dict[str, _Words] = {}  # pages repeat short texts
    beginnings: dict[str, int] = {}
    for text in texts:
        if text.isascii():
            words: float = text.count(" ") + 1
            punctuation = text.count(",") + text.count(".")
        else:
            words = words_in(text)
            punctuation = sum(map(text.count, ",.，。"))
        repeats = seen.get(text, 0)
        seen[text] = repeats + 1
        beginning = text[:50]
        echoes = beginnings.get(beginning, 0)
        beginnings[beginning] = echoes + 1
        end = text[-1]
        cut = end in _CUT_ENDS and text.endswith(_CUT)
        notice = ("cript" in text or "ookie" in text) and is_notice(text)
        found = known.get(text)
        if found is None:
            short = len(text) <= SHORT
            found = _of_short(text, title_words, lifts.words) if short else _of_long(text, topic, lifts.long_words)
            known[text] = found
        counts += (words, punctuation, end in _ENDS, repeats, echoes, cut, notice, *found)
    return array("d", counts)


_Words = tuple[float, float, float, float, float, bool, bool, float]


def _of_short(text: str, title: frozenset[str], table: Mapping[str, float]) -> _Words:
    """What all the words of a short block say."""
    words = _WORD.findall(text.lower())
    if not words:
        return (0.0, 0.0, 0.0, 0.0, 0.0, False, _CURRENCY.search(text) is not None, 0.0)
    get, size = table.get, len(words)
    values = [get(word, 0.0) for word in words]
    share = sum(map(title.__contains__, words)) / size
    comments, price = not _COMMENTS.isdisjoint(words), _CURRENCY.search(text) is not None
    return (share, max(values), min(values), sum(values) / size, sum(values[:3]), comments, price, 0.0)


def _of_long(text: str, topic: Sequence[str], table: Mapping[str, float]) -> _Words:
    """What the words at the beginning of a longer block say."""
    lowered, get = text[:TOPIC_IN].lower(), table.get
    values = [get(word, 0.0) for word in _WORD.findall(lowered[:LOOKED_AT])] or _NO_VALUES
    about = len([word for word in topic if word in lowered]) / len(topic) if topic else 0.0
    return (0.0, max(values), min(values), sum(values) / len(values), sum(values[:3]), False, False, about)


def words_in(text: str) -> float:
    """How many words a text has; a CJK character counts as .6."""
    if text.isascii():
        return text.count(" ") + 1
    dense = len(_CJK.findall(text))
    return text.count(" ") + 1 if not dense else text.count(" ") + 0.6 * dense
