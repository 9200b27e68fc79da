"""The bytes of a page -> the addresses of the style sheets that it links to, found without parsing
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from webquarry._read.css.media import NEVER, judge_media
from webquarry._read.html.head_tags import find_tags

_LONGEST_ADDRESS = 2_000  # characters
_LONGEST_MEDIA = 1_000


def is_sheet_link(attributes: Mapping[str, str]) -> bool:
    """Whether a `link` with some attributes is a style sheet that browsers apply to screens."""
    kinds = attributes.get("rel", "").lower().split()
    if "stylesheet" not in kinds or "alternate" in kinds or "disabled" in attributes:
        return False
    kind = attributes.get("type", "").partition(";")[0].strip().lower()
    if kind not in ("", "text/css"):
        return False
    media = attributes.get("media", "").strip().lower()
    return judge_media(media[:_LONGEST_MEDIA]) != NEVER


def join_address(base: str, address: str) -> str:
    """An address on a page as an absolute one without its fragment; empty where it is none."""
    try:
        joined = urljoin(base, address.strip()[:_LONGEST_ADDRESS])
        return urlsplit(joined)._replace(fragment="").geturl()
    except ValueError:
        return ""


def find_sheet_links(page: bytes, url: str) -> list[str]:
    """The absolute addresses of style sheets on the web, in the order of the page, each once."""
    base = url
    has_base = False
    addresses: dict[str, None] = {}
    for tag, attributes in find_tags(page, "link", "base"):
        if tag == "base":
            if not has_base and attributes.get("href"):
                base = join_address(url, attributes["href"]) or url
                has_base = True
        elif attributes.get("href") and is_sheet_link(attributes):
            address = join_address(base, attributes["href"])
            if address.startswith(("https://", "http://")):
                addresses[address] = None
    return list(addresses)
