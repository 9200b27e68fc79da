"""A page -> the things in it that concern the whole: style elements, the base of its links, its
title.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from webquarry._read.html.tree import text_of

try:
    from webquarry._read.html._page_info import find_elements, find_stated, style_of
except (ImportError, ValueError):  # not built, or for another lxml: the same in Python
    from webquarry._read.html.page_elements import find_elements, find_stated, style_of

__all__ = [
    "FoundElements",
    "PageInfo",
    "StatedElements",
    "collect_page_info",
    "find_statements",
    "style_of",
]

_MOST_SCRIPTS = 8000
_MOST_OF_A_KIND = 500  # headings, articles, dates
_MOST_ITEMS = 500
# The elements by which a page states something of itself, and how many of each are looked at.
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
    fallback_styles: tuple[etree._Element, ...] = ()  # those that count only without scripts
    linked_sheets: Mapping[str, bytes] = MappingProxyType({})  # that were fetched, by address
    url: str = ""
    base: str | None = None  # the first one counts
    title: str = ""
    typesets_tex: bool = False  # a script sets formulas from TeX
    data: tuple[str, ...] = ()  # the scripts that are structured data about the page
    metas: tuple[tuple[str, str], ...] = ()  # the name and the content of those in its head
    has_raised: bool = False  # some text stands above its line, as the marks of notes do


class FoundElements(NamedTuple):
    """What of a page concerns the whole of it, as it stands there."""

    styles: list[etree._Element]  # and the links that lead to sheets, as they come
    data: list[str]
    metas: list[tuple[str, str]]
    fallback_styles: list[etree._Element]  # those that count only where no scripts run
    typesets_tex: bool
    has_raised: bool
    base: str | None
    title: etree._Element | None  # that of a drawing is not that of the page


class StatedElements(NamedTuple):
    """The elements by which a page states something of itself."""

    by_name: Mapping[str, list[etree._Element]]
    items: Sequence[etree._Element]  # of microdata


def find_statements(roots: Sequence[etree._Element]) -> StatedElements:
    """What a page states, in one pass over it."""
    return StatedElements(*find_stated(roots, _STATING, "itemprop", _MOST_ITEMS))


def collect_page_info(
    roots: Sequence[etree._Element], url: str = "", styles: bytes = b""
) -> PageInfo:
    """The roots of a parsed page -> what concerns the whole of it, in one pass. `styles` are sheets
    that it links to, packed, each behind its address.
    """
    found = FoundElements(*find_elements(roots))
    title = ""
    if found.title is not None:
        title = found.title.text or ""
        if len(found.title):  # it holds elements, as hardly any
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
    """Packed sheets by their addresses."""
    if not styles:
        return {}
    pieces = styles.split(b"\0")
    addresses = [piece.decode(errors="replace") for piece in pieces[::2]]
    return dict(zip(addresses, pieces[1::2], strict=False))
