"""A page -> the things in it that concern the whole: style elements, the base of its links, its
title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry.read.css.imports import SheetCollector
from webquarry.read.css.media import ALWAYS, judge_media
from webquarry.read.css.parts import join_sheets
from webquarry.read.html.sheet_links import is_sheet_link, join_address
from webquarry.read.html.tree import text_of

_LONGEST_MEDIA = 1_000  # characters
_TYPESETTER = re.compile("mathjax|katex", re.IGNORECASE)


@dataclass(frozen=True)
class PageInfo:
    """Found in one pass over the page."""

    css: bytes = b""  # of the style sheets that are for screens and known
    foreign_rules: bool = False  # the page also has style sheets that are not known
    base: str | None = None  # the first one counts
    title: str = ""
    typesets_tex: bool = False  # a script sets formulas from TeX
    data: tuple[str, ...] = ()  # the scripts that are structured data about the page


def collect_page_info(
    roots: Sequence[etree._Element], url: str = "", styles: bytes = b""
) -> PageInfo:
    """The roots of a parsed page -> what concerns the whole of it, in one pass. `styles` are sheets
    that it links to, packed, each behind its address.

    The title of a drawing is not that of the page.
    """
    linked = _unpack_styles(styles)
    sheets = SheetCollector()
    data: list[str] = []
    typesets_tex = False
    base = title = None
    for root in roots:
        for element in root.iter("style", "link", "base", "title", "script"):
            tag = element.tag
            if tag == "script":
                source = element.get("src")
                if source is not None:
                    typesets_tex |= _TYPESETTER.search(source) is not None
                elif element.get("type", "").endswith("ld+json"):
                    data.append(element.text or "")
            elif tag == "link":
                _add_link(element, sheets, linked, base=join_address(url, base or ""))
            elif tag == "style":
                _add_style(element, sheets)
            elif tag == "base":
                if base is None:
                    base = element.get("href")
            elif title is None and next(element.iterancestors("svg"), None) is None:
                title = text_of(element)
    return PageInfo(
        css=join_sheets(sheets.sheets),
        foreign_rules=not sheets.is_complete,
        base=base,
        title=" ".join((title or "").split()),
        typesets_tex=typesets_tex,
        data=tuple(data),
    )


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
    if "stylesheet" not in element.get("rel", "").lower():
        return
    attributes = {str(name): str(value) for name, value in element.items()}
    if _is_inert(element) or not is_sheet_link(attributes):
        return
    media = attributes.get("media", "").strip()
    wrapper = b""
    if media:
        wrapper = f"@media {media[:_LONGEST_MEDIA]}{{".replace("\0", "").encode(errors="replace")
    address = attributes.get("href", "")
    css = linked.get(join_address(base, address))
    if css is not None:
        sheets.add(css, wrapper)
    else:
        sheets.add_address(address, wrapper)


def _add_style(element: etree._Element, sheets: SheetCollector) -> None:
    """Add a style element that is for screens."""
    media = element.get("media", "").strip().lower()
    kind = element.get("type", "").partition(";")[0].strip().lower()
    if kind not in ("", "text/css") or judge_media(media[:_LONGEST_MEDIA]) != ALWAYS:
        return
    if _is_inert(element):
        return
    text = etree.tostring(element, method="text", encoding="utf-8", with_tail=False)
    sheets.add(text)


def _is_inert(element: etree._Element) -> bool:
    """Whether a style stands where browsers with scripts do not apply it."""
    for around in element.iterancestors("noscript", "template"):
        if around.tag == "noscript" or around.get("shadowrootmode") is None:
            return True
    return False
