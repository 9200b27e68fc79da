"""The shapes: all of them, some 1,500, and those of them that every change is measured by.

Of each list every so-and-so-many-th is taken, so that every kind of place, piece and step has its
part, and whatever was once too slow is taken by name.
"""

from __future__ import annotations

from itertools import chain

from scaling_shapes import (
    formats,
    quotes,
    references,
    replies,
    structures,
    styles,
    tags,
    texts,
    wikis,
    words,
)
from scaling_shapes.shape import Shape

_STEPS = {
    texts: 11,
    tags: 13,
    structures: 6,
    formats: 8,
    styles: 9,
    words: 9,
    replies: 17,
    quotes: 19,
    wikis: 9,
    references: 31,
}
_ONCE_TOO_SLOW = frozenset(
    {
        "blanks in pre",
        "blanks in pre code",
        "newlines in pre code",
        "nbsp in pre code",
        "U+3000 in pre code",
        "cell of U+3000",
        "underscores in pre",
        "combining marks in pre",
        "run of initials",
        "counts",
        "cookies",
        "menus in menus",
        "<div role='heading'> around empty elements",
        "<div id='app'> around empty elements",
        "<span class='lineno'> around empty elements",
        "head: refresh of blanks",
        "head: charset of blanks",
        "head: base of marks",
        "JSON-LD: blanks behind a name",
        "markdown: heading of blanks",
        "markdown: heading of signs",
        "markdown: open fences",
        "markdown: closed images in images",
        "markdown: closed brackets in brackets",
        "markdown: targets that seem to end",
        "markdown: emphasis in words",
        "markdown: front matter",
        "rss: items of code",
        "words: TeX",
        "quotes: searched letters",
        "quotes: taken apart note marks",
        "references: venue of commas",
        "references: authors of blanks",
        "references: title of colons",
        "address: amp",
        "address: marks",
        "css: a later sibling of nothing",
        "css: a later sibling of a place",
        "css: every other",
        "css: places x elements",
        "css: attributes x elements",
        "css: classes x elements",
        "css: scopes with an end x elements",
        "css: one long list of selectors",
        "css: variables x elements",
        "css: chain of variables",
        "css: run of commas in parentheses",
    }
)


def list_shapes(*, everything: bool) -> list[Shape]:
    """All shapes, or the choice of them."""
    every_shape = list(chain.from_iterable(module.SHAPES for module in _STEPS))
    unknown = _ONCE_TOO_SLOW - {shape.name for shape in every_shape}
    if unknown:
        raise ValueError(f"There are no shapes of these names: {', '.join(sorted(unknown))}")
    if everything:
        return every_shape
    chosen = []
    for module, step in _STEPS.items():
        for place, shape in enumerate(module.SHAPES):
            if place % step == 0 or shape.name in _ONCE_TOO_SLOW:
                chosen.append(shape)
    return chosen
