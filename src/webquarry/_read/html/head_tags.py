"""The bytes of a page -> some of its tags with their attributes, found without parsing it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape

_ATTRIBUTE = re.compile(rb"""([^\s=>"'/]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")


def find_tags(page: bytes, *tags: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The tags of these names that have attributes, in the order of the page. Of an attribute that
    stands there twice the first counts, as in browsers.
    """
    for tag, text in _build_pattern(tags).findall(page):
        attributes: dict[str, str] = {}
        for name, double, single, bare in _ATTRIBUTE.findall(text):
            value = unescape((double or single or bare).decode(errors="replace"))
            attributes.setdefault(name.decode(errors="replace").lower(), value)
        yield tag.decode().lower(), attributes


@cache
def _build_pattern(tags: tuple[str, ...]) -> re.Pattern[bytes]:
    names = "|".join(tags).encode()
    return re.compile(rb"<(" + names + rb")(?=[\s/])([^<>]{1,4000}+)>", re.IGNORECASE)
