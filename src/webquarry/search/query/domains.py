"""Domain lists: which results may stay.

An entry is one domain and covers its subdomains, by whole labels: `duckdb.org` covers
`docs.duckdb.org` but neither `notduckdb.org` nor `duckdb.org.evil.com`. Entries are read kindly:
`https://duckdb.org/docs`, `www.duckdb.org`, `*.duckdb.org`, `DuckDB.org.` and `duckdb.org:443` all
mean `duckdb.org`. The lists are lists of domains, so a path says nothing. Where both lists name a
host, the blocked one wins. An empty list is the same as none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address

import idna

from webquarry.errors import BadInput
from webquarry.search.replies.addresses import split_url

_LONGEST_NAME = 253  # characters of a domain
_LONGEST_QUOTED = 60  # characters of an entry in an error
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_PORT = re.compile(r":\d{0,5}$")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")  # browsers read these otherwise than Python does


def normalise(entry: str) -> str:
    """The bare domain that an entry of a list means; what cannot be one is BadInput."""
    trimmed = entry.strip()
    scheme, separator, rest = trimmed.partition("://")
    if not separator:
        rest = trimmed.removeprefix("//")
    elif scheme.lower() not in ("http", "https"):
        rest = ""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    host = _PORT.sub("", authority)
    host = host.removeprefix("*.").removeprefix(".")
    domain = _to_ascii(host)
    if domain is None:
        short = entry
        if len(entry) > _LONGEST_QUOTED:
            short = entry[: _LONGEST_QUOTED - 3] + "..."
        raise BadInput(
            f"{short!r} is not a domain.",
            suggested_action="Give bare domains, such as duckdb.org, one per entry.",
        )
    bare = domain.removeprefix("www.")
    if "." in bare:
        return bare
    return domain


def host_of(url: str) -> str | None:
    """The host of an absolute http(s) URL in its ASCII form, or None when this is no such URL."""
    if _FORBIDDEN.search(url):
        return None
    try:
        parts = split_url(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or port == 0:
        return None
    host = parts.hostname or ""
    if ":" not in host:
        return _to_ascii(host)
    try:
        return str(IPv6Address(host))
    except AddressValueError:
        return None


@dataclass(frozen=True)
class DomainFilter:
    """The two lists of one search, as bare domains."""

    allowed: frozenset[str]
    blocked: frozenset[str]

    @classmethod
    def of(cls, allowed: Iterable[str], blocked: Iterable[str]) -> DomainFilter:
        """From the entries as the caller gave them."""
        return cls(
            allowed=frozenset(map(normalise, allowed)),
            blocked=frozenset(map(normalise, blocked)),
        )

    def __bool__(self) -> bool:
        return bool(self.allowed or self.blocked)

    @property
    def admits_nothing(self) -> bool:
        """Everything that is allowed is blocked as well."""
        if not self.allowed:
            return False
        return all(not self.blocked.isdisjoint(_suffixes(host)) for host in self.allowed)

    def admits(self, url: str) -> bool:
        """May a result with this URL stay?"""
        host = host_of(url)
        if host is None:
            return False
        suffixes = set(_suffixes(host))
        if not self.blocked.isdisjoint(suffixes):
            return False
        return not self.allowed or not self.allowed.isdisjoint(suffixes)


def _to_ascii(host: str) -> str | None:
    """A host name in lower-case ASCII without a trailing dot; None when it cannot be one."""
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError:
            return None
    host = host.lower().removesuffix(".")
    labels = host.split(".")
    if len(host) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if labels[-1].isdigit():  # then it is an IPv4 address, or nothing
        try:
            IPv4Address(host)
        except AddressValueError:
            return None
    return host


def _suffixes(host: str) -> Iterator[str]:
    """The host itself and every domain above it."""
    yield host
    while "." in host and ":" not in host:
        host = host.partition(".")[2]
        yield host
