"""Letters: a text -> the same text as words of it are compared; and which script a word is in.

Case, the marks of vowels in Arabic and Hebrew, joiners inside words and the digits of other scripts
say nothing. Vowel signs of Indic and Thai words are part of them. Accents go last, once a word is
stemmed, because stemmers look at them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import pairwise

from webquarry._search.text import normalize_letters

# Where the marks and digits of living scripts are.
_PLACES = (
    range(0x300, 0x2000),
    range(0x3099, 0x309B),
    range(0xA600, 0xAC00),
    range(0xFE20, 0xFE30),
)
_APOSTROPHE = re.compile(
    # what is written onto a word: the boat's, we're; l'eau, dell'acqua, qu'il
    r"['’](?:s|t|d|m|ll|re|ve)\b"
    r"|\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|gl|all|dall|dell|nell|sull|quell)['’](?=\w)"
)
_DROPPED = (
    "\u00ad\u200b-\u200f\u2060\ufeff"  # what joins or parts letters without being seen
    "\u0307"  # the dot that is left of a Turkish capital
    "\u055a-\u055f"  # the tone of a question inside an Armenian word
    "\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640"  # vowels, and tatweel
)
_LETTERS_ALIKE = {
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ې": "ي", "ک": "ك", "ے": "ي",
    "ı": "i", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h",
    "ٹ": "ت", "ہ": "ه", "ھ": "ه",
}  # fmt: skip
_ACCENT = re.compile("[\u0300-\u036f]")

# First code point of each range, and the script that the letters from there on belong to.
_RANGES = (
    (0x0000, "latin"), (0x0370, "greek"), (0x0400, "cyrillic"), (0x0530, "armenian"),
    (0x0590, "hebrew"), (0x0600, "arabic"), (0x0780, "other"), (0x08A0, "arabic"),
    (0x0900, "devanagari"), (0x0980, "bengali"), (0x0A00, "other"), (0x0B80, "tamil"),
    (0x0C00, "other"), (0x0E00, "unspaced"), (0x0F00, "other"), (0x1000, "unspaced"),
    (0x10A0, "other"), (0x1100, "hangul"), (0x1200, "other"), (0x1780, "unspaced"),
    (0x1800, "other"), (0x1980, "unspaced"), (0x19E0, "other"), (0x1E00, "latin"),
    (0x1F00, "greek"), (0x2000, "other"), (0x2C60, "latin"), (0x2C80, "other"),
    (0x3040, "unspaced"), (0x3130, "hangul"), (0x3190, "unspaced"), (0xA4D0, "other"),
    (0xA640, "cyrillic"), (0xA6A0, "other"), (0xA720, "latin"), (0xA800, "other"),
    (0xA960, "hangul"), (0xA980, "other"), (0xA9E0, "unspaced"), (0xAA00, "other"),
    (0xAA60, "unspaced"), (0xAA80, "other"), (0xAC00, "hangul"), (0xD800, "other"),
    (0xF900, "unspaced"), (0xFB00, "other"), (0x20000, "unspaced"), (0x32400, "other"),
)  # fmt: skip
_STARTS = [start for start, _ in _RANGES]
_SCRIPTS = [script for _, script in _RANGES]


def _find_marks_and_digits() -> tuple[str, dict[int, str]]:
    """The marks that belong to the letter before them, and what other scripts write for 0 to 9."""
    marks: list[int] = []
    digits = {ord("٫"): ".", ord("٬"): ","}
    for places in _PLACES:
        for code in places:
            character = chr(code)
            category = unicodedata.category(character)
            if category in ("Mn", "Mc"):
                marks.append(code)
            elif category == "Nd":
                digits[code] = str(unicodedata.digit(character))
    return _write_ranges(marks), digits


def _write_ranges(codes: list[int]) -> str:
    """Code points in order, for the inside of a set of characters."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


def _range_class(script: str) -> str:
    """The ranges of a script, for the inside of a set of characters."""
    ends = [start - 1 for start in _STARTS[1:]] + [0x10FFFF]
    ranges = []
    for start, end, name in zip(_STARTS, ends, _SCRIPTS, strict=True):
        if name == script:
            ranges.append(f"{chr(start)}-{chr(end)}")
    return "".join(ranges)


MARKS, _DIGITS = _find_marks_and_digits()
# Scripts whose words are compared by pairs of characters: they have no blanks between words, or
# particles that are written onto a word.
PAIRED = _range_class("unspaced") + _range_class("hangul")
PAIRED_SCRIPTS = frozenset({"unspaced", "hangul"})
_ODD = re.compile(f"[{_DROPPED}{''.join(map(chr, _DIGITS))}]")
_DROP = re.compile(f"[{_DROPPED}]")
_CLUSTER = re.compile(f"[^{MARKS}][{MARKS}]*|[{MARKS}]+")
_MARK = re.compile(f"[{MARKS}]")


def fold(text: str) -> str:
    """A text for comparing words: in small letters, with plain digits, in one way of writing."""
    folded = text.casefold()
    if not folded.isascii():
        # letters of formulas have no small ones of their own, so they are folded once more
        folded = normalize_letters("NFKC", folded).casefold()
        if _ODD.search(folded):
            folded = _DROP.sub("", folded).translate(_DIGITS)
    if "'" in folded or "’" in folded:
        folded = _APOSTROPHE.sub(" ", folded)
    return folded


def without_accents(word: str) -> str:
    """A word with plain letters: Çelik is celik. Vowel signs that are part of a word stay."""
    if word.isascii():
        return word
    decomposed = normalize_letters("NFD", word)
    bare = _ACCENT.sub("", decomposed)
    letters = [_LETTERS_ALIKE.get(letter, letter) for letter in bare]
    return normalize_letters("NFC", "".join(letters))


def script_of(letter: str) -> str:
    """The script of a letter; `unspaced` for those that put no blanks between words."""
    place = bisect_right(_STARTS, ord(letter)) - 1
    return _SCRIPTS[place]


def pair_characters(word: str) -> list[str]:
    """Every two characters of a word that stand beside each other, marks with their letter."""
    if _MARK.search(word):
        characters = _CLUSTER.findall(word)
    else:
        characters = list(word)
    if len(characters) < 2:
        return ["".join(characters)]
    return [first + second for first, second in pairwise(characters)]
