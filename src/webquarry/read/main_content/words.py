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
_ASCII = range(128)


def _map_byte(code: int) -> int:
    """A letter or digit of ASCII in lower case, another character of ASCII as a blank."""
    character = chr(code)
    if code not in _ASCII or character == END_OF_TEXT:
        return code
    if character.isalnum():
        return ord(character.lower())
    return ord(" ")


_LETTERS = bytes(map(_map_byte, range(256)))
_TOKEN = re.compile(rf"[A-Za-z{END_OF_TEXT}][a-z]*")


def split_words(text: str) -> list[str]:
    """The words of a text. Letters beyond ASCII keep their case, which makes this several times as
    fast.
    """
    for mark in _MARKS:
        text = text.replace(mark, " ")
    return text.encode("utf-8").translate(_LETTERS).decode("utf-8").split()


def split_names(names: str) -> list[str]:
    """Class names cut at capitals and at everything that is no letter, in lower case."""
    return " ".join(_TOKEN.findall(names)).lower().split()


class WordTable:
    """Words and their numbers. What it gives are the bytes of arrays of 64-bit integers."""

    def __init__(self, numbers: Mapping[str, int], unknown: int) -> None:
        self._number_of = numbers.get
        self._unknown = repeat(unknown)

    def words(self, text: str) -> bytes:
        """The numbers of the words of a text."""
        numbers = map(self._number_of, split_words(text), self._unknown)
        return array("q", numbers).tobytes()

    def tokens(self, text: str) -> tuple[bytes, str]:
        """The numbers of the parts of names, and the parts with blanks between them."""
        parts = split_names(text)
        numbers = map(self._number_of, parts, self._unknown)
        return array("q", numbers).tobytes(), " ".join(parts)
