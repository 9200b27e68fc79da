"""Domain lists: which results may stay.

An entry is one domain and covers its subdomains, by whole labels: `duckdb.org` covers
`docs.duckdb.org` but neither `notduckdb.org` nor `duckdb.org.evil.com`, and `www.duckdb.org` does
not cover `duckdb.org`. A path narrows it, by whole segments: `duckdb.org/docs` covers
`duckdb.org/docs/sql`, not `duckdb.org/docs-old`. Entries are read kindly: `https://duckdb.org/`,
`*.duckdb.org`, `DuckDB.org.` and `duckdb.org:443` all mean `duckdb.org`. Where both lists cover a
page, the blocked one wins. An empty list is the same as none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
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
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")  # browsers read these otherwise than Python does
_IN_SEGMENT = "!$&'()*+,;=:@"  # may stand in a segment of a path as they are


def normalise(entry: str) -> str:
    """What an entry of a list means: a bare domain, or one with a path (`duckdb.org/docs`); what
    cannot be kept to is BadInput.
    """
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
        raise BadInput(
            f"{_shorten(entry)!r} is not a domain.",
            suggested_action="Give bare domains, such as duckdb.org, one per entry.",
        )
    return domain + _parse_path(entry, rest[len(authority) :])


def split_entry(entry: str) -> tuple[str, str]:
    """The host and the path of an entry as `normalise` gives it; the path is empty, or begins with
    a slash.
    """
    host, slash, path = entry.partition("/")
    return host, slash + path


@lru_cache(256)  # the same results are looked at several times
def host_of(url: str) -> str | None:
    """The host of an absolute http(s) URL in its ASCII form, or None when this is no such URL."""
    if _FORBIDDEN.search(url):
        return None
    try:
        parts, host, port = split_host(url)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or port == 0:
        return None
    if ":" not in host:
        return _to_ascii(host)
    try:
        return str(IPv6Address(host))
    except AddressValueError:
        return None


@dataclass(frozen=True)
class DomainFilter:
    """The two lists of one search, their entries as `normalise` gives them."""

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
        return all(_is_covered(self._blocked_paths, *split_entry(one)) for one in self.allowed)

    def admits(self, url: str) -> bool:
        """May a result with this URL stay?"""
        host = host_of(url)
        if host is None:
            return False
        if not self:
            return True
        path = _normalise_path(split_url(url).path)
        if _is_covered(self._blocked_paths, host, path):
            return False
        return not self.allowed or _is_covered(self._allowed_paths, host, path)

    @cached_property
    def _allowed_paths(self) -> dict[str, list[str]]:
        return _group_paths(self.allowed)

    @cached_property
    def _blocked_paths(self) -> dict[str, list[str]]:
        return _group_paths(self.blocked)


def _group_paths(entries: Iterable[str]) -> dict[str, list[str]]:
    """The paths of the entries by their hosts; the empty path is the whole host."""
    paths: dict[str, list[str]] = {}
    for entry in entries:
        host, path = split_entry(entry)
        paths.setdefault(host, []).append(path)
    return paths


def _is_covered(paths: Mapping[str, list[str]], host: str, path: str) -> bool:
    """Whether one of the entries, as `_group_paths` gives them, covers this page."""
    for domain in _suffixes(host):
        for prefix in paths.get(domain, ()):
            if path == prefix or path.startswith(f"{prefix}/") or not prefix:
                return True
    return False


def _parse_path(entry: str, rest: str) -> str:
    """The path in what follows the host of an entry, empty if there is none. A mark in a page
    (`#top`) narrows nothing; what would narrow and cannot be kept to is BadInput.
    """
    rest = rest.partition("#")[0]
    written, _, query = rest.partition("?")
    written = written.removesuffix("/*")
    path = _normalise_path(written)
    is_readable = not _FORBIDDEN.search(written) and "*" not in written
    if query or not is_readable or len(path) > _LONGEST_PATH:
        raise BadInput(
            f"{_shorten(entry)!r} cannot be kept to: an entry is a domain, or a domain and the "
            "beginning of a path.",
            suggested_action="Give entries such as duckdb.org or duckdb.org/docs, without blanks, "
            "`*` and what follows a `?`.",
        )
    return path


def _normalise_path(path: str) -> str:
    """A path as browsers ask for it, in one spelling and without a slash at its end: `..` is gone
    up, and `%64` is `d`.
    """
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        written = segment.encode("utf-8", "replace")
        name = quote(unquote_to_bytes(written), safe=_IN_SEGMENT)
        if name == "..":
            del segments[-1:]
        elif name != ".":
            segments.append(name)
    return "".join(f"/{segment}" for segment in segments).rstrip("/")


def _shorten(entry: str) -> str:
    """An entry as an error quotes it."""
    if len(entry) <= _LONGEST_QUOTED:
        return entry
    return entry[: _LONGEST_QUOTED - 3] + "..."


@lru_cache(512)  # the results of a search share their hosts
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
