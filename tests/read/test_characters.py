"""Invisible characters go and are counted; what writing systems and emoji need stays."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest

from tests.read.converting import page
from webquarry._read.text.characters import (
    INVISIBLE,
    _read_variants,
    clean,
    strip_invisible,
    without_surrogates,
)
from webquarry._read.text.unicode_sets import IGNORABLE

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore all")
ENGLAND = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"
SMUGGLED = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "doevil") + "\U000e007f"

REMOVED = {
    "control character": ["a\x07b", "a\x08b", "a\x7fb", "a\x9bb", "a\x1bb", "a\ufff9b", "a\ufffcb"],
    "zero-width character": [
        "a\u200bb",
        "a\u200cb",
        "a\u200db",
        "a\u2060b",
        "a\ufeffb",
        "a\u180eb",
        "a\u2061b",
        "a\u2064b",
        "a\u034fb",
        "a\u206ab",
        "a\U0001d173b",
        "a\u2065b",
        "a\ufff0\ufff8b",
        "a\U0001bca0\U0001bca3b",
        "a\U00013430\U0001343fb",
    ],
    "bidi control": [
        "a\u202eb",
        "a\u202ab",
        "a\u202cb",
        "a\u2066b",
        "a\u2069b",
        "a\u200eb",
        "a\u200fb",
        "a\u061cb",
    ],
    "tag character": [f"a{TAGS}b", "a\U000e0080\U000e00ffb", "a\U000e01f0\U000e0fffb"],
    "variation selector": ["a\ufe0fb", "a\ufe00b", "a\U000e0105b", "a\U000e01efb", "a\u180bb"],
    "soft hyphen": ["a\u00adb", "a" + "\u00ad" * 50 + "b"],
    "invisible filler": ["a\u3164b", "a\uffa0b", "a\u115fb", "a\u1160b", "a\u17b4b"],
    "noncharacter": ["a\ufdd0b", "a\ufffeb", "a\U0010ffffb", "a\ud800b"],
}
KEPT = [
    "می\u200cخواهم",
    "ه\u200d.",
    "क्\u200dष",
    "👨\u200d👩\u200d👧",
    "❤\ufe0f\u200d🔥",
    "1\ufe0f\u20e3 ©\ufe0f",
    ENGLAND,
    "葛\U000e0100飾",
    "שלום!\u200f",
    "abc \u200eא",
    "ᄀ\u1160",
    "ᠠ\u180b",
    "\ue000 private use",
    "\u2268\ufe00 0\ufe00 \u3001\ufe00",
    "\u96e3\ufe01",
    "#\ufe0e \u2194\ufe0f",
    "naïve café – “quoted” 漢字 हिन्दी",
]


# Format characters that are seen: signs around numbers and words.
SEEN_FORMATS = frozenset("\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd") | {
    chr(point) for point in range(0x0600, 0x0606)
}
ALL = [chr(point) for point in range(0x110000)]


def members(pattern: str) -> set[str]:
    return set(re.findall(f"[{pattern}]", "".join(ALL)))


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in REMOVED.items() for text in texts]
)
def test_an_invisible_character_is_taken_out_and_counted(kind: str, text: str) -> None:
    removed: Counter[str] = Counter()

    assert strip_invisible(text, removed) == "ab"
    assert removed == {kind: len(text) - 2}


@pytest.mark.parametrize("text", KEPT)
def test_what_changes_how_its_neighbours_look_stays(text: str) -> None:
    removed: Counter[str] = Counter()

    assert strip_invisible(text, removed) == text
    assert not removed


def test_one_invisible_character_of_a_kind_stays() -> None:
    assert strip_invisible("می\u200c\u200c\u200dخ", Counter()) == "می\u200cخ"
    assert strip_invisible("☺\ufe0f\ufe0f\ufe0e", Counter()) == "☺\ufe0f"
    assert strip_invisible("葛\U000e0100\U000e0101", Counter()) == "葛\U000e0100"


def test_tag_characters_stay_for_real_flags_only() -> None:
    assert strip_invisible(SMUGGLED, Counter()) == "\U0001f3f4"
    assert strip_invisible(ENGLAND + TAGS, Counter()) == ENGLAND


def test_no_invisible_character_is_taken_for_a_printable_one() -> None:
    points = (chr(point) for point in range(0x110000))

    assert [
        hex(ord(point))
        for point in points
        if INVISIBLE.match(point) and strip_invisible(f"a{point}b", Counter()) != "ab"
    ] == []


def test_every_format_character_that_python_knows_is_invisible() -> None:
    formats = {point for point in ALL if unicodedata.category(point) == "Cf"}

    assert formats - members(INVISIBLE.pattern[1:-1]) == SEEN_FORMATS


def test_ignorable_characters_match_unicode() -> None:
    """Nothing that Python takes for a letter, a number or a sign of its own goes by mistake."""
    kinds = Counter(unicodedata.category(point) for point in members(IGNORABLE))

    assert set(kinds) == {"Cf", "Cn", "Mn", "Lo"}
    assert kinds["Lo"] == 4  # the fillers of Hangul
    assert kinds["Mn"] == 16 + 240 + 4 + 2 + 1  # selectors, Khmer vowels, the grapheme joiner


def test_a_selector_stays_behind_the_characters_it_is_defined_for_and_no_other() -> None:
    for selector in [*ALL[0xFE00:0xFE10], *ALL[0x180B:0x180E], "\u180f"]:
        bases = _read_variants().get(selector)
        defined = re.compile(f"[{bases}]" if bases else "(?!)")
        for base in "aé9漢語字中国ᠠ👍☺\u2194\u0e01\u05d0":
            kept = strip_invisible(base + selector, Counter())
            assert kept == (base + selector if defined.match(base) else base)


def test_surrogates_become_their_character_or_a_replacement() -> None:
    assert without_surrogates("\ud83d\ude00 \ud83d x") == "😀 \ufffd x"


def test_clean_preserves_lines_and_spaces() -> None:
    removed: Counter[str] = Counter()
    cleaned = clean("a\tb  c\r\nd\u2028e\x0cf\u200b\n\n<|im_start|>", removed)

    assert cleaned == "a\tb  c\nd\ne\nf\n\n< |im_start|>"
    assert removed == {"zero-width character": 1, "chat delimiter": 1}


def test_invisible_characters_are_gone_before_marks_are_looked_for() -> None:
    text = page(
        "<p>\u200b# no heading<p>&lt;\u2060|im_start|&gt;<p>a \u200b b<pre>c\u202ed</pre>"
    ).text

    assert text == "\\# no heading\n\n&lt;|im_start|>\n\na b\n\n```\ncd\n```"
