"""Some words that are looked for in many texts. `_search.pyx` is the same, compiled, and looks for
all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["PlainSearch", "WordSearch"]

_MOST = 64


class PlainSearch:
    """The words, each of two characters or more."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        if len(self.words) > _MOST:
            raise ValueError("there are too many words")
        if any(len(word) < 2 for word in self.words):
            raise ValueError("a word is too short")

    def is_any_in(self, text: str) -> bool:
        """Whether one of the words stands in a text."""
        return any(map(text.__contains__, self.words))

    def count_in_lower(self, text: str, most: int) -> int:
        """How many of the words stand in the beginning of a text, when that is in lower case."""
        lowered = text[:most].lower()
        return sum(word in lowered for word in self.words)


try:
    from webquarry.read.text._search import WordSearch
except ImportError:  # not built
    WordSearch = PlainSearch  # type: ignore[assignment,misc]
