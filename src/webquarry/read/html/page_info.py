"""A page -> the things in it that concern the whole: style elements, the base of its links, its
title.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from webquarry.read.css.media import ALWAYS, judge_media
from webquarry.read.html.tree import text_of

try:
    from webquarry.read.html._page_info import find_elements
except (ImportError, ValueError):  # not built, or for another lxml: the same in Python
    from webquarry.read.html.page_elements import find_elements

_LONGEST_MEDIA = 1_000  # characters
_WITHOUT_SCRIPTS = ("noscript", "noframes", "noembed")


@dataclass(frozen=True)
class PageInfo:
    """Found in one pass over the page."""

    css: bytes = b""  # of the style elements that are for screens
    css_without_scripts: bytes = b""  # of those that count only where no scripts run
    foreign_rules: bool = False  # the page also links to style sheets, which are not fetched
    base: str | None = None  # the first one counts
    title: str = ""
    typesets_tex: bool = False  # a script sets formulas from TeX
    data: tuple[str, ...] = ()  # the scripts that are structured data about the page
    metas: tuple[tuple[str, str], ...] = ()  # the name and the content of those in its head
    has_raised: bool = False  # some text stands above its line, as the marks of notes do


class FoundElements(NamedTuple):
    """What of a page concerns the whole of it, as it stands there."""

    styles: list[etree._Element]
    data: list[str]
    metas: list[tuple[str, str]]
    links_to_sheet: bool
    typesets_tex: bool
    has_raised: bool
    base: str | None
    title: etree._Element | None  # that of a drawing is not that of the page


def collect_page_info(roots: Sequence[etree._Element]) -> PageInfo:
    """The roots of a parsed page -> what concerns the whole of it, in one pass."""
    found = FoundElements(*find_elements(roots))
    sheets: list[bytes] = []
    fallbacks: list[bytes] = []
    for style in found.styles:
        media = style.get("media", "").strip().lower()
        if judge_media(media[:_LONGEST_MEDIA]) != ALWAYS:
            continue
        sheet = etree.tostring(style, method="text", encoding="utf-8", with_tail=False)
        if next(style.iterancestors(*_WITHOUT_SCRIPTS), None) is not None:
            fallbacks.append(sheet)
        elif next(style.iterancestors("template"), None) is None:
            sheets.append(sheet)
    css = b"\n".join(sheets)
    title = ""
    if found.title is not None:
        title = text_of(found.title)
    return PageInfo(
        css=css,
        css_without_scripts=b"\n".join(fallbacks),
        foreign_rules=found.links_to_sheet or b"@import" in css,
        base=found.base,
        title=" ".join(title.split()),
        typesets_tex=found.typesets_tex,
        data=tuple(found.data),
        metas=tuple(found.metas),
        has_raised=found.has_raised,
    )
