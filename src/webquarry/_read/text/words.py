"""Count words. Scripts without spaces count two characters as one word."""

from __future__ import annotations

import re

# Each byte of ASCII: "x" for letters and digits, otherwise a space.
_WORD_BYTES = bytes(b" x"[chr(code).isalnum()] for code in range(256))
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_CHARACTERS_PER_WORD = 2  # in those scripts


def count_words(text: str) -> int:
    """Return the number of words."""
    if text.isascii():
        return (b" " + text.encode().translate(_WORD_BYTES)).count(b" x")
    spaced, unspaced_characters = _UNSPACED.subn(" ", text)
    words = len(_WORD.findall(spaced))
    return words + unspaced_characters // _CHARACTERS_PER_WORD
