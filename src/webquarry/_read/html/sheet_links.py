"""Tags of a page that is not parsed: their attributes, and the addresses of its style sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import unescape
from urllib.parse import urljoin, urlsplit

_ATTRIBUTE = re.compile(rb"""([^\s=>"'/]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")
_MAX_ADDRESS = 2_000  # characters
_OTHER_MEDIA = frozenset({"print", "speech", "aural", "braille", "embossed", "tty", "handheld"})


def find_tags(page: bytes, *tags: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the tags of these names that have attributes. Of a repeated attribute the first counts,
    as in browsers.
    """
    for tag, text in _compile(tags).findall(page):
        attributes: dict[str, str] = {}
        for name, double, single, bare in _ATTRIBUTE.findall(text):
            value = unescape((double or single or bare).decode(errors="replace"))
            attributes.setdefault(name.decode(errors="replace").lower(), value)
        yield tag.decode().lower(), attributes


@cache
def _compile(tags: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return a pattern of tags with attributes."""
    names = "|".join(tags).encode()
    return re.compile(rb"<(" + names + rb")(?=[\s/])([^<>]{1,4000}+)>", re.IGNORECASE)


def is_sheet_link(attributes: Mapping[str, str]) -> bool:
    """Whether a `link` is a style sheet that browsers may apply to screens."""
    kinds = attributes.get("rel", "").lower().split()
    if "stylesheet" not in kinds or "alternate" in kinds or "disabled" in attributes:
        return False
    kind = attributes.get("type", "").partition(";")[0]
    if kind.strip().lower() not in ("", "text/css"):
        return False
    media = attributes.get("media", "")
    return media.strip().lower() not in _OTHER_MEDIA


def join_address(base: str, address: str) -> str:
    """Return an absolute address without fragment, or an empty string."""
    try:
        joined = urljoin(base, address.strip()[:_MAX_ADDRESS])
        return urlsplit(joined)._replace(fragment="").geturl()
    except ValueError:
        return ""


def find_sheet_links(page: bytes, url: str) -> Iterator[str]:
    """Yield the absolute addresses of style sheets on the web, each once."""
    base = ""
    found: set[str] = set()
    for tag, attributes in find_tags(page, "link", "base"):
        href = attributes.get("href")
        if not href:
            continue
        if tag == "base":
            base = base or join_address(url, href) or url
        elif is_sheet_link(attributes):
            address = join_address(base or url, href)
            if address.startswith(("https://", "http://")) and address not in found:
                found.add(address)
                yield address
