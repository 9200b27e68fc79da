"""A host name -> the domain that its owner registered, by the list of public suffixes."""

from __future__ import annotations

from functools import cache, lru_cache
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
    from publicsuffixlist import PublicSuffixList  # reads its list of suffixes when made

    return PublicSuffixList()
