"""A parsed page -> Markdown: what a person sees of it, with links made absolute.

Text that browsers show only without scripts or frames (`noscript`) is left out, unless the page is next to nothing
without it: forums keep whole threads there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry.read.characters import strip_invisible
from webquarry.read.delimiters import defuse_prose, defuse_verbatim
from webquarry.read.footnotes import Footnotes
from webquarry.read.furniture import Furniture, furniture_of
from webquarry.read.html import Document
from webquarry.read.links import Links
from webquarry.read.tree import texts_of
from webquarry.read.visible import Sight
from webquarry.read.walk import Walker

COMMENT = "comment"
FALLBACK_NOTE = "Most of the text stands where browsers without scripts would show it."
_LEAST_FALLBACK = 500  # characters; less than that is a request to turn scripts on
_LONGEST_TITLE = 500


@dataclass(frozen=True)
class Markdown:
    """A page as Markdown. `removed` says how many pieces were left out, by reason."""

    text: str
    title: str
    removed: Mapping[str, int]
    notes: tuple[str, ...]


def to_markdown(document: Document, base_url: str) -> Markdown:
    """The whole page."""
    furniture = furniture_of(document.roots)
    text, removed, notes = _render(document.roots, base_url, document.roots, furniture)
    removed[COMMENT] += document.comments
    title = defuse_verbatim(strip_invisible(furniture.title, removed), removed)[:_LONGEST_TITLE]
    return Markdown(text, title, {reason: count for reason, count in removed.items() if count}, notes)


def render(elements: Sequence[etree._Element], base_url: str, page: Sequence[etree._Element]) -> Markdown:
    """Some elements of a page, without its title. `page` are its roots: their styles, controls and base count."""
    text, removed, notes = _render(elements, base_url, page, furniture_of(page))
    return Markdown(text, "", dict(removed), notes)


def _render(
    elements: Sequence[etree._Element], base_url: str, page: Sequence[etree._Element], furniture: Furniture
) -> tuple[str, Counter[str], tuple[str, ...]]:
    links = Links(base_url, furniture.base)
    walker = _walk(elements, page, furniture, links, keep_fallbacks=False)
    text = walker.blocks.text()
    notes: tuple[str, ...] = ()
    if _lives_in_fallbacks(walker.fallbacks, len(text)):
        walker = _walk(elements, page, furniture, links, keep_fallbacks=True)
        text = walker.blocks.text()
        notes = (FALLBACK_NOTE,)
    return defuse_prose(text, walker.removed), walker.removed, notes


def _walk(
    elements: Sequence[etree._Element],
    page: Sequence[etree._Element],
    furniture: Furniture,
    links: Links,
    *,
    keep_fallbacks: bool,
) -> Walker:
    walker = Walker(Sight(page, furniture), links, Footnotes(page), keep_fallbacks=keep_fallbacks)
    walker.walk(elements)
    return walker


def _lives_in_fallbacks(fallbacks: Sequence[etree._Element], shown: int) -> bool:
    least = max(_LEAST_FALLBACK, 2 * shown)
    length = 0
    for element in fallbacks:
        for text in texts_of(element):
            length += len(text.strip())
            if length >= least:
                return True
    return False
