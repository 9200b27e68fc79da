"""Split texts and class names into words, as the compiled word table does."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

END_OF_TEXT = "\x00"  # stands in no page: libxml2 takes none
_MARKS = "’“”"  # beyond ASCII, and common enough to be taken off words
# letters of ASCII lose their case, and everything else in ASCII but digits becomes a blank
_GAPS = "".join(chr(code) for code in range(1, 128) if not chr(code).isalnum())
_LETTERS = bytes.maketrans(
    (_GAPS + ascii_uppercase).encode(), (" " * len(_GAPS) + ascii_lowercase).encode()
)
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
    parts = _TOKEN.findall(names)
    return " ".join(parts).lower().split()
