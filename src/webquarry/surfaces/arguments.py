"""Bytes from stdin -> the arguments of a tool: one JSON object, strictly read.

What JSON readers usually let pass (a key given twice, NaN) is refused: the caller meant something
by it that would be lost. A byte order mark is let pass: some shells put one there.

A stream that may stay open is read no further than the line on which its first value is whole.
Only as much of JSON is looked at as tells where that is: brackets, quotation marks and backslashes,
none of which is part of another character in UTF-8. What can never become an object ends with its
line as well, so that its sender is told.
"""

from __future__ import annotations

import re
import select
from io import BufferedIOBase
from typing import Any

from webquarry.errors import BadInput
from webquarry.host.strict_json import NotJson, parse_json

MAX_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK = 64 * 1024
_SIGNS = re.compile(rb'[\[\]{}"\\\n]')
_SIGNS_IN_STRING = re.compile(rb'["\\\n]')
_NAMES = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def parse_arguments(data: bytes, place: str = "on stdin") -> dict[str, Any]:
    """The object that was given at a place; whatever else came in is BadInput with a sentence that
    says what.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(f"The input is larger than {MAX_BYTES} bytes.")
    try:
        value = parse_json(data.removeprefix(_BYTE_ORDER_MARK))
    except NotJson as error:
        raise BadInput(
            f"The input {error}; one JSON object with the arguments was expected {place}."
        ) from None
    if not isinstance(value, dict):
        raise BadInput(
            f"The input is {_NAMES[type(value)]}; one JSON object with the arguments was "
            f"expected {place}."
        )
    return value


class EndFinder:
    """Finds where the first value of a text ends, as its pieces come in."""

    def __init__(self) -> None:
        self._seen = bytearray()
        self._at = 0  # what is before was looked at
        self._depth = 0  # of brackets
        self._is_in_string = False
        self._is_over = False  # the value is whole, or can never be an object

    @property
    def text(self) -> bytes:
        """What came so far."""
        return bytes(self._seen)

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, piece: bytes) -> int | None:
        """Take a piece; the length of the text up to the end of the line with which the value is
        over, or None while it is not.
        """
        self._seen += piece
        if not self._at and not self._skip_blanks():
            return None
        while True:
            signs = _SIGNS_IN_STRING if self._is_in_string else _SIGNS
            found = signs.search(self._seen, self._at)
            if found is None:
                self._at = len(self._seen)
                return None
            self._at = found.end()
            if found[0] == b"\n":
                # No string goes on in the next line.
                if self._is_over or self._is_in_string:
                    return self._at
            elif not self._take(found[0]):
                return None

    def _skip_blanks(self) -> bool:
        """Go to the first sign of the value; False while there is none."""
        value = self._seen.removeprefix(_BYTE_ORDER_MARK).lstrip()
        is_half_mark = _BYTE_ORDER_MARK.startswith(self._seen)
        if not value or is_half_mark:
            return False
        self._at = len(self._seen) - len(value)
        self._is_over = not value.startswith((b"{", b"["))
        return True

    def _take(self, sign: bytes) -> bool:
        """Count a sign; False when what follows it has yet to come."""
        if sign == b"\\":
            if self._is_in_string:
                if self._at == len(self._seen):
                    self._at -= 1
                    return False
                self._at += 1
        elif sign == b'"':
            self._is_in_string = not self._is_in_string
        elif sign in (b"{", b"["):
            self._depth += 1
        else:
            self._depth -= 1
            self._is_over = self._is_over or self._depth <= 0
        return True


def read_whole_value(stream: BufferedIOBase, size: int) -> bytes:
    """At most `size` bytes of a stream: up to the end of the line on which its first value is
    whole, or up to its end.
    """
    finder = EndFinder()
    while len(finder) < size:
        piece = stream.read1(min(_CHUNK, size - len(finder)))
        if piece is None:  # a stream that does not wait, and has nothing yet
            select.select([stream], [], [])
            continue
        if not piece:
            break
        end = finder.add(piece)
        if end is not None:
            return finder.text[:end]
    return finder.text
