"""Groups of words that are looked for in many texts, all at once. `_word_groups.pyx` is the same,
compiled.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["PlainGroups", "WordGroups"]

_MOST_GROUPS = 32
_MOST_GROUPED = 250  # words of all groups
_SHORTEST = 2  # characters


class PlainGroups:
    """Groups of words in ASCII, each of two characters or more."""

    def __init__(self, groups: Iterable[Iterable[str]]) -> None:
        self.groups = tuple(map(tuple, groups))
        if len(self.groups) > _MOST_GROUPS or sum(map(len, self.groups)) > _MOST_GROUPED:
            raise ValueError("there are too many words")
        for words in self.groups:
            if any(len(word) < _SHORTEST or not word.isascii() for word in words):
                raise ValueError("a word is too short, or not in ASCII")

    def find_in(self, text: str) -> int:
        """The groups of which a word stands in a text, as bits."""
        found = 0
        for number, words in enumerate(self.groups):
            if any(map(text.__contains__, words)):
                found |= 1 << number
        return found


try:
    from webquarry.read.text._word_groups import WordGroups
except ImportError:  # not built
    WordGroups = PlainGroups  # type: ignore[assignment,misc]
