"""A host name -> the domain that its owner registered, by the list of public suffixes."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any


@lru_cache(2048)
def registrable_domain(host: str) -> str:
    """What its owner registered: the public suffix and one label; empty for a bare suffix or an
    address.
    """
    is_address = host.replace(".", "").isdigit()
    if not host or is_address:
        return ""
    return str(_public_suffixes().privatesuffix(host) or "")


def is_same_site(host: str, other: str) -> bool:
    """Whether two hosts, in lower case, are of one owner."""
    if host == other:
        return True
    domain = registrable_domain(host)
    return bool(domain) and domain == registrable_domain(other)


@cache
def _public_suffixes() -> Any:
    from publicsuffixlist import PSLFILE, PublicSuffixList

    # It would encode every suffix by itself, of which few have letters beyond ASCII.
    text = Path(PSLFILE).read_text("utf-8")
    suffixes = []
    for line in text.splitlines():
        if not line or line.startswith("//"):
            continue
        suffixes.append(line)
        if not line.isascii():
            suffixes.append(_encode(line.split()[0]))
    return PublicSuffixList(suffixes, accept_encoded_idn=False)


def _encode(suffix: str) -> str:
    """A suffix of the list as hosts have it."""
    labels = suffix.lower().split(".")
    encoded = [label if label.isascii() else label.encode("idna").decode() for label in labels]
    return ".".join(encoded)
