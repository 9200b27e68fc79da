"""A page -> the things in it that concern the whole: style elements, the base of its links, its
title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry.read.css.media import ALWAYS, judge_media
from webquarry.read.html.tree import text_of

_LONGEST_MEDIA = 1_000  # characters
_WITHOUT_SCRIPTS = ("noscript", "noframes", "noembed")
_TYPESETTER = re.compile("mathjax|katex", re.IGNORECASE)


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


def collect_page_info(roots: Sequence[etree._Element]) -> PageInfo:
    """The roots of a parsed page -> what concerns the whole of it, in one pass.

    The title of a drawing is not that of the page.
    """
    sheets: list[bytes] = []
    fallbacks: list[bytes] = []
    data: list[str] = []
    links_to_sheet = typesets_tex = False
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
                links_to_sheet |= "stylesheet" in element.get("rel", "").lower()
            elif tag == "style":
                media = element.get("media", "").strip().lower()
                if judge_media(media[:_LONGEST_MEDIA]) == ALWAYS:
                    sheet = etree.tostring(
                        element, method="text", encoding="utf-8", with_tail=False
                    )
                    if next(element.iterancestors(*_WITHOUT_SCRIPTS), None) is not None:
                        fallbacks.append(sheet)
                    elif next(element.iterancestors("template"), None) is None:
                        sheets.append(sheet)
            elif tag == "base":
                if base is None:
                    base = element.get("href")
            elif title is None and next(element.iterancestors("svg"), None) is None:
                title = text_of(element)
    css = b"\n".join(sheets)
    return PageInfo(
        css=css,
        css_without_scripts=b"\n".join(fallbacks),
        foreign_rules=links_to_sheet or b"@import" in css,
        base=base,
        title=" ".join((title or "").split()),
        typesets_tex=typesets_tex,
        data=tuple(data),
    )
