"""Titles compared: the same, near or other.

Titles are the same with equal letters and digits, or if one is the other without its subtitle. Near
titles share most words; they may be sequels, comments or other works, so the differing words are
shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Literal

from webquarry.verify.references.text import fold_letters, fold_words

Likeness = Literal["same", "short", "near", "other"]

# "near": this share of the words, or of the letters, is in both.
_NEAR_WORDS = 0.6
_NEAR_LETTERS = 0.82
_MOST_WORDS = 60  # of a title that are compared one by one
_MOST_LETTERS = 400
_SUBTITLE = re.compile(r"\s*[:?.\u2013\u2014\u2012]\s+|\s+-\s+|\s*:\s*")
_MOST_PARTS = 16  # of a title, each of which may end its main part
_LEAST_NAME = 4  # letters of one word that can be the whole title
# Marks that publishers put before the title of a work that was retracted.
_MARK = re.compile(
    r"^\s*[\[(]?(?:retracted(?: article)?|withdrawn|retraction)[\])]?\s*[:.\u2013\u2014-]*\s*",
    re.IGNORECASE,
)
# Spellings of one word.
_SPELLINGS = (
    (re.compile(r"(?<=\w{3})is(?=(?:e[ds]?|ing|ation|ations|er|ers)$)"), "iz"),
    (re.compile(r"(?<=\w{2})our(?=(?:s|ed|ing|al|ally|ist|able)?$)"), "or"),
    (re.compile(r"(?<=\w{3})yse(?=[dsr]?$)"), "yze"),
    (re.compile(r"(?<=\w{3})tre$"), "ter"),
    (re.compile(r"(?<=\w{2})ll(?=(?:ed|ing|er|ers)$)"), "l"),
)
_LIKENESS_ORDER: tuple[Likeness, ...] = ("other", "near", "short", "same")


@dataclass(frozen=True)
class TitleMatch:
    """The most similar title of a record."""

    likeness: Likeness
    title: str = ""  # of the record
    share: float = 0.0  # of the words in common


def compare_titles(given: str, titles: Iterable[str]) -> TitleMatch:
    """Return the best match of a title among those of a record."""
    best = TitleMatch("other")
    for title in titles:
        match = _compare(given, title)
        rank = (_LIKENESS_ORDER.index(match.likeness), match.share)
        if rank > (_LIKENESS_ORDER.index(best.likeness), best.share) or not best.title:
            best = match
    return best


def name_differences(given: str, other: str) -> str:
    """Return the words in which two titles differ: `"tuning" for "optimization"`."""
    left = fold_words(given)[:_MOST_WORDS]
    right = fold_words(other)[:_MOST_WORDS]
    matcher = SequenceMatcher(None, left, right, False)
    pairs: list[str] = []
    for tag, start, end, start2, end2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        here = " ".join(left[start:end])
        there = " ".join(right[start2:end2])
        pairs.append(f'"{here}" for "{there}"')
    return ", ".join(pairs[:4])


def _compare(given: str, title: str) -> TitleMatch:
    given = _MARK.sub("", given, count=1)
    title = _MARK.sub("", title, count=1)
    left = _spell(fold_words(given))
    right = _spell(fold_words(title))
    if not left or not right:
        return TitleMatch("other", title)
    ours = "".join(left)
    theirs = "".join(right)
    if ours == theirs:
        return TitleMatch("same", title, 1.0)
    share = _share_words(left, right)
    if _is_main_title(given, right) or _is_main_title(title, left):
        return TitleMatch("short", title, share)
    matcher = SequenceMatcher(None, ours[:_MOST_LETTERS], theirs[:_MOST_LETTERS], False)
    letters = matcher.ratio()
    if share >= _NEAR_WORDS or letters >= _NEAR_LETTERS:
        return TitleMatch("near", title, max(share, letters))
    return TitleMatch("other", title, share)


def _is_main_title(whole: str, words: Sequence[str]) -> bool:
    """Return whether the words are the title before its subtitle."""
    letters = "".join(words)
    if len(letters) < _LEAST_NAME and len(words) < 2:
        # A shorter word before a colon is the name of a method, and may name other works.
        return False
    for found in islice(_SUBTITLE.finditer(whole), _MOST_PARTS):
        main = whole[: found.start()]
        if fold_letters(main) and "".join(_spell(fold_words(main))) == letters:
            return True
    return False


def _share_words(left: Sequence[str], right: Sequence[str]) -> float:
    """Return the share of the longer title that is in both, in order."""
    left = left[:_MOST_WORDS]
    right = right[:_MOST_WORDS]
    matcher = SequenceMatcher(None, left, right, False)
    common = sum(block.size for block in matcher.get_matching_blocks())
    longer = max(len(left), len(right))
    return common / longer


def _spell(words: Iterable[str]) -> list[str]:
    """Return words in one spelling."""
    spelt = []
    for word in words:
        if len(word) > 5:
            for pattern, instead in _SPELLINGS:
                word = pattern.sub(instead, word)
        spelt.append(word)
    return spelt
