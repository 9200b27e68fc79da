"""A host name -> the domain that its owner registered, by the list of public suffixes."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

_MOST_LABELS = 128  # of a host


@lru_cache(2048)
def registrable_domain(host: str) -> str:
    """What its owner registered: the public suffix and one label; empty for a bare suffix or an
    address.
    """
    is_address = host.replace(".", "").isdigit()
    if not host or is_address:
        return ""
    is_encoded = "xn--" in host
    return str(_public_suffixes(is_encoded).privatesuffix(host) or "")


def is_same_site(host: str, other: str) -> bool:
    """Whether two hosts, in lower case, are of one owner."""
    if host == other:
        return True
    domain = registrable_domain(host)
    return bool(domain) and domain == registrable_domain(other)


@cache
def _public_suffixes(with_encoded: bool) -> Any:
    """The list; suffixes with letters beyond ASCII also as hosts have them, where that is asked
    for.
    """
    from publicsuffixlist import PublicSuffixList

    class SuffixSet(PublicSuffixList):
        """Reads the list in a seventh of the time, which a first search would wait for: it would
        look at every line by itself, and encode every suffix.
        """

        def _parse(self, source: Any, accept_encoded_idn: bool, only_icann: bool = False) -> None:
            text = source.read().decode()
            self._publicsuffix = _read_suffixes(text, accept_encoded_idn)
            self._maxlabel = _MOST_LABELS

    return SuffixSet(accept_encoded_idn=with_encoded)


def _read_suffixes(text: str, with_encoded: bool) -> frozenset[str]:
    """The lines of a list of public suffixes. Comments are among them: no name is spelt like
    one.
    """
    lines = text.lower().splitlines()
    suffixes = set(lines)
    if with_encoded:
        for line in lines:
            if not line.isascii() and not line.startswith("//"):
                suffixes.add(_encode(line))
    return frozenset(suffixes)


def _encode(suffix: str) -> str:
    """A suffix of the list as hosts have it."""
    labels = suffix.split(".")
    encoded = [label if label.isascii() else label.encode("idna").decode() for label in labels]
    return ".".join(encoded)
