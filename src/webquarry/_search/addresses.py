"""Addresses that the web writes -> their parts, and addresses joined to others.

The standard library brings a host beyond ASCII into one form, which takes the square of the marks
in it. No name is that long, so that such an address is none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

_LONGEST_AUTHORITY = 1_000  # characters: a name has 253 at most, a login may stand before it
_AUTHORITY = re.compile(r"[^/?#]*+//([^/?#]*+)")
# As nearly all are; the standard library takes them apart in the same way, and slowly.
_USUAL = re.compile(
    r"(https?)://(([a-z0-9.-]+)(?::([0-9]{1,5}))?)"
    r"(/[!\"$->@-~]*)?+(?:\?([!\"$-~]*))?+(?:#([!-~]*))?+"
)
_LAST_PORT = 65_535
_LEFT_OUT = str.maketrans("", "", "\t\r\n")  # as browsers and the standard library do


def split_url(url: str) -> SplitResult:
    """The parts of an address; ValueError for one that cannot be an address."""
    _check_authority(url)
    return urlsplit(url)


@lru_cache(512)  # the same results are looked at several times
def split_host(url: str) -> tuple[SplitResult, str, int | None]:
    """The parts of an address with its host in lower case, or nothing for none, and its port;
    ValueError for one that cannot be an address.
    """
    usual = _USUAL.fullmatch(url)
    if usual is None:
        parts = split_url(url)
        return parts, parts.hostname or "", parts.port
    scheme, netloc, host, digits, path, query, fragment = usual.groups("")
    parts = SplitResult(scheme, netloc, path, query, fragment)
    if not digits:
        return parts, host, None
    port = int(digits)
    if port > _LAST_PORT:
        raise ValueError("the port of the address is too large")
    return parts, host, port


def join_url(base: str, url: str) -> str:
    """A relative address as a whole one; ValueError for one that cannot be an address."""
    _check_authority(url)
    return urljoin(base, url)


def _check_authority(url: str) -> None:
    """Raise where the host of an address is too long to be one."""
    if url.isascii():
        return
    found = _AUTHORITY.match(url.translate(_LEFT_OUT))
    if found and len(found[1]) > _LONGEST_AUTHORITY:
        raise ValueError("the host of the address is too long")


DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,9}/[^\s\"<>{}|\\^`\x00-\x20]{1,200}")
_PREFIXED = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*|info:doi/", re.IGNORECASE)
_LONGEST = 400  # characters of a text that are looked at


def normal_doi(text: object) -> str | None:
    """The bare DOI in lower case of a text that is one; None for any other."""
    if not isinstance(text, str):
        return None
    decoded = unquote(text.strip()[:_LONGEST])
    bare = _PREFIXED.sub("", decoded, count=1).strip()
    if DOI.fullmatch(bare):
        return trim_doi(bare).lower()
    return None


def trim_doi(doi: str) -> str:
    """The DOI without what belongs to the sentence around it: a full stop, a bracket that was
    opened before it.
    """
    doi = doi.split("](")[0].rstrip(".,;:!?*'’”]")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;:")
    return doi


def doi_url(doi: str) -> str:
    """Where a bare DOI leads."""
    return f"https://doi.org/{quote(doi, safe='/:;().-_')}"
