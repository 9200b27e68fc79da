"""Characters a person cannot see: text in, the same text without them out, counted by reason.

`strip_invisible` is what every piece of a page goes through; `clean` is for texts that are shown as
they are, and also breaks the delimiters of chats and tools in them.

What scripts need in order to be written stays whole: joiners in Arabic, Persian, Indic text and
emoji, direction marks beside right-to-left letters, one variation selector behind a character that
takes one, the three flags made of tag characters. Everything else that is invisible can only carry
what the reader of the page was not meant to see.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.unicode_sets import IGNORABLE, PICTURES, VARIANTS

try:
    from webquarry._read.text._signs import CharacterSet
except ImportError:  # not built: the same in Python
    from webquarry._read.text.signs import CharacterSet  # type: ignore[assignment]

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
# Signs that arrange hieroglyphs; elsewhere they are shown as nothing.
_HIEROGLYPH_CONTROLS = "\U00013430-\U0001343f"
# Tab, newline and carriage return are white space, not control characters. A character is of the
# first kind that has it; the last kind but one takes whatever else is ignorable.
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
_INVISIBLE_SET = CharacterSet("".join(_KINDS.values()))

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
_FIRST_OF_IDEOGRAPHS = "\U000e0100"
_HIEROGLYPH = re.compile("[\U00013000-\U0001345f\U00013460-\U000143ff]")
_JAMO = re.compile(r"[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]")
_BLACK_FLAG = "\U0001f3f4"
_FLAG_TAGS = tuple(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


@dataclass(frozen=True)
class Cleaned:
    """A text that is safe to show, and what was taken out of it."""

    text: str
    removed: Mapping[str, int]


def clean(text: str) -> Cleaned:
    """A whole text that is shown word for word: no invisible character and no chat delimiter is
    left in it.
    """
    if text.isascii() and text.isprintable() and "<" not in text and "[" not in text:
        return Cleaned(text, {})  # as nearly all short ones
    removed: Counter[str] = Counter()
    text = without_surrogates(text)
    text = _LINE_END.sub("\n", text)
    text = strip_invisible(text, removed)
    text = defuse_verbatim(text, removed)
    return Cleaned(text, dict(removed))


def strip_invisible(text: str, removed: Counter[str]) -> str:
    """The text without its invisible characters; what went is added to `removed`."""
    run = _INVISIBLE_SET.find_run(text, 0)
    if run is None:
        return text  # as nearly all
    parts: list[str] = []
    place = 0
    while run is not None:
        start, end = run
        parts += (text[place:start], _visible_part(text, start, end, removed))
        place = end
        run = _INVISIBLE_SET.find_run(text, place)
    parts.append(text[place:])
    return "".join(parts)


def without_surrogates(text: str) -> str:
    """Pairs of surrogates become their character, lone ones U+FFFD, so that the text can be
    encoded.
    """
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _visible_part(text: str, start: int, end: int, removed: Counter[str]) -> str:
    """Of one run of invisible characters, those that change how their neighbours look: at most one
    of a kind.
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
        place = kind
        if _HIEROGLYPH.match(character):
            place = f"{position}"  # each of them arranges something
        if place not in needed and _is_needed(character, kind, text, start, end):
            needed[place] = character
        else:
            removed[kind] += 1
    return "".join(needed.values())


@cache  # of some thousand characters
def _kind_of(character: str) -> str:
    """The kind of an invisible character."""
    return next(kind for kind, members in _KINDS.items() if re.match(f"[{members}]", character))


def _is_needed(character: str, kind: str, text: str, start: int, end: int) -> bool:
    """Whether the text around a run of invisible characters needs this one to be written right."""
    before = text[start - 1 : start]
    after = text[end : end + 1]
    if kind == SELECTOR:
        return _takes_selector(before, character)
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
    if _HIEROGLYPH.match(character):
        return bool(_HIEROGLYPH.match(before) or _HIEROGLYPH.match(after))
    return False


def _takes_selector(base: str, selector: str) -> bool:
    """Whether a character has a variant that this variation selector asks for."""
    return _bases_of(selector).match(base) is not None


@cache
def _bases_of(selector: str) -> re.Pattern[str]:
    """The characters that a variation selector is defined for."""
    members = VARIANTS.get(selector)
    if members is None and selector >= _FIRST_OF_IDEOGRAPHS:
        members = _read_ideographic_variants().get(selector)
    if members is None:
        return re.compile("(?!)")
    return re.compile(f"[{members}]")


@cache
def _read_ideographic_variants() -> dict[str, str]:
    """The selectors of ideographs and what each is defined for, by the Ideographic Variation
    Database: read when a text has the first of them, since hardly any does.
    """
    file = Path(__file__).parents[2] / "data" / "unicode" / "ideographic_variants.txt"
    variants: dict[str, str] = {}
    for line in file.read_text("utf-8").splitlines():
        number, _, members = line.partition(" ")
        variants[chr(int(number, 16))] = members
    return variants
