"""Tables of learned numbers, as they are looked up: a word -> a number -> what it speaks for or
against.

Words are turned into numbers one by one; everything else is then done for all words of a page at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.words import END_OF_TEXT

try:
    from webquarry.read.main_content._words import Table
except ImportError:  # not built: the same in Python
    from webquarry.read.main_content.words import Table  # type: ignore[assignment]

END, UNKNOWN = (
    0,
    1,
)  # numbers of what is no word: the mark behind each text, and whatever no table knows
COMMENTS = """comment comments commentaires kommentare kommentar comentarios commenti komentarze comentários reacties replies responses
reviews 评论 コメント комментарии комментариев""".split()  # noqa: SIM905


@dataclass(frozen=True)
class Lookup:
    """Tables over one set of words, and which of the words have to do with comments."""

    numbers: dict[str, int]
    values: NDArray[np.float64]  # a table behind the other, flat
    about_comments: NDArray[np.float64]

    @classmethod
    def over(cls, *tables: Mapping[str, float]) -> Lookup:
        words = dict.fromkeys([*(word for table in tables for word in table), *COMMENTS])
        numbers = {END_OF_TEXT: END, **{word: number for number, word in enumerate(words, 2)}}
        values = [[0.0, 0.0, *[table.get(word, 0.0) for word in words]] for table in tables]
        about = np.zeros(len(words) + 2)
        about[[numbers[word] for word in COMMENTS]] = 1.0
        return cls(numbers, np.array(values).ravel(), about)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.about_comments)

    @cached_property
    def _table(self) -> Table:
        return Table(self.numbers, UNKNOWN)

    def words(self, text: str) -> NDArray[np.int64]:
        """The numbers of the words of a text."""
        return np.frombuffer(self._table.words(text), np.int64)

    def tokens(self, text: str) -> tuple[NDArray[np.int64], str]:
        """The numbers of the parts of names, and the parts themselves in lower case with blanks
        between them.
        """
        numbers, parts = self._table.tokens(text)
        return np.frombuffer(numbers, np.int64), parts


def words_among(text: str, wanted: frozenset[str]) -> NDArray[np.int64]:
    """For each word of a text, 1 if it is among some others, else 0."""
    return np.frombuffer(Table(dict.fromkeys(wanted, 1), 0).words(text), np.int64)


@dataclass(frozen=True)
class Lifts:
    """What class names and words speak for or against, learned from pages."""

    classes: Mapping[str, float]
    words: Mapping[str, float]  # of short blocks
    long_words: Mapping[str, float]

    @cached_property
    def of_names(self) -> Lookup:
        return Lookup.over(self.classes)

    @cached_property
    def of_words(self) -> Lookup:
        """Both tables of words, that of longer blocks behind the other."""
        return Lookup.over(self.words, self.long_words)
