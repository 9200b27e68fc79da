"""A text -> whether some patterns may match in it: told by words, one of which is in each of their
matches, all looked for at once.

Patterns with many ways to begin are tried at every place of a text, which takes most of the time
that a short page takes; nearly all pages have none of the words.
"""

from __future__ import annotations

from webquarry._read.text.search import WordSearch

# Patterns that do not mind the case take these for other letters, which their lower case is not:
# the long s, two kinds of i, and old forms of Cyrillic letters.
_ODD_LETTERS = ("\u017f", "\u0130", "\u0131", *map(chr, range(0x1C80, 0x1C89)))


class FirstLook:
    """The words, in lower case. A pattern that does not mind the case, and of which each match
    holds one of them, matches in no text for which `may_match` is false.
    """

    def __init__(self, *words: str) -> None:
        self.words = words
        self._search = WordSearch(words)

    def may_match(self, text: str) -> bool:
        """Whether a word stands in a text, in whatever case."""
        if self._search.count_in_lower(text, len(text)):
            return True
        return not text.isascii() and any(map(text.__contains__, _ODD_LETTERS))
