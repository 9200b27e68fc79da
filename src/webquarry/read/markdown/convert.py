"""A parsed page -> Markdown: what a person sees of it, with links made absolute.

Text that browsers show only without scripts or frames (`noscript`) is left out, unless the page is
next to nothing without it: forums keep whole threads there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry.read.html.page_info import PageInfo, collect_page_info
from webquarry.read.html.parse import Document
from webquarry.read.html.tree import texts_of
from webquarry.read.markdown.footnotes import Footnotes
from webquarry.read.markdown.links import Links
from webquarry.read.markdown.walker import Walker
from webquarry.read.text.characters import strip_invisible
from webquarry.read.text.delimiters import defuse_prose, defuse_verbatim
from webquarry.read.visibility.tracker import VisibilityTracker

COMMENT = "comment"
FALLBACK_NOTE = "Most of the text stands where browsers without scripts would show it."
_FALLBACKS = frozenset({"noscript", "noframes", "noembed"})
_LEAST_FALLBACK = 300  # characters
_LONGEST_TITLE = 500
_LONG_SHEET = 10_000  # characters; of a longer one only the rules that can matter are read


@dataclass(frozen=True)
class Markdown:
    """A page as Markdown. `removed` says how many pieces were left out, by reason."""

    text: str
    title: str
    removed: Mapping[str, int]
    notes: tuple[str, ...]


def to_markdown(document: Document, base_url: str) -> Markdown:
    """The whole page."""
    furniture = document.page_info
    text, removed, notes = _render(document.roots, base_url, document.roots, furniture)
    removed[COMMENT] += document.comments
    return Markdown(
        text,
        _title(furniture, removed),
        {reason: count for reason, count in removed.items() if count},
        notes,
    )


def title_of(document: Document) -> str:
    """The title alone."""
    return _title(document.page_info, Counter())


def render(
    elements: Sequence[etree._Element], base_url: str, page: Sequence[etree._Element]
) -> Markdown:
    """Some elements of a page, without its title. `page` are its roots: their styles, controls and
    base count.
    """
    text, removed, notes = _render(elements, base_url, page, collect_page_info(page))
    return Markdown(text, "", dict(removed), notes)


def _title(furniture: PageInfo, removed: Counter[str]) -> str:
    return defuse_verbatim(strip_invisible(furniture.title, removed), removed)[:_LONGEST_TITLE]


def _render(
    elements: Sequence[etree._Element],
    base_url: str,
    page: Sequence[etree._Element],
    furniture: PageInfo,
) -> tuple[str, Counter[str], tuple[str, ...]]:
    links = Links(base_url, furniture.base)
    names = None
    if len(furniture.css) > _LONG_SHEET:
        names = _names_in(page)

    def walk(kept: frozenset[str]) -> tuple[Walker, str]:
        walker = Walker(
            VisibilityTracker(page, furniture, names), links, Footnotes(page), furniture, kept
        )
        walker.walk(elements)
        return walker, walker.blocks.text()

    walker, text = walk(frozenset())
    notes: tuple[str, ...] = ()
    for kept in (_FALLBACKS, _FALLBACKS | {"template"}):
        if not _may_live_in(walker.fallbacks, kept, len(text)):
            continue
        other, fuller = walk(kept)
        if len(fuller) >= _least_fallback(len(text)) and not _asks_for_scripts(fuller):
            walker, text, notes = other, fuller, (FALLBACK_NOTE,)
    return defuse_prose(text, walker.removed), walker.removed, notes


def _names_in(page: Sequence[etree._Element]) -> frozenset[str]:
    """The classes and ids of all elements, in lower case: most rules of a long sheet are about
    others.
    """
    found: set[str] = set()
    for root in page:
        for element in root.iter(etree.Element):
            found.update((element.get("class") or "", element.get("id") or ""))
    return frozenset(" ".join(found).lower().split())


def _least_fallback(shown: int) -> int:
    return max(_LEAST_FALLBACK, 3 * shown)


def _may_live_in(fallbacks: Sequence[etree._Element], kept: frozenset[str], shown: int) -> bool:
    """Whether the text that was passed over is far more than what is shown; templates count on
    empty pages only.
    """
    if "template" in kept and shown:
        return False
    length = 0
    for element in fallbacks:
        for text in texts_of(element) if element.tag in kept else ():
            length += len(text.strip())
            if length >= _least_fallback(shown):
                return True
    return False


def _asks_for_scripts(text: str) -> bool:
    return len(text) < 2_000 and "javascript" in text[:600].lower()
