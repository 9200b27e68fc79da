"""Elements that describe a page as a whole: style elements, the base URL, the title, metadata."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from lxml import etree

from webquarry._native import style_of
from webquarry._read.html.tree import having_attributes, text_of

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
_DESCRIBING = ("base", "link", "meta", "script", "style", "sup", "title")
_WITHOUT_SCRIPTS = ("noscript", "noframes", "noembed")
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
    linked_sheets: Mapping[str, bytes] = MappingProxyType({})  # fetched sheets by URL
    url: str = ""
    base: str | None = None  # of the first `base` element
    title: str = ""
    typesets_tex: bool = False  # a script renders TeX formulas
    data: tuple[str, ...] = ()  # JSON-LD
    metas: tuple[tuple[str, str], ...] = ()  # names and contents in the head
    has_raised: bool = False  # there is a `sup` element


class StatedElements(NamedTuple):
    """Elements with metadata."""

    by_name: Mapping[str, list[etree._Element]]
    items: Sequence[etree._Element]  # of microdata


def find_statements(roots: Sequence[etree._Element]) -> StatedElements:
    """Find the elements with metadata."""
    by_name: dict[str, list[etree._Element]] = {name: [] for name in _STATING}
    items: list[etree._Element] = []
    for root in roots:
        for element in root.iter(*_STATING):
            found = by_name[element.tag]
            if len(found) < _STATING[element.tag]:
                found.append(element)
        items += having_attributes(root, {"itemprop"})
    return StatedElements(by_name, items[:_MOST_ITEMS])


def collect_page_info(
    roots: Sequence[etree._Element], url: str = "", styles: bytes = b""
) -> PageInfo:
    """Collect the information in one pass. `styles` has the fetched style sheets: URL and content
    of each, separated by null bytes.
    """
    page = _PageInfoBuilder()
    for root in roots:
        for element in root.iter(*_DESCRIBING):
            page.add(element, roots[0])
    return PageInfo(
        style_elements=tuple(page.styles),
        linked_sheets=_unpack_styles(styles),
        url=url,
        base=page.base,
        title=" ".join(page.title.split()) if page.title else "",
        typesets_tex=page.typesets_tex,
        data=tuple(page.data),
        metas=tuple(page.metas),
        has_raised=page.has_raised,
    )


class _PageInfoBuilder:
    """The fields of `PageInfo` while a page is read."""

    def __init__(self) -> None:
        self.styles: list[etree._Element] = []
        self.data: list[str] = []
        self.metas: list[tuple[str, str]] = []
        self.typesets_tex = self.has_raised = False
        self.base: str | None = None
        self.title: str | None = None

    def add(self, element: etree._Element, first_root: etree._Element) -> None:
        tag = element.tag
        if tag == "script":
            self._add_script(element)
        elif tag == "meta":
            self._add_meta(element, first_root)
        elif tag == "sup":
            self.has_raised = True
        elif tag == "style":
            self._add_style(element)
        elif tag == "link":
            if "stylesheet" in (element.get("rel") or "").lower():
                self._add_style(element)
        elif tag == "base":
            self.base = element.get("href") if self.base is None else self.base
        elif self.title is None and next(element.iterancestors("svg"), None) is None:
            self.title = text_of(element) if len(element) else element.text or ""

    def _add_script(self, script: etree._Element) -> None:
        source = script.get("src")
        if source is None:
            if (script.get("type") or "").endswith("ld+json"):
                self.data.append(script.text or "")
        elif not self.typesets_tex:
            source = source.lower()
            self.typesets_tex = "mathjax" in source or "katex" in source

    def _add_meta(self, meta: etree._Element, first_root: etree._Element) -> None:
        """Add the name and content of a `meta` element in the head of the page."""
        name = meta.get("property") or meta.get("name")
        head = meta.getparent()
        if name and head is not None and head.tag == "head" and head.getparent() is first_root:
            self.metas.append((name, meta.get("content") or ""))

    def _add_style(self, style: etree._Element) -> None:
        """Add a style or link. Those in `noscript` and in a template are inert, except in
        declarative shadow roots.
        """
        for around in style.iterancestors("template", *_WITHOUT_SCRIPTS):
            if around.tag != "template" or "shadowrootmode" not in around.attrib:
                return
        self.styles.append(style)


def _unpack_styles(styles: bytes) -> dict[str, bytes]:
    """Return the packed sheets by URL."""
    if not styles:
        return {}
    pieces = styles.split(b"\0")
    addresses = [piece.decode(errors="replace") for piece in pieces[::2]]
    return dict(zip(addresses, pieces[1::2], strict=False))
