"""Remove invisible characters from texts, counted by kind.

`strip_invisible` is applied to every part of a page; `clean` is for texts that are shown verbatim,
and also breaks the delimiters of chats and tools in them.

Characters that a script needs stay: joiners in Arabic, Persian, Indic text and emoji, direction
marks next to right-to-left letters, one variation selector after a character that has a variant,
and the three flags of tag characters. Any other invisible character can only hide text from
readers.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.unicode_sets import IGNORABLE, PICTURES

CONTROL = "control character"
ZERO_WIDTH = "zero-width character"
BIDI = "bidi control"
TAG = "tag character"
SELECTOR = "variation selector"
SOFT_HYPHEN = "soft hyphen"
FILLER = "invisible filler"
NONCHARACTER = "noncharacter"

# The last two characters of each of the 17 planes.
_LAST_OF_PLANES = "".join(chr(last - 1) + chr(last) for last in range(0xFFFF, 0x110000, 0x10000))
# Signs that arrange hieroglyphs; invisible elsewhere.
_HIEROGLYPH_CONTROLS = "\U00013430-\U0001343f"
# Tab, newline and carriage return are whitespace, not control characters. A character has the first
# kind that contains it; the zero-width kind contains all other ignorable characters.
_KINDS = {
    CONTROL: "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff9-\ufffc",
    BIDI: "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",
    SELECTOR: "\ufe00-\ufe0f\u180b-\u180d\u180f\U000e0100-\U000e01ef",
    TAG: "\U000e0000-\U000e0fff",
    SOFT_HYPHEN: "\u00ad",
    FILLER: "\u115f\u1160\u3164\uffa0\u17b4\u17b5",
    ZERO_WIDTH: IGNORABLE + _HIEROGLYPH_CONTROLS,
    NONCHARACTER: "\ud800-\udfff\ufdd0-\ufdef" + _LAST_OF_PLANES,
}
INVISIBLE = re.compile("[" + "".join(_KINDS.values()) + "]")
_INVISIBLE_RUN = re.compile(f"{INVISIBLE.pattern}+")

_RTL = re.compile(
    r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Letters and signs of scripts that shape with joiners; Latin, Greek, Cyrillic, Han, kana and Hangul
# never need one.
_JOINING = re.compile(
    r"[\u0590-\u10ff\u1200-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefc"
    r"\U00010800-\U00011fff\U0001e800-\U0001efff]"
)
_EMOJI = re.compile(f"[\u20e3\ufe0f{PICTURES}]")
_JAMO = re.compile(r"[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]")
_BLACK_FLAG = "\U0001f3f4"
_FLAG_TAGS = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def clean(text: str, removed: Counter[str] | None = None) -> str:
    """Return a text without invisible characters and chat delimiters, to be shown verbatim; add the
    number of removed ones to `removed`.
    """
    if text.isascii() and text.isprintable() and "<" not in text and "[" not in text:
        return text
    removed = Counter() if removed is None else removed
    text = _LINE_END.sub("\n", without_surrogates(text))
    return defuse_verbatim(strip_invisible(text, removed), removed)


def strip_invisible(text: str, removed: Counter[str]) -> str:
    """Return the text without its invisible characters, and add their number to `removed`."""
    return _INVISIBLE_RUN.sub(
        lambda run: _visible_part(text, run.start(), run.end(), removed), text
    )


def without_surrogates(text: str) -> str:
    """Replace pairs of surrogates by their character and others by U+FFFD, so that the text can be
    encoded.
    """
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _visible_part(text: str, start: int, end: int, removed: Counter[str]) -> str:
    """Return the characters of an invisible run that change their neighbours, at most one of a
    kind.
    """
    if text[start - 1 : start] == _BLACK_FLAG:
        for tags in _FLAG_TAGS:
            if text.startswith(tags, start):
                start += len(tags)
                if start >= end:
                    return tags
                return tags + _visible_part(text, start, end, removed)

    needed: dict[str, str] = {}
    for position in range(start, end):
        character = text[position]
        kind = _kind_of(character)
        if kind not in needed and _is_needed(character, kind, text, start, end):
            needed[kind] = character
        else:
            removed[kind] += 1
    return "".join(needed.values())


@cache  # of some thousand characters
def _kind_of(character: str) -> str:
    """Return the kind of an invisible character."""
    return next(kind for kind, members in _KINDS.items() if re.match(f"[{members}]", character))


def _is_needed(character: str, kind: str, text: str, start: int, end: int) -> bool:
    """Return whether the text around a run of invisible characters requires this one."""
    before = text[start - 1 : start]
    after = text[end : end + 1]
    if kind == SELECTOR:
        return _bases_of(character).match(before) is not None
    if character in "\u200c\u200d":
        joins_emoji = (
            character == "\u200d"
            and _EMOJI.match(before) is not None
            and _EMOJI.match(after) is not None
        )
        return joins_emoji or _JOINING.match(before) is not None
    if character in "\u061c\u200e\u200f":
        behind_rtl = _RTL.search(text, max(start - 2, 0), start) is not None
        return behind_rtl or _RTL.search(text, end, end + 2) is not None
    if character in "\u115f\u1160":
        return bool(_JAMO.match(before) or _JAMO.match(after))
    return False


@cache
def _bases_of(selector: str) -> re.Pattern[str]:
    """Return a pattern of the characters that have a variant for a variation selector."""
    members = _read_variants().get(selector)
    return re.compile(f"[{members}]" if members else "(?!)")


@cache
def _read_variants() -> dict[str, str]:
    """Return the characters of each variation selector, by the Unicode Character Database and the
    Ideographic Variation Database.
    """
    file = Path(__file__).parents[2] / "data" / "unicode" / "variants.txt"
    variants: dict[str, str] = {}
    for line in file.read_text("utf-8").splitlines():
        number, _, members = line.partition(" ")
        variants[chr(int(number, 16))] = members
    return variants
