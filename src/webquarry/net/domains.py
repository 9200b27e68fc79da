"""Registrable domains of host names, by the public suffix list."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any


@lru_cache(2048)
def registrable_domain(host: str) -> str:
    """Return the public suffix and one label; empty for a bare suffix or an address."""
    is_address = host.replace(".", "").isdigit()
    if not host or is_address:
        return ""
    return str(_load_suffixes("xn--" in host).privatesuffix(host) or "")


def is_same_site(host: str, other: str) -> bool:
    """Whether two hosts, in lower case, have the same registrable domain."""
    if host == other:
        return True
    domain = registrable_domain(host)
    return bool(domain) and domain == registrable_domain(other)


@cache
def _load_suffixes(with_encoded: bool) -> Any:
    """Load the list; encoding its international suffixes triples the time."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_encoded_idn=with_encoded)
