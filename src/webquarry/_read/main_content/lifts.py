"""Tables of learned numbers, as they are looked up: a word -> a number -> what it speaks for or
against.

Words are turned into numbers one by one; everything else is then done for all words of a page at
once.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from webquarry._native import WordTable
from webquarry._read.main_content.buffers import Rows, pack_numbers
from webquarry._read.main_content.words import END_OF_TEXT

# Numbers of what is no word: the mark behind each text, and whatever no table knows.
END, UNKNOWN = 0, 1
_FIRST_WORD = 2
COMMENTS = """
    comment comments commentaires kommentare kommentar comentarios commenti komentarze comentários
    reacties replies responses reviews 评论 コメント комментарии комментариев
""".split()  # noqa: SIM905


@dataclass(frozen=True)
class Lookup:
    """Tables over one set of words, and which of the words have to do with comments."""

    numbers: dict[str, int]
    values: array[float]  # a table behind the other
    about_comments: array[float]

    @classmethod
    def build(cls, *tables: Mapping[str, float]) -> Lookup:
        """A look-up in some tables at once."""
        words: dict[str, None] = {}  # as a set that keeps its order
        for table in tables:
            words.update(dict.fromkeys(table))
        words.update(dict.fromkeys(COMMENTS))
        numbers = {END_OF_TEXT: END}
        numbers.update((word, number) for number, word in enumerate(words, _FIRST_WORD))
        values = array("d")
        for table in tables:
            values.extend([0.0] * _FIRST_WORD)
            values.extend([table.get(word, 0.0) for word in words])
        about_comments = array("d", [0.0] * (len(words) + _FIRST_WORD))
        for word in COMMENTS:
            about_comments[numbers[word]] = 1.0
        return cls(numbers, values, about_comments)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.about_comments)

    @cached_property
    def table(self) -> WordTable:
        """The words and their numbers, as they are looked up."""
        return WordTable(self.numbers, UNKNOWN)

    @cached_property
    def by_word(self) -> Rows:
        """What is said of each word in a row, so that it is near in memory: all tables, and whether
        it has to do with comments.
        """
        size = self.size
        tables = [self.values[start : start + size] for start in range(0, len(self.values), size)]
        return pack_numbers(list(zip(*tables, self.about_comments, strict=True)))


@dataclass(frozen=True)
class Lifts:
    """What class names and words speak for or against, learned from pages."""

    classes: Mapping[str, float]
    words: Mapping[str, float]  # of short blocks
    long_words: Mapping[str, float]

    @cached_property
    def name_lookup(self) -> Lookup:
        """The table of class names."""
        return Lookup.build(self.classes)

    @cached_property
    def word_lookup(self) -> Lookup:
        """Both tables of words, that of longer blocks behind the other."""
        return Lookup.build(self.words, self.long_words)
