"""A text -> its words one by one with their places: for finding what comes nearest to a quote.

A number with its separators and its sign is one word, and so is a symbol; of scripts without blanks
every character is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from webquarry._read.plain.words import Range
from webquarry.verify.quotes.fold import SYMBOLS, fold_typography, make_key

_TOKEN = re.compile(
    r"(?<![\w.,])[-−–]?\d+(?:[.,:'’\u202f/]\d+)*+"
    r"|\d+(?:[.,:'’\u202f/]\d+)*+"
    "|[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W\d_](?:[^\W\d_\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u00ad]"
    r"|[\u00ad\u200b-\u200d\u0300-\u036f]|['’\u2011-](?=[^\W\d_]))*+"
    "|[" + re.escape("".join(sorted(SYMBOLS))) + "]"
)


@dataclass(frozen=True)
class WordToken:
    """A word, folded so that only its letters count, and where it stands."""

    key: str
    start: int
    end: int


def split_tokens(text: str) -> list[WordToken]:
    """The words of a text."""
    tokens = []
    for found in _TOKEN.finditer(text):
        word = found[0]
        key = word.lower()
        if not key.isalpha() or not key.isascii():
            key = _fold(word)
        if key:
            tokens.append(WordToken(key, found.start(), found.end()))
    return tokens


def _fold(word: str) -> str:
    if word[-1].isdigit():
        return fold_typography(word)
    return make_key(word) or fold_typography(word).strip()


def _lies_in(place: int, ranges: Sequence[Range]) -> bool:
    """Whether a place is in one of some ranges, which are in order."""
    number = bisect_right(ranges, place, key=lambda one: one[0])
    return bool(number) and place < ranges[number - 1][1]


class TokenIndex:
    """The words of one text, and where each of them stands."""

    def __init__(self, text: str, hidden: Sequence[Range] = ()) -> None:
        self.tokens = split_tokens(text)
        if hidden:
            self.tokens = [token for token in self.tokens if not _lies_in(token.start, hidden)]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The numbers of the tokens of each word."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, token in enumerate(self.tokens):
            places[token.key].append(number)
        return dict(places)
