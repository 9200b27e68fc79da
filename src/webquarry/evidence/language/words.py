"""Words of a text in the form in which they are compared: folded, split and stemmed.

Case, vowel marks of Arabic and Hebrew, joiners inside words and the digits of other scripts are
ignored. Vowel signs of Indic and Thai words are part of them. Accents are removed after stemming,
because stemmers use them. Scripts without spaces between words, and Korean, whose particles are
attached to words, are compared by pairs of characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Any

from webquarry._search.text import normalize_letters

PAIRED = "paired"  # the script of words that are compared by pairs of characters
_PAIRED_LETTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u1980-\u19df\u3040-\ua4cf\ua960-\ua97f"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323ff"
)
_NAMED_SCRIPTS = frozenset(
    {"latin", "greek", "cyrillic", "armenian", "hebrew", "arabic", "devanagari", "bengali", "tamil"}
)
_MARK_RANGES = (
    range(0x300, 0x2000),
    range(0x3099, 0x309B),
    range(0xA600, 0xAC00),
    range(0xFE20, 0xFE30),
)
# Combining marks that belong to the letter before them.
_MARKS = "".join(
    character
    for places in _MARK_RANGES
    for character in map(chr, places)
    if unicodedata.category(character) in ("Mn", "Mc")
)
_WORD = re.compile(
    r"\d+(?:[.,]\d+)*"
    # punctuation in the ranges of those scripts is not a letter
    rf"|(?:(?![・゠฿๏๚๛၊-၏។-៛])[{_PAIRED_LETTERS}][{_MARKS}]*)+"
    rf"|[^\W\d_{_PAIRED_LETTERS}](?:[^\W\d_{_PAIRED_LETTERS}]|[{_MARKS}])*+"
)
_ASCII_WORD = re.compile(r"[a-z]+|\d+(?:[.,]\d+)*")  # the same for ASCII, four times as fast
_IS_PAIRED = re.compile(f"[{_PAIRED_LETTERS}]")
_CLUSTER = re.compile(f"[^{_MARKS}][{_MARKS}]*|[{_MARKS}]+")
_APOSTROPHE = re.compile(
    # attached to a word: the boat's, we're; l'eau, dell'acqua, qu'il
    r"['’](?:s|t|d|m|ll|re|ve)\b"
    r"|\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|gl|all|dall|dell|nell|sull|quell)['’](?=\w)"
)
_DROPPED = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufeff"  # invisible joiners and separators
    "\u0307"  # the dot of a Turkish capital
    "\u055a-\u055f"  # punctuation inside Armenian words
    "\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640]"  # vowels, and tatweel
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_ARABIC_SEPARATORS = str.maketrans("٫٬", ".,")
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_LETTERS_ALIKE = str.maketrans(
    {
        "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ې": "ي", "ک": "ك", "ے": "ي",
        "ı": "i", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th",
        "ħ": "h", "ٹ": "ت", "ہ": "ه", "ھ": "ه",
    }
)  # fmt: skip
_ACCENT = re.compile("[\u0300-\u036f]")
_MAX_STEMMED = 60  # letters; longer strings are not stemmed
_PREFIX = 5  # letters that are compared in a language without a stemmer
_ARABIC_ARTICLE = re.compile("(?:[وفبك]?ال|و?لل)(?=...)")
_HEBREW_PREFIXED = re.compile("[הבלמשוכ]...")
_stemmers = threading.local()  # stemmers are not thread-safe


def fold(text: str) -> str:
    """Return a text for comparison: lower case, ASCII digits, compatibility forms replaced."""
    folded = text.casefold()
    if not folded.isascii():
        # letters of formulas have no lower case of their own, so they are folded again
        folded = normalize_letters("NFKC", folded).casefold()
        folded = _DROPPED.sub("", folded).translate(_ARABIC_SEPARATORS)
        folded = _OTHER_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), folded)
    return _APOSTROPHE.sub(" ", folded)


def find_words(folded: str) -> list[str]:
    """Return the words and numbers of a folded text."""
    return (_ASCII_WORD if folded.isascii() else _WORD).findall(folded)


def plain_number(word: str) -> str:
    """Return a number without separators of thousands."""
    if _GROUPED_NUMBER.fullmatch(word):
        return word.replace(",", "").replace(".", "")
    return word


def without_accents(word: str) -> str:
    """Return a word with plain letters: `celik` for `çelik`. Vowel signs stay."""
    if word.isascii():
        return word
    bare = _ACCENT.sub("", normalize_letters("NFD", word))
    return normalize_letters("NFC", bare.translate(_LETTERS_ALIKE))


@lru_cache(5_000)
def script_of(letter: str) -> str:
    """Return the script of a letter in lower case; `paired` for all that are compared by pairs."""
    if _IS_PAIRED.match(letter):
        return PAIRED
    script = unicodedata.name(letter, "").partition(" ")[0].lower()
    return script if script in _NAMED_SCRIPTS else "other"


def pair_characters(word: str) -> list[str]:
    """Return every two adjacent characters of a word, marks with their letter."""
    characters = _CLUSTER.findall(word)
    if len(characters) < 2:
        return characters
    return [first + second for first, second in pairwise(characters)]


@lru_cache(20_000)
def stems_of(language: str, word: str) -> tuple[str, ...]:
    """Return the stems of a folded word, without accents.

    In languages without a Snowball stemmer a stem is the first letters, because endings change. A
    Hebrew word also matches without its one-letter prefix.
    """
    if len(word) > _MAX_STEMMED:
        return (word,)
    if language == "hebrew":
        return (word, word[1:]) if _HEBREW_PREFIXED.match(word) else (word,)
    if language == "arabic":
        word = _ARABIC_ARTICLE.sub("", word, count=1) if _ARABIC_ARTICLE.match(word) else word
    stemmer = _find_stemmer(language)
    if stemmer is None:
        return (without_accents(word)[:_PREFIX],)
    return (without_accents(str(stemmer.stemWord(word)) or word),)


def _find_stemmer(language: str) -> Any:
    """Return the stemmer of this thread for a language, or None."""
    import Stemmer  # large; only loaded when words are compared

    known: dict[str, Any] = _stemmers.__dict__
    if language not in known:
        is_known = language in Stemmer.algorithms()
        known[language] = Stemmer.Stemmer(language) if is_known else None
    return known[language]
