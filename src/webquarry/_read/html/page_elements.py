"""The roots of a page -> the elements in it that concern the whole. `_page_info.pyx` is the same,
compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

_TYPESETTER = re.compile("mathjax|katex", re.IGNORECASE)
_TAGS = ("style", "link", "base", "title", "script", "meta", "sup")
_SHEET_TAGS = ("style", "link")
_WITHOUT_SCRIPTS = ("noscript", "noframes", "noembed")


def style_of(element: etree._Element) -> bytes | None:
    """What stands in a style element, in UTF-8; None where it is not one text."""
    if len(element):
        return None
    return (element.text or "").encode()


def find_elements(
    roots: Sequence[etree._Element],
) -> tuple[
    list[etree._Element],
    list[str],
    list[tuple[str, str]],
    list[etree._Element],
    bool,
    bool,
    str | None,
    etree._Element | None,
]:
    """What stands in the places of `FoundElements`."""
    styles: list[etree._Element] = []
    data: list[str] = []
    metas: list[tuple[str, str]] = []
    fallbacks: list[etree._Element] = []
    typesets_tex = has_raised = False
    base = title = None
    for element in (element for root in roots for element in root.iter(*_TAGS)):
        tag = element.tag
        if tag == "script":
            source = element.get("src")
            if source is not None:
                typesets_tex |= _TYPESETTER.search(source) is not None
            elif element.get("type", "").endswith("ld+json"):
                data.append(element.text or "")
        elif tag in _SHEET_TAGS:
            _add_style(element, styles, fallbacks)
        elif tag == "sup":
            has_raised = True
        elif tag == "meta":
            name = element.get("property") or element.get("name")
            if name and _is_in_head(element, roots[0]):
                metas.append((name, element.get("content") or ""))
        elif tag == "base":
            if base is None:
                base = element.get("href")
        elif title is None and next(element.iterancestors("svg"), None) is None:
            title = element
    return styles, data, metas, fallbacks, typesets_tex, has_raised, base, title


def _add_style(
    element: etree._Element, styles: list[etree._Element], fallbacks: list[etree._Element]
) -> None:
    """Add a style, or a link that leads to one, to those that count, or to those that count only
    where no scripts run. One in a template is inert, but for those of shadow trees.
    """
    if element.tag == "link" and "stylesheet" not in element.get("rel", "").lower():
        return
    if next(element.iterancestors(*_WITHOUT_SCRIPTS), None) is not None:
        fallbacks.append(element)
        return
    templates = element.iterancestors("template")
    if all(template.get("shadowrootmode") is not None for template in templates):
        styles.append(element)


def _is_in_head(element: etree._Element, root: etree._Element) -> bool:
    """Whether an element stands right in a head of the page."""
    head = element.getparent()
    return head is not None and head.tag == "head" and head.getparent() is root


def find_stated(
    roots: Iterable[etree._Element], most: Mapping[str, int], attribute: str, most_with: int
) -> tuple[dict[str, list[etree._Element]], list[etree._Element]]:
    """The elements by their names, of each no more than are wanted of it, and the first ones that
    have an attribute.
    """
    found: dict[str, list[etree._Element]] = {name: [] for name in most}
    with_attribute: list[etree._Element] = []
    for root in roots:
        for element in root.iter("*"):
            name = str(element.tag)
            if name in found and len(found[name]) < most[name]:
                found[name].append(element)
            if len(with_attribute) < most_with and element.get(attribute) is not None:
                with_attribute.append(element)
    return found, with_attribute
