"""Some words that are looked for in many texts. `_search.pyx` is the same, compiled, and looks for
all of them at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "MOST_WORDS",
    "PlainSearch",
    "WordSearch",
    "find_numbered",
    "find_numbered_plainly",
    "holds_folded",
]

MOST_WORDS = 64  # in one search
_MAY_BE_NUMBERED = re.compile(r"[0-9][\x00-\x7f]*[0-9]|[^\x00-\x7f]")


class PlainSearch:
    """The words, each of two characters or more."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        if len(self.words) > MOST_WORDS:
            raise ValueError("there are too many words")
        if any(len(word) < 2 for word in self.words):
            raise ValueError("a word is too short")

    def is_any_in(self, text: str) -> bool:
        """Whether one of the words stands in a text."""
        return any(map(text.__contains__, self.words))

    def count_in(self, text: str) -> int:
        """How many of the words stand in a text."""
        return sum(map(text.__contains__, self.words))

    def count_in_lower(self, text: str, most: int) -> int:
        """How many of the words stand in the beginning of a text, when that is in lower case."""
        lowered = text[:most].lower()
        return sum(word in lowered for word in self.words)

    def find_in_lower(self, texts: list[str], numbers: list[int], longest: int) -> list[int]:
        """Those of some texts, by their numbers, that are not longer and hold a word when they are
        in lower case.
        """
        short = [number for number in numbers if len(texts[number]) <= longest]
        return [number for number in short if self.count_in_lower(texts[number], longest)]


def _holds_folded(data: bytes, word: bytes) -> bool:
    """Whether a word stands in bytes, in whatever case; all of its letters are small."""
    return word in data.lower()


def find_numbered_plainly(texts: list[str], longest: int) -> list[int]:
    """The places of texts no longer than that which may have two numbers: two digits, or
    characters beyond ASCII.
    """
    found: list[int] = []
    for index, text in enumerate(texts):
        if len(text) <= longest and _MAY_BE_NUMBERED.search(text):
            found.append(index)
    return found


try:
    from webquarry._read.text._search import WordSearch, find_numbered, holds_folded
except ImportError:  # not built
    holds_folded = _holds_folded
    WordSearch = PlainSearch  # type: ignore[assignment,misc]
    find_numbered = find_numbered_plainly
