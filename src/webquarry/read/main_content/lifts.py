"""Tables of learned numbers, as they are looked up: a word -> a number -> what it speaks for or against.

Words are turned into numbers by a dictionary, one by one; everything else is then done for all words of a page at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

END, UNKNOWN = 0, 1  # numbers of what is no word: the mark behind each text, and whatever no table knows
END_OF_TEXT = "\x00"  # stands in no page: libxml2 takes none
_UNKNOWN = repeat(UNKNOWN)
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

    def numbers_of(self, words: Iterable[str], count: int) -> NDArray[np.intp]:
        return np.fromiter(map(self.numbers.get, words, _UNKNOWN), np.intp, count)


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
