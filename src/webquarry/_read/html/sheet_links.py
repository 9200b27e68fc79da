"""Tags of a page that is not parsed: their attributes, and the addresses of its style sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import unescape
from urllib.parse import urldefrag, urljoin

_ATTRIBUTE = re.compile(rb"""([^\s=>"'/]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")
_MAX_ADDRESS = 2_000  # characters
_OTHER_MEDIA = frozenset({"print", "speech", "aural", "braille", "embossed", "tty", "handheld"})


def find_tags(page: bytes, *tags: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the tags of these names that have attributes. Of a repeated attribute the first counts,
    as in browsers.
    """
    for tag, text in _compile(tags).findall(page):
        yield tag.decode().lower(), _read_attributes(text)


@cache
def _compile(tags: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return a pattern of tags with attributes."""
    names = "|".join(tags).encode()
    return re.compile(rb"<(" + names + rb")(?=[\s/])([^<>]{1,4000}+)>", re.IGNORECASE)


def _read_attributes(text: bytes) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text):
        value = unescape((double or single or bare).decode(errors="replace"))
        attributes.setdefault(name.decode(errors="replace").lower(), value)
    return attributes


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
        return urldefrag(urljoin(base, address.strip()[:_MAX_ADDRESS])).url
    except ValueError:
        return ""


def find_sheet_links(page: bytes, url: str) -> Iterator[str]:
    """Yield the absolute addresses of style sheets on the web, each once."""
    base = ""
    found: set[str] = set()
    for name, text in _compile(("link", "base")).findall(page):
        tag = name.lower()
        if tag == b"link" and b"&" not in text and b"stylesheet" not in text.lower():
            continue
        attributes = _read_attributes(text)
        href = attributes.get("href")
        if not href:
            continue
        if tag == b"base":
            base = base or join_address(url, href) or url
        elif is_sheet_link(attributes):
            address = join_address(base or url, href)
            if address.startswith(("https://", "http://")) and address not in found:
                found.add(address)
                yield address
