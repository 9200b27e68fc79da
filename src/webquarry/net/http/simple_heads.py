"""Heads of HTTP/1.1 that have only one reading, as nearly all: written and read in a fraction of
the time that h11 takes. Whatever is unusual in the least is None, and left to h11.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Headers = Sequence[tuple[bytes, bytes]]

_STATUS = re.compile(rb"HTTP/1\.1 ([2-5][0-9]{2}) ([ -~]*)")
_TARGET = re.compile(rb"/[!-~]*")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(rb"[\t -~\x80-\xff]*")
_LENGTH = re.compile(rb"[0-9]{1,18}")
_BLANKS = b" \t"
_FRAMING = frozenset(
    {b"transfer-encoding", b"content-length", b"connection", b"upgrade", b"expect"}
)
_WITHOUT_BODY = frozenset({204, 205, 304})


@dataclass(frozen=True)
class SimpleHead:
    """The head of a response; its body has this length where it is simple."""

    status: int
    reason: bytes
    headers: list[tuple[bytes, bytes]]
    length: int
    version: bytes = b"1.1"


def write_get(target: bytes, headers: Headers) -> bytes | None:
    """The head of a request without a body, with its host first; None where h11 is to judge it."""
    hosts = []
    others = []
    for name, value in headers:
        folded = name.lower()
        is_plain = _NAME.fullmatch(name) and _VALUE.fullmatch(value) and value == value.strip()
        if not is_plain or folded in _FRAMING:
            return None
        line = b"%b: %b\r\n" % (name, value)
        if folded == b"host":
            hosts.append(line)
        else:
            others.append(line)
    if len(hosts) != 1 or not _TARGET.fullmatch(target):
        return None
    return b"GET %b HTTP/1.1\r\n%b%b\r\n" % (target, hosts[0], b"".join(others))


def read_head(head: bytes) -> SimpleHead | None:
    """The head of a response, without the blank line behind it; None where h11 is to read it."""
    first, *lines = head.split(b"\r\n")
    started = _STATUS.fullmatch(first)
    if started is None or int(started[1]) in _WITHOUT_BODY:
        return None
    length = None
    headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            return None
        value = value.strip(_BLANKS)
        folded = name.lower()
        if folded == b"content-length" and length is None and _LENGTH.fullmatch(value):
            length = int(value)
        elif folded in _FRAMING and (folded, value.lower()) != (b"connection", b"keep-alive"):
            return None
        headers.append((name, value))
    if length is None:
        return None
    return SimpleHead(int(started[1]), started[2], headers, length)
