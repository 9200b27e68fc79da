"""Registrable domains of host names, by the public suffix list."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

_MAX_LABELS = 128  # of a host


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
    """Load the list, optionally with the IDNA encoding of its non-ASCII suffixes."""
    from publicsuffixlist import PublicSuffixList

    class SuffixList(PublicSuffixList):
        """Parses the list seven times as fast, which the first search waits for."""

        def _parse(self, source: Any, accept_encoded_idn: bool, only_icann: bool = False) -> None:
            # Comment lines stay in the set: no host name equals one.
            suffixes = set(source.read().decode().lower().splitlines())
            if accept_encoded_idn:
                suffixes |= {_encode(line) for line in suffixes if not line.isascii()}
            self._publicsuffix = frozenset(suffixes)
            self._maxlabel = _MAX_LABELS

    return SuffixList(accept_encoded_idn=with_encoded)


def _encode(suffix: str) -> str:
    if suffix.startswith("//"):
        return suffix
    labels = suffix.split(".")
    return ".".join(label if label.isascii() else label.encode("idna").decode() for label in labels)
