"""A page -> the things in it that concern the whole: style elements, the base of its links, its
title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry.read.css.media import ALWAYS, when_shown
from webquarry.read.html.tree import text_of

_LONGEST_MEDIA = 1_000  # characters
_TYPESETTER = re.compile("mathjax|katex", re.IGNORECASE)


@dataclass(frozen=True)
class PageInfo:
    """Found in one pass over the page."""

    css: bytes = b""  # of the style elements that are for screens
    foreign_rules: bool = False  # the page also links to style sheets, which are not fetched
    base: str | None = None  # the first one counts
    title: str = ""
    typesets_tex: bool = False  # a script sets formulas from TeX
    data: tuple[str, ...] = ()  # the scripts that are structured data about the page


def collect_page_info(roots: Sequence[etree._Element]) -> PageInfo:
    """What there is of it."""
    css: list[bytes] = []
    data: list[str] = []
    foreign = typesets = False
    base = title = None
    for root in roots:
        for element in root.iter("style", "link", "base", "title", "script"):
            tag = element.tag
            if tag == "script":
                source = element.get("src")
                if source is None:
                    if (element.get("type") or "").endswith("ld+json"):
                        data.append(element.text or "")
                else:
                    typesets = typesets or _TYPESETTER.search(source) is not None
            elif tag == "link":
                foreign = foreign or "stylesheet" in (element.get("rel") or "").lower()
            elif tag == "style":
                if (
                    when_shown((element.get("media") or "").strip().lower()[:_LONGEST_MEDIA])
                    == ALWAYS
                ):
                    css.append(
                        etree.tostring(element, method="text", encoding="utf-8", with_tail=False)
                    )
            elif tag == "base":
                base = element.get("href") if base is None else base
            elif title is None and not any(
                around.tag == "svg" for around in element.iterancestors()
            ):
                title = text_of(element)
    rules = b"\n".join(css)
    title = " ".join((title or "").split())
    return PageInfo(rules, foreign or b"@import" in rules, base, title, typesets, tuple(data))
