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

from webquarry.read.html.traits import Traits
from webquarry.read.text.words import Words
from webquarry.read.walls import wall_marks as marks

_MOST_WORDS = 250
_MOST_PROSE = 120  # where the words have to decide


def wall_in_headers(headers: Mapping[str, str]) -> str | None:
    """Whose wall the headers speak of, or None."""
    return next(
        (
            maker
            for name, value, maker in marks.HEADERS
            if headers.get(name, "").strip().lower() == value
        ),
        None,
    )


def wall_in_page(title: str, words: Words, traits: Traits) -> str | None:
    """Whose wall a page is (`wall_marks.UNSIGNED` when nobody says), or None when it is a page."""
    if words.count > _MOST_WORDS:
        return None
    built = _wall_in_structure(words, traits)
    if built or words.prose_count > _MOST_PROSE:
        return built
    return _wall_in_words(title.strip(), words, traits)


def _wall_in_structure(words: Words, traits: Traits) -> str | None:
    for maker, pattern in marks.BUILT.items():
        if pattern.search(traits.marks):
            return maker
    for maker, pattern in marks.CODED.items():
        if pattern.search(traits.code):
            return maker
    if words.count:
        return None
    return next(
        (
            maker
            for maker, bare in marks.BARE.items()
            if bare.search(f"{traits.marks}\n{traits.code}")
        ),
        None,
    )


def _wall_in_words(title: str, words: Words, traits: Traits) -> str | None:
    said = f"{title}\n{words.text}\n{traits.fallback}".replace("\u2019", "'")
    for maker, (first, second) in marks.PRINTED.items():
        if first.search(said) and second.search(said):
            return maker
    if not marks.DEMAND.search(said) or traits.fields > 1 or traits.passwords:
        return None
    if marks.WIDGET.search(traits.marks):
        return marks.UNSIGNED
    ordered = any(marks.ORDER.search(line) for line in said.splitlines()[1:])
    if ordered and marks.SUSPECT.search(said) and marks.TITLE.search(title):
        return marks.UNSIGNED
    return None
