"""A page -> the things in it that concern the whole: style elements, the base of its links, its
title.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lxml import etree

from webquarry._read.css.imports import SheetCollector
from webquarry._read.css.media import ALWAYS, judge_media
from webquarry._read.css.parts import join_sheets
from webquarry._read.html.sheet_links import is_sheet_link, join_address
from webquarry._read.html.tree import text_of

try:
    from webquarry._read.html._page_info import find_elements, find_stated, style_of
except (ImportError, ValueError):  # not built, or for another lxml: the same in Python
    from webquarry._read.html.page_elements import find_elements, find_stated, style_of

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
_LONGEST_MEDIA = 1_000  # characters


class PageInfo(NamedTuple):
    """Found in one pass over the page."""

    css: bytes = b""  # of the style sheets that are for screens and known
    css_without_scripts: bytes = b""  # of those that count only where no scripts run
    foreign_rules: bool = False  # the page also has style sheets that are not known
    base: str | None = None  # the first one counts
    title: str = ""
    typesets_tex: bool = False  # a script sets formulas from TeX
    data: tuple[str, ...] = ()  # the scripts that are structured data about the page
    metas: tuple[tuple[str, str], ...] = ()  # the name and the content of those in its head
    has_raised: bool = False  # some text stands above its line, as the marks of notes do
    has_columns: bool = False  # some table says something of its columns
    has_variables: bool = False  # some style attribute may define a variable
    pulled: tuple[etree._Element, ...] = ()  # empty boxes whose style speaks of a margin


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
    has_columns: bool
    has_variables: bool
    pulled: list[etree._Element]


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
    linked = _unpack_styles(styles)
    base = ""
    if linked:
        base = join_address(url, found.base or "")
    sheets = _collect_sheets(found.styles, linked, base)
    fallback_css = b""
    if found.fallback_styles:
        fallback_css = join_sheets(_collect_sheets(found.fallback_styles, linked, base).sheets)
    title = ""
    if found.title is not None:
        title = found.title.text or ""
        if len(found.title):  # it holds elements, as hardly any
            title = text_of(found.title)
    return PageInfo(
        css=join_sheets(sheets.sheets),
        css_without_scripts=fallback_css,
        foreign_rules=not sheets.is_complete,
        base=found.base,
        title=" ".join(title.split()),
        typesets_tex=found.typesets_tex,
        data=tuple(found.data),
        metas=tuple(found.metas),
        has_raised=found.has_raised,
        has_columns=found.has_columns,
        has_variables=found.has_variables,
        pulled=tuple(found.pulled),
    )


def _collect_sheets(
    elements: Sequence[etree._Element], linked: Mapping[str, bytes], base: str
) -> SheetCollector:
    """The sheets of some style elements and links."""
    sheets = SheetCollector()
    for element in elements:
        if element.tag == "style":
            _add_style(element, sheets)
            continue
        # one that is not known is as good as several
        is_known = bool(linked) or "data:" in (element.get("href") or "").lower()
        if is_known or sheets.is_complete:
            _add_link(element, sheets, linked, base)
    return sheets


def _unpack_styles(styles: bytes) -> dict[str, bytes]:
    """Packed sheets by their addresses."""
    if not styles:
        return {}
    pieces = styles.split(b"\0")
    addresses = [piece.decode(errors="replace") for piece in pieces[::2]]
    return dict(zip(addresses, pieces[1::2], strict=False))


def _add_link(
    element: etree._Element, sheets: SheetCollector, linked: Mapping[str, bytes], base: str
) -> None:
    """Add the sheet that a `link` leads to, where it is known."""
    attributes = {str(name): str(value) for name, value in element.items()}
    if not is_sheet_link(attributes):
        return
    media = attributes.get("media", "").strip()
    wrapper = b""
    if media:
        wrapper = f"@media {media[:_LONGEST_MEDIA]}{{".replace("\0", "").encode(errors="replace")
    address = attributes.get("href", "")
    css = None
    if linked:
        css = linked.get(join_address(base, address))
    if css is not None:
        sheets.add(css, wrapper)
    else:
        sheets.add_address(address, wrapper)


def _add_style(element: etree._Element, sheets: SheetCollector) -> None:
    """Add a style element that is for screens."""
    kind = element.get("type")
    if kind and kind.partition(";")[0].strip().lower() not in ("", "text/css"):
        return
    media = element.get("media")
    if media and judge_media(media.strip().lower()[:_LONGEST_MEDIA]) != ALWAYS:
        return
    text = style_of(element)
    if text is None:
        text = etree.tostring(element, method="text", encoding="utf-8", with_tail=False)
    sheets.add(text)
