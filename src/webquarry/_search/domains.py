"""Domain lists: which results are admitted.

An entry is one domain and covers its subdomains, by whole labels: `duckdb.org` covers
`docs.duckdb.org` but neither `notduckdb.org` nor `duckdb.org.evil.com`, and `www.duckdb.org` does
not cover `duckdb.org`. A path narrows it, by whole segments: `duckdb.org/docs` covers
`duckdb.org/docs/sql`, not `duckdb.org/docs-old`. Entries may have other forms:
`https://duckdb.org/`, `*.duckdb.org`, `DuckDB.org.` and `duckdb.org:443` all mean `duckdb.org`. A
page that both lists cover is blocked. An empty list is the same as none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import quote, unquote_to_bytes

import idna

from webquarry._search.addresses import split_host, split_url
from webquarry.errors import BadInput

_LONGEST_NAME = 253  # characters of a domain
_LONGEST_PATH = 500
_LONGEST_QUOTED = 60  # characters of an entry in an error
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_PORT = re.compile(r":\d{0,5}$")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")  # read differently by browsers and by Python
_IN_SEGMENT = "!$&'()*+,;=:@"  # not escaped in a segment of a path


def normalise(entry: str) -> str:
    """Return a bare domain, or one with a path (`duckdb.org/docs`), or raise `BadInput`."""
    trimmed = entry.strip()
    scheme, separator, rest = trimmed.partition("://")
    if not separator:
        rest = trimmed.removeprefix("//")
    elif scheme.lower() not in ("http", "https"):
        rest = ""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    domain = _to_ascii(_PORT.sub("", authority).removeprefix("*.").removeprefix("."))
    quoted = entry
    if len(entry) > _LONGEST_QUOTED:
        quoted = entry[: _LONGEST_QUOTED - 3] + "..."
    if domain is None:
        raise BadInput(
            f"{quoted!r} is not a domain.",
            suggested_action="Give bare domains, such as duckdb.org, one per entry.",
        )
    written, _, query = rest[len(authority) :].partition("#")[0].partition("?")
    written = written.removesuffix("/*")
    path = _normalise_path(written)
    is_readable = not _FORBIDDEN.search(written) and "*" not in written
    if query or not is_readable or len(path) > _LONGEST_PATH:
        raise BadInput(
            f"{quoted!r} cannot be kept to: an entry is a domain, or a domain and the "
            "beginning of a path.",
            suggested_action="Give entries such as duckdb.org or duckdb.org/docs, without blanks, "
            "`*` and what follows a `?`.",
        )
    return domain + path


def split_entry(entry: str) -> tuple[str, str]:
    """Return the host and the path of a normalised entry; the path is empty or starts with a
    slash.
    """
    host, slash, path = entry.partition("/")
    return host, slash + path


def host_of(url: str) -> str | None:
    """Return the host of an absolute http(s) URL in ASCII, or None for other texts."""
    if _FORBIDDEN.search(url):
        return None
    try:
        parts, host, port = split_host(url)
        if parts.scheme not in ("http", "https") or port == 0:
            return None
        return str(IPv6Address(host)) if ":" in host else _to_ascii(host)
    except ValueError:
        return None


@dataclass(frozen=True)
class DomainFilter:
    """The two lists of one search, with normalised entries."""

    allowed: frozenset[str]
    blocked: frozenset[str]

    @classmethod
    def of(cls, allowed: Iterable[str], blocked: Iterable[str]) -> DomainFilter:
        """Return the filter of entries in any form."""
        return cls(frozenset(map(normalise, allowed)), frozenset(map(normalise, blocked)))

    def __bool__(self) -> bool:
        return bool(self.allowed or self.blocked)

    @property
    def admits_nothing(self) -> bool:
        """Whether all allowed entries are blocked as well."""
        entries = map(split_entry, self.allowed)
        return bool(self.allowed) and all(_is_covered(self.blocked, *one) for one in entries)

    def admits(self, url: str) -> bool:
        """Return whether a result with this URL passes."""
        host = host_of(url)
        if host is None:
            return False
        if not self:
            return True
        path = _normalise_path(split_url(url).path)
        if _is_covered(self.blocked, host, path):
            return False
        return not self.allowed or _is_covered(self.allowed, host, path)


def _is_covered(entries: frozenset[str], host: str, path: str) -> bool:
    """Return whether one of the normalised entries covers a page."""
    for entry in entries:
        domain, parent = split_entry(entry)
        is_below = not parent or f"{path}/".startswith(f"{parent}/")
        if is_below and f".{host}".endswith(f".{domain}"):
            return True
    return False


def _normalise_path(path: str) -> str:
    """Return a path in one spelling, without `.` and `..`, needless escapes and a final slash."""
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        written = segment.encode("utf-8", "replace")
        name = quote(unquote_to_bytes(written), safe=_IN_SEGMENT)
        if name == "..":
            del segments[-1:]
        elif name != ".":
            segments.append(name)
    return "".join(f"/{segment}" for segment in segments).rstrip("/")


@lru_cache(512)
def _to_ascii(host: str) -> str | None:
    """Return a host name in lower-case ASCII without a final dot; None for an invalid one."""
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except idna.IDNAError:
            return None
    host = host.lower().removesuffix(".")
    labels = host.split(".")
    if len(host) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        return None
    if labels[-1].isdigit():  # an IPv4 address or nothing
        try:
            IPv4Address(host)
        except AddressValueError:
            return None
    return host
