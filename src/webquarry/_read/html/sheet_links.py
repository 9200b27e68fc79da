"""Addresses of the style sheets that a page links to, found without parsing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urljoin, urlsplit

from webquarry._read.html.head_tags import find_tags

_LONGEST_ADDRESS = 2_000  # characters
_OTHER_MEDIA = frozenset({"print", "speech", "aural", "braille", "embossed", "tty", "handheld"})


def is_sheet_link(attributes: Mapping[str, str]) -> bool:
    """Whether a `link` is a style sheet that browsers may apply to screens."""
    kinds = attributes.get("rel", "").lower().split()
    if "stylesheet" not in kinds or "alternate" in kinds or "disabled" in attributes:
        return False
    kind = attributes.get("type", "").partition(";")[0].strip().lower()
    if kind not in ("", "text/css"):
        return False
    return attributes.get("media", "").strip().lower() not in _OTHER_MEDIA


def join_address(base: str, address: str) -> str:
    """Return an absolute address without fragment, or an empty string."""
    try:
        joined = urljoin(base, address.strip()[:_LONGEST_ADDRESS])
        return urlsplit(joined)._replace(fragment="").geturl()
    except ValueError:
        return ""


def find_sheet_links(page: bytes, url: str) -> Iterator[str]:
    """Iterate over the absolute addresses of style sheets on the web in the order of the page."""
    base = url
    has_base = False
    found: set[str] = set()
    for tag, attributes in find_tags(page, "link", "base"):
        if tag == "base":
            if not has_base and attributes.get("href"):
                base = join_address(url, attributes["href"]) or url
                has_base = True
        elif attributes.get("href") and is_sheet_link(attributes):
            address = join_address(base, attributes["href"])
            if address.startswith(("https://", "http://")) and address not in found:
                found.add(address)
                yield address
