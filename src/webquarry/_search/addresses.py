"""URLs split and joined, and DOIs.

The standard library normalizes a host beyond ASCII in quadratic time, so hosts that are too long
are rejected first.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

_LONGEST_AUTHORITY = 1_000  # characters: a name has at most 253, credentials may precede it
_AUTHORITY = re.compile(r"[^/?#]*+//([^/?#]*+)")
_LEFT_OUT = str.maketrans("", "", "\t\r\n")  # as browsers and the standard library do
DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,9}/[^\s\"<>{}|\\^`\x00-\x20]{1,200}")
_PREFIXED = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*|info:doi/", re.IGNORECASE)
_LONGEST = 400  # characters of a text that can be a DOI


def split_url(url: str) -> SplitResult:
    """Return the parts of a URL, or raise ValueError."""
    _check_authority(url)
    return urlsplit(url)


def split_host(url: str) -> tuple[SplitResult, str, int | None]:
    """Return the parts of a URL, its host in lower case (or "") and its port, or raise
    ValueError.
    """
    parts = split_url(url)
    return parts, parts.hostname or "", parts.port


def join_url(base: str, url: str) -> str:
    """Return a relative URL as an absolute one, or raise ValueError."""
    _check_authority(url)
    return urljoin(base, url)


def _check_authority(url: str) -> None:
    if url.isascii():
        return
    found = _AUTHORITY.match(url.translate(_LEFT_OUT))
    if found and len(found[1]) > _LONGEST_AUTHORITY:
        raise ValueError("the host of the address is too long")


def normal_doi(text: object) -> str | None:
    """Return a bare DOI in lower case if the text is a DOI in any form, otherwise None."""
    if not isinstance(text, str):
        return None
    decoded = unquote(text.strip()[:_LONGEST])
    bare = _PREFIXED.sub("", decoded, count=1).strip()
    if DOI.fullmatch(bare):
        return trim_doi(bare).lower()
    return None


def trim_doi(doi: str) -> str:
    """Return the DOI without punctuation of the surrounding sentence."""
    doi = doi.split("](")[0].rstrip(".,;:!?*'’”]")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;:")
    return doi


def doi_url(doi: str) -> str:
    """Return the URL of a bare DOI."""
    return f"https://doi.org/{quote(doi, safe='/:;().-_')}"
