"""Heads of HTTP/1.1 that have only one reading, as nearly all: written and read in a fraction of
the time that h11 takes. Whatever is unusual in the least is None, and left to h11.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx2

from webquarry.net.http.plain_headers import PlainHeaders

_STATUS = re.compile(r"HTTP/1\.1 ([2-5][0-9]{2}) ([ -~]*)")
_TARGET = re.compile(rb"/[!-~]*")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(rb"[\t -~\x80-\xff]*")
_LINE = re.compile(r"^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)\r\n", re.MULTILINE)
_LENGTH = re.compile(r"[0-9]{1,18}")
_BLANKS = " \t"
_FRAMING = frozenset(
    {b"transfer-encoding", b"content-length", b"connection", b"upgrade", b"expect"}
)
_UNUSUAL_FRAMING = frozenset({"transfer-encoding", "upgrade", "expect"})
_WITHOUT_BODY = frozenset({204, 205, 304})


@dataclass
class SimpleHead:
    """The head of a response; its body has this length where it is simple."""

    status: int
    reason: bytes
    headers: httpx2.Headers
    length: int
    version: bytes = b"1.1"


def write_get(target: bytes, headers: httpx2.Headers) -> bytes | None:
    """The head of a request without a body, with its host first; None where h11 is to judge it."""
    written = None
    if isinstance(headers, PlainHeaders):
        written = headers.written
    if written is None:
        written = write_fields(headers)
    if written is None or not _TARGET.fullmatch(target):
        return None
    return b"GET %b HTTP/1.1\r\n%b\r\n" % (target, written)


def write_fields(headers: httpx2.Headers) -> bytes | None:
    """The lines of a head behind its first; None where h11 is to judge them."""
    hosts = []
    others = []
    for name, value in headers.raw:
        folded = name.lower()
        is_plain = _NAME.fullmatch(name) and _VALUE.fullmatch(value) and value == value.strip()
        if not is_plain or folded in _FRAMING:
            return None
        line = b"%b: %b\r\n" % (name, value)
        if folded == b"host":
            hosts.append(line)
        else:
            others.append(line)
    if len(hosts) != 1:
        return None
    return hosts[0] + b"".join(others)


def read_head(head: bytes) -> SimpleHead | None:
    """The head of a response, without the blank line behind it; None where h11 is to read it."""
    first, _, rest = head.decode("latin-1").partition("\r\n")  # one character a byte
    started = _STATUS.fullmatch(first)
    rest += "\r\n"
    lines = _LINE.findall(rest)
    if started is None or len(lines) != rest.count("\n"):
        return None
    pairs = []
    by_name: dict[str, str | None] = {}
    for name, value in lines:
        value = value.strip(_BLANKS)
        folded = name.lower()
        pairs.append((name, value))
        by_name[folded] = None if folded in by_name else value
    status = int(started[1])
    length = by_name.get("content-length")
    if status in _WITHOUT_BODY or length is None or not _LENGTH.fullmatch(length):
        return None
    connection = by_name.get("connection", "keep-alive")
    if connection is None or connection.lower() != "keep-alive":
        return None
    if not _UNUSUAL_FRAMING.isdisjoint(by_name):
        return None
    reason = started[2].encode("ascii")
    return SimpleHead(status, reason, _build_headers(pairs, by_name, rest), int(length))


def _build_headers(
    pairs: list[tuple[str, str]], by_name: dict[str, str | None], lines: str
) -> httpx2.Headers:
    if lines.isascii():
        return PlainHeaders(pairs, by_name)
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
    return httpx2.Headers(raw)
