"""Words of blocks and of class names -> their numbers in a learned table. `_words.pyx` is the same,
compiled.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from itertools import repeat

END_OF_TEXT = "\x00"  # stands in no page: libxml2 takes none
_MARKS = "’“”"  # beyond ASCII, and common enough to be taken off words
_LETTERS = bytes(
    code
    if code > 127 or chr(code) in END_OF_TEXT
    else ord(chr(code).lower())
    if chr(code).isalnum()
    else 32
    for code in range(256)
)
_TOKEN = re.compile(rf"[A-Za-z{END_OF_TEXT}][a-z]*")


def words_of(text: str) -> list[str]:
    """The words of a text. Letters beyond ASCII keep their case, which makes this several times as
    fast.
    """
    for mark in _MARKS:
        text = text.replace(mark, " ")
    return text.encode("utf-8").translate(_LETTERS).decode("utf-8").split()


def tokens_of(names: str) -> list[str]:
    """Class names cut at capitals and at everything that is no letter, in lower case."""
    return " ".join(_TOKEN.findall(names)).lower().split()


class Table:
    """Words and their numbers."""

    def __init__(self, numbers: Mapping[str, int], unknown: int) -> None:
        self._number_of = numbers.get
        self._unknown = repeat(unknown)

    def words(self, text: str) -> bytes:
        """The numbers of the words of a text, as the bytes of an array."""
        return array("q", map(self._number_of, words_of(text), self._unknown)).tobytes()

    def tokens(self, text: str) -> tuple[bytes, str]:
        """The numbers of the parts of names, as the bytes of an array, and the parts with blanks
        between them.
        """
        parts = tokens_of(text)
        return array("q", map(self._number_of, parts, self._unknown)).tobytes(), " ".join(parts)
