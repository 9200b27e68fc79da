"""Elements that describe a page as a whole: style elements, the base URL, the title, metadata."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from webquarry._native import find_elements, find_stated, style_of
from webquarry._read.html.tree import text_of

__all__ = [
    "PageInfo",
    "StatedElements",
    "collect_page_info",
    "find_statements",
    "style_of",
]

_MOST_SCRIPTS = 8000
_MOST_OF_A_KIND = 500  # headings, articles, dates
_MOST_ITEMS = 500
# Tags of metadata, and how many elements of each are returned.
_STATING = {
    "meta": sys.maxsize,
    "script": _MOST_SCRIPTS,
    "link": _MOST_OF_A_KIND,
    "h1": _MOST_OF_A_KIND,
    "article": _MOST_OF_A_KIND,
    "time": _MOST_OF_A_KIND,
}


class PageInfo(NamedTuple):
    """Found in one pass over the page."""

    style_elements: tuple[etree._Element, ...] = ()  # `style`, and `link` to style sheets
    fallback_styles: tuple[etree._Element, ...] = ()  # used only if scripts do not run
    linked_sheets: Mapping[str, bytes] = MappingProxyType({})  # fetched sheets by URL
    url: str = ""
    base: str | None = None  # of the first `base` element
    title: str = ""
    typesets_tex: bool = False  # a script renders TeX formulas
    data: tuple[str, ...] = ()  # JSON-LD
    metas: tuple[tuple[str, str], ...] = ()  # names and contents in the head
    has_raised: bool = False  # there is a `sup` element


class FoundElements(NamedTuple):
    """The fields of `PageInfo` before they are normalized."""

    styles: list[etree._Element]  # `style`, and `link` to style sheets
    data: list[str]
    metas: list[tuple[str, str]]
    fallback_styles: list[etree._Element]  # used only if scripts do not run
    typesets_tex: bool
    has_raised: bool
    base: str | None
    title: etree._Element | None  # not in an `svg` element


class StatedElements(NamedTuple):
    """Elements with metadata."""

    by_name: Mapping[str, list[etree._Element]]
    items: Sequence[etree._Element]  # of microdata


def find_statements(roots: Sequence[etree._Element]) -> StatedElements:
    """Find the elements with metadata in one pass."""
    return StatedElements(*find_stated(roots, _STATING, "itemprop", _MOST_ITEMS))


def collect_page_info(
    roots: Sequence[etree._Element], url: str = "", styles: bytes = b""
) -> PageInfo:
    """Collect the information in one pass. `styles` has the fetched style sheets: URL and content
    of each, separated by null bytes.
    """
    found = FoundElements(*find_elements(roots))
    title = ""
    if found.title is not None:
        title = found.title.text or ""
        if len(found.title):  # it has child elements
            title = text_of(found.title)
    return PageInfo(
        style_elements=tuple(found.styles),
        fallback_styles=tuple(found.fallback_styles),
        linked_sheets=_unpack_styles(styles),
        url=url,
        base=found.base,
        title=" ".join(title.split()),
        typesets_tex=found.typesets_tex,
        data=tuple(found.data),
        metas=tuple(found.metas),
        has_raised=found.has_raised,
    )


def _unpack_styles(styles: bytes) -> dict[str, bytes]:
    """Return the packed sheets by URL."""
    if not styles:
        return {}
    pieces = styles.split(b"\0")
    addresses = [piece.decode(errors="replace") for piece in pieces[::2]]
    return dict(zip(addresses, pieces[1::2], strict=False))
