"""Keys of texts: letters and digits in one form, without typography; symbols and negations.

A key is built by `str.translate`; the place of a character in the text is computed only for matches
(`Lane.locate`). Both sides of a comparison use the same table. `make_skeleton` retains what a key
drops and a quote may not change: separators and signs of numbers, and symbols.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from webquarry._read.plain.words import Range, visible_ranges

_BLOCK = 512  # characters between two places that a lane knows
SYMBOLS = frozenset("$€£¥₹₽₩¢%‰°<>≤≥±+=#@&≠≈×÷^~√∞")
# Signs of reading that may be left out: Arabic vowels, Hebrew points; and what has no look.
_DROPPED_MARKS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0670\u0640"
    "\u034f\ufe00-\ufe0f\u20e3\U000e0100-\U000e01ef]"
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u02bc\u02b9\u00b4`\u2032\u2039\u203a\uff07"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u300c\u300d\u300e\u300f\uff02"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u061c\u0640\u034f]")
_TYPOGRAPHY = {
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **dict.fromkeys(map(ord, _SINGLE_QUOTES), "'"),
    **dict.fromkeys(map(ord, _DOUBLE_QUOTES), '"'),
}
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
_BLANKS = re.compile(r"\s+")
_SIGN_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d")
_BEFORE_SIGN = frozenset("([{<>=≤≥~≈")
CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


class _FoldTable(dict[int, str]):
    """The folded form of each character; empty for blanks and punctuation."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        folded = "i" if letter == "İ" else letter.casefold()
        decomposed = unicodedata.normalize("NFKD", folded).casefold()
        parts = unicodedata.normalize("NFKD", decomposed)
        self[code] = "".join(map(_fold_part, parts))
        return self[code]


def _fold_part(part: str) -> str:
    is_mark = unicodedata.category(part).startswith("M")
    if _DROPPED_MARKS.match(part) or not (is_mark or part.isalnum() or part == "\u2044"):
        return ""  # the fraction slash remains: ½ is not 12
    digit = unicodedata.decimal(part, None)
    return part if digit is None else str(digit)


FOLD = _FoldTable()


def make_key(text: str) -> str:
    """Return the letters and digits of a text."""
    return text.translate(FOLD)


class Lane:
    """The key of a text without some ranges, and the mapping back to the text."""

    def __init__(self, text: str, removed: Sequence[Range] = ()) -> None:
        self._text = text
        self.removed = removed
        self._key_places: list[int] = []
        self._text_places: list[int] = []
        parts: list[str] = []
        length = 0
        for start, stop in visible_ranges(0, len(text), removed):
            for place in range(start, stop, _BLOCK):
                part = text[place : min(place + _BLOCK, stop)].translate(FOLD)
                if part:
                    self._key_places.append(length)
                    self._text_places.append(place)
                    parts.append(part)
                    length += len(part)
        self.key = "".join(parts)

    def locate(self, place: int) -> int:
        """Return the place in the text of a place in the key."""
        block = bisect_right(self._key_places, place) - 1
        left = place - self._key_places[block]
        offset = self._text_places[block]
        while True:
            left -= len(FOLD[ord(self._text[offset])])
            if left < 0:
                return offset
            offset += 1

    def find(self, key: str, most: int, start: int = 0) -> list[int]:
        """Return the places of a key in this one, at most `most`."""
        places: list[int] = []
        place = self.key.find(key, start)
        while place >= 0 and len(places) < most:
            places.append(place)
            place = self.key.find(key, place + 1)
        return places


def make_skeleton(text: str) -> str:
    """Return the key with separators and signs of numbers, and symbols."""
    parts: list[str] = []
    gap = ""
    is_after_digit = False
    for letter in text:
        folded = FOLD[ord(letter)]
        if not folded:
            gap += letter
            continue
        is_digit = folded[0].isdigit()
        if parts and gap and gap != " ":
            if is_after_digit and is_digit:
                parts.append(fold_typography(gap).replace(" ", ""))
            else:
                parts.append(keep_symbols(gap) + "-" * (is_digit and has_sign(gap)))
        if is_after_digit and not gap and is_digit and letter in _RAISED:
            parts.append("^")
        parts.append(folded)
        is_after_digit = is_digit
        gap = ""
    return "".join(parts)


def keep_symbols(gap: str) -> str:
    """Return the symbols among some characters in plain form."""
    plain = unicodedata.normalize("NFKC", gap)
    return "".join(letter for letter in plain if letter in SYMBOLS)


def has_sign(gap: str) -> bool:
    """Return whether the characters before a digit end in a minus sign."""
    gap = _INVISIBLE.sub("", gap)
    if not gap or gap[-1] not in _SIGN_DASHES:
        return False
    before = gap[-2:-1]
    return not before or before.isspace() or before in _BEFORE_SIGN or before in SYMBOLS


def fold_typography(text: str) -> str:
    """Return a text with plain quotes, dashes and blanks, without invisible characters."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_TYPOGRAPHY)
    return _BLANKS.sub(" ", plain).replace("--", "-")


def fold_blanks(text: str) -> str:
    """Return a text with single blanks."""
    return _BLANKS.sub(" ", text).strip()


# Negations in the most frequent languages of pages.
_NEGATIONS = frozenset(
    """
    not no never none nothing nobody nowhere neither nor cannot cant without hardly scarcely nay
    nicht nichts kein keine keinen keinem keiner keines nie niemals niemand ohne weder
    pas jamais aucun aucune rien personne sans ni non
    nunca nadie nada ningún ninguno ninguna sin tampoco jamás
    não nem nenhum nenhuma ninguém sem
    mai nessuno nessuna niente nulla senza né
    niet niets geen nooit niemand zonder noch
    nie nigdy nikt nic bez żaden żadna ani
    не нет ни никогда никто ничего без нельзя
    ні немає ніколи ніхто нічого
    inte aldrig ingen inget inga ej utan ikke aldri intet ikkje
    ne nikdy nikdo není bez žádný
    ei eivät en et emme ette eikä ilman
    değil yok hiç asla hiçbir
    δεν μην όχι ποτέ κανείς χωρίς
    לא אין אל בלי מעולם
    لا ليس ليست لم لن ما غير بدون
    nem soha senki semmi nélkül
    nu niciodată nimeni fără
    không chưa tidak bukan jangan belum नहीं ना मत না নয়
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Negations in scripts without blanks.
_SIGNS = re.compile("[不没沒無无非未勿莫别]|ない|ません|なかった|ず(?=に|、|。)|않|없|아니|못|ไม่|มิ")


def is_negation(word: str) -> bool:
    """Return whether a word is a negation."""
    folded = word.casefold().replace("’", "'")
    is_listed = folded in _NEGATIONS or folded.endswith("n't")
    return is_listed or _SIGNS.search(word) is not None


def find_negation(text: str) -> str | None:
    """Return the first negation of a text."""
    words = [found[0] for found in _WORD.finditer(text)]
    signs = [found[0] for found in _SIGNS.finditer(text)]
    return next((word for word in words if is_negation(word)), signs[0] if signs else None)
