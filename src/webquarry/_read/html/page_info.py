"""Elements that describe a page as a whole: style elements, the base URL, the title, metadata."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from webquarry._native import find_value, style_of
from webquarry._read.html.tree import find_elements, text_of

__all__ = [
    "PageInfo",
    "StatedElements",
    "collect_page_info",
    "find_statements",
    "style_of",
]

_MAX_SCRIPTS = 8000
_MAX_OF_A_KIND = 500  # headings, articles, dates
_MAX_ITEMS = 500
_TAGS = frozenset(
    """
    base link meta script style sup title h1 article time template text foreignobject textpath
    """.split()  # noqa: SIM905
)
_ATTRIBUTES = frozenset({"alt", "aria-label", "itemprop", "rel"})
_WITHOUT_SCRIPTS = ("noscript", "noframes", "noembed")
# Tags of metadata, and the maximum number of elements of each.
_STATING = {
    "meta": sys.maxsize,
    "script": _MAX_SCRIPTS,
    "link": _MAX_OF_A_KIND,
    "h1": _MAX_OF_A_KIND,
    "article": _MAX_OF_A_KIND,
    "time": _MAX_OF_A_KIND,
}

Element = etree._Element


@dataclass
class PageInfo:
    """Found in one pass over the page."""

    style_elements: list[Element] = field(default_factory=list)  # `style`, and `link` to sheets
    fallback_styles: list[Element] = field(default_factory=list)  # if scripts do not run
    linked_sheets: Mapping[str, bytes] = field(default_factory=dict)  # fetched sheets by URL
    url: str = ""
    base: str | None = None  # of the first `base` element
    title: str = ""
    typesets_tex: bool = False  # a script renders TeX formulas
    data: list[str] = field(default_factory=list)  # JSON-LD
    metas: list[tuple[str, str]] = field(default_factory=list)  # names and contents in the head
    has_raised: bool = False  # there is a `sup` element
    scripts: list[Element] = field(default_factory=list)


class StatedElements(NamedTuple):
    """Elements with metadata."""

    by_name: Mapping[str, list[Element]]
    items: Sequence[Element]  # of microdata


def find_describing(roots: Sequence[Element]) -> list[Element]:
    """List the elements that describe a page, and those that change how it is read."""
    return [one for root in roots for one in find_elements(root, _TAGS, _ATTRIBUTES)]


def find_statements(describing: Sequence[Element]) -> StatedElements:
    """Find the elements with metadata among those that describe a page."""
    by_name: dict[str, list[Element]] = {name: [] for name in _STATING}
    items: list[Element] = []
    for element in describing:
        found = by_name.get(element.tag)
        if found is not None and len(found) < _STATING[element.tag]:
            found.append(element)
        if find_value(element, "itemprop") is not None:
            items.append(element)
    return StatedElements(by_name, items[:_MAX_ITEMS])


def collect_page_info(
    describing: Sequence[Element], root: Element | None, url: str = "", styles: bytes = b""
) -> PageInfo:
    """Collect the information from the elements that describe a page. `styles` has the fetched
    style sheets: URL and content of each, separated by null bytes.
    """
    info = PageInfo(url=url, linked_sheets=_unpack_styles(styles) if styles else {})
    title: str | None = None
    for element in describing:
        tag = element.tag
        if tag == "script":
            _add_script(info, element)
        elif tag == "meta":
            _add_meta(info, element, root)
        elif tag == "sup":
            info.has_raised = True
        elif tag == "style" or (tag == "link" and "stylesheet" in element.get("rel", "").lower()):
            _add_style(info, element)
        elif tag == "base" and info.base is None:
            info.base = element.get("href")
        elif tag == "title" and title is None and next(element.iterancestors("svg"), None) is None:
            title = text_of(element)
    info.title = " ".join((title or "").split())
    return info


def _add_script(info: PageInfo, script: Element) -> None:
    """Add a script, its JSON-LD, or that it renders TeX formulas."""
    info.scripts.append(script)
    source = script.get("src")
    if source is None:
        kind = script.get("type", "")
        if kind.endswith("ld+json"):
            info.data.append(script.text or "")
        return
    source = source.lower()
    if "mathjax" in source or "katex" in source:
        info.typesets_tex = True


def _add_meta(info: PageInfo, meta: Element, first_root: Element | None) -> None:
    """Add the name and content of a `meta` element in the head of the page."""
    name = meta.get("property") or meta.get("name")
    head = meta.getparent()
    if not name or head is None or head.tag != "head":
        return
    if head.getparent() is first_root:
        content = meta.get("content", "")
        info.metas.append((name, content))


def _add_style(info: PageInfo, style: Element) -> None:
    """Add a style or link. Those in a template are inert, except in declarative shadow roots."""
    is_inert = False
    for around in style.iterancestors("template", *_WITHOUT_SCRIPTS):
        if around.tag != "template":
            info.fallback_styles.append(style)
            return
        is_inert = is_inert or "shadowrootmode" not in around.attrib
    if not is_inert:
        info.style_elements.append(style)


def _unpack_styles(styles: bytes) -> dict[str, bytes]:
    """Return the packed sheets by URL."""
    pieces = styles.split(b"\0")
    addresses = [piece.decode(errors="replace") for piece in pieces[::2]]
    return dict(zip(addresses, pieces[1::2], strict=False))
