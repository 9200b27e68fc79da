"""Structured data of a page -> what it says about who may read it (`isAccessibleForFree` of
schema.org), and whether the part that is not free is on the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lxml import etree

from webquarry._read.html.tree import beginning_of

_FIELD = "isAccessibleForFree"
_LONGEST_DATA = 500_000  # characters of one script
_MOST_NODES = 5_000
_MOST_SELECTORS = 6
_MOST_ELEMENTS = 20  # that one selector is looked up in
_ENOUGH = 400  # characters; an element that holds as much is the text and no box in its place
# What is read. A museum that is not free to enter says the same of itself.
_READABLE = re.compile(r"Article|Posting|Report|WebPage|CreativeWork|Review|Blog|Chapter|Book$")
_SIMPLE_SELECTOR = re.compile(r"([.#])([\w-]{1,100})\s*$")


@dataclass(frozen=True)
class PaidAccess:
    """What a page says about its own text."""

    selectors: tuple[str, ...] = ()  # where the part that is not free stands
    word_count: int = 0  # of the whole text; 0 where nobody says


def find_paid_access(data: Sequence[str]) -> PaidAccess | None:
    """What the structured data of a page says, if it says that its text is not free."""
    selectors: list[str] = []
    word_count = 0
    is_paid = False
    for script in data:
        if _FIELD not in script or len(script) > _LONGEST_DATA:
            continue
        try:
            parsed = json.loads(script, strict=False)
        except (ValueError, RecursionError):
            continue
        for node in islice(_walk_nodes(parsed), _MOST_NODES):
            if not _is_readable(node) or not _says_no(node.get(_FIELD)):
                continue
            is_paid = True
            selectors += _as_texts(node.get("cssSelector"))
            count = node.get("wordCount")
            if isinstance(count, int | str) and str(count).isdecimal():
                word_count = max(word_count, int(str(count)[:9]))
    if not is_paid:
        return None
    return PaidAccess(tuple(selectors[:_MOST_SELECTORS]), word_count)


def holds_paid_part(roots: Sequence[etree._Element], paid: PaidAccess) -> bool | None:
    """Whether the part that is not free is on the page; None where it cannot be looked up."""
    answers = []
    for selector in paid.selectors:
        for part in selector.split(",")[:_MOST_SELECTORS]:
            found = _SIMPLE_SELECTOR.search(part)
            if found:
                answers.append(_holds_text(roots, found[1], found[2]))
    if not answers:
        return None
    return any(answers)


def _holds_text(roots: Sequence[etree._Element], kind: str, name: str) -> bool:
    """Whether elements of a class or with an id hold as much text as only the text itself would."""
    path = f"descendant-or-self::*[@id='{name}']"
    if kind == ".":
        spaced = "concat(' ', normalize-space(@class), ' ')"
        path = f"descendant-or-self::*[contains({spaced}, ' {name} ')]"
    size = 0
    for root in roots:
        found: Any = root.xpath(path)
        for element in found[:_MOST_ELEMENTS]:
            text = beginning_of(element, 3 * _ENOUGH)
            size += len(" ".join(text.split()))
            if size >= _ENOUGH:
                return True
    return False


def _walk_nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in parsed JSON."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def _is_readable(node: dict[str, Any]) -> bool:
    kinds = _as_texts(node.get("@type"))
    return any(_READABLE.search(kind) for kind in kinds)


def _says_no(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.strip().lower() in {"false", "no"})


def _as_texts(value: Any) -> list[str]:
    """A text, or the texts of a list."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str)]
    return []
