"""Captchas and bot walls: is this page one, and whose?

A wall is short, and it is built like one. Names that occur nowhere but on a wall are enough by
themselves. Things that ordinary pages hold too, such as a captcha under a contact form, count only
where the page also asks the visitor to prove something and has nothing else to fill in. Walls made
of words alone are known by a pair of phrases that their makers print, or by a title and an order
that belong together; never by one word such as "captcha", because people write articles about
those.
"""

from __future__ import annotations

from collections.abc import Mapping

from webquarry._read.html.traits import Traits
from webquarry._read.text.words import Words
from webquarry._read.walls import wall_marks as marks

_MOST_WORDS = 250
_MOST_PROSE = 120  # where the words have to decide


def find_wall_in_headers(headers: Mapping[str, str]) -> str | None:
    """Response headers -> the maker of the wall they speak of, or None."""
    present = set(headers)
    for name, wall_value, maker in marks.HEADERS:
        if name in present and headers[name].strip().lower() == wall_value:
            return maker
    return None


def find_wall_in_page(title: str, words: Words, traits: Traits) -> str | None:
    """A page -> whose wall it is (`wall_marks.UNSIGNED` when nobody says), or None when it is a
    page.
    """
    if words.count > _MOST_WORDS:
        return None
    maker = _find_wall_in_structure(words, traits)
    if maker or words.prose_count > _MOST_PROSE:
        return maker
    return _find_wall_in_words(title.strip(), words, traits)


def _find_wall_in_structure(words: Words, traits: Traits) -> str | None:
    """Whose wall the elements and scripts of a page are, or None."""
    if marks.BUILT_LOOK.may_match(traits.marks):
        for maker, pattern in marks.BUILT.items():
            if pattern.search(traits.marks):
                return maker
    if marks.CODED_LOOK.may_match(traits.code):
        for maker, pattern in marks.CODED.items():
            if pattern.search(traits.code):
                return maker
    if words.count:
        return None
    # Without a single word on the page, scripts that guard ordinary pages too are enough.
    marks_and_code = f"{traits.marks}\n{traits.code}"
    for maker, pattern in marks.BARE.items():
        if pattern.search(marks_and_code):
            return maker
    return None


def _find_wall_in_words(title: str, words: Words, traits: Traits) -> str | None:
    """Whose wall the words of a short page speak of, or None."""
    text = f"{title}\n{words.text}\n{traits.fallback}".replace("\u2019", "'")
    if marks.PRINTED_LOOK.may_match(text):
        for maker, (first, second) in marks.PRINTED.items():
            if first.search(text) and second.search(text):
                return maker
    has_other_fields = traits.fields > 1 or traits.passwords > 0
    if has_other_fields or not marks.DEMAND_LOOK.may_match(text):
        return None
    if not marks.DEMAND.search(text):
        return None
    if marks.WIDGET.search(traits.marks):
        return marks.UNSIGNED
    lines_below_title = text.splitlines()[1:]
    gives_order = any(marks.ORDER.search(line) for line in lines_below_title)
    if gives_order and marks.SUSPECT.search(text) and marks.TITLE.search(title):
        return marks.UNSIGNED
    return None
