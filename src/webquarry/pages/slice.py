"""What was asked for of a page, and a snapshot of it -> the piece that is given, and the cursor to
go on with.

A view is a text made from the snapshot: all of it, its outline, one section, or the blocks in which
something was found. A cursor holds the mark of the text it was made for, the view, and how much of
it has been given; so nothing has to be remembered here, and a page that has changed since is
noticed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from webquarry.errors import BadInput
from webquarry.read.slices.outline import Heading, find_section, headings_of
from webquarry.read.slices.pieces import block_starts, cut, cut_between_characters, find_blocks

# What a snapshot holds; it decides where it may be cut.
SnapshotKind = Literal["markdown", "text", "bytes"]
START_ANEW = "Call again with the same url and without cursor to start anew."


@dataclass(frozen=True)
class SliceRequest:
    """Which part of a page. At most one of the four ways is given."""

    limit: int  # bytes
    outline: bool = False
    section: str | None = None
    find: str | None = None
    cursor: str | None = None

    @property
    def ways(self) -> list[str]:
        """The names of those ways that are given."""
        values = {
            "outline": self.outline,
            "section": self.section,
            "find": self.find,
            "cursor": self.cursor,
        }
        return [name for name, value in values.items() if value]


@dataclass(frozen=True)
class Piece:
    """What is given. `rest` is the cursor to go on with, where there is more."""

    data: bytes
    total: int  # bytes of the whole text
    rest: str | None = None
    matches: int | None = None
    headings: Sequence[Heading] | None = None


@dataclass(frozen=True)
class _Position:
    """Where a cursor stands: in which view, and how far."""

    offset: int = 0
    outline: bool = False
    section: int | None = None
    find: str | None = None


@dataclass(frozen=True)
class _View:
    """A text that pieces are cut from."""

    data: bytes
    matches: int | None = None  # blocks in which something was found
    headings: Sequence[Heading] | None = None  # of an outline, which has a line for each


def take_slice(
    data: bytes, digest: str, request: SliceRequest, kind: SnapshotKind = "markdown"
) -> Piece:
    """The piece of a text that is asked for; `digest` is the mark of the text."""
    if request.cursor:
        position = _read_cursor(request.cursor, digest)
    elif request.section:
        section = find_section(headings_of(data), request.section)
        position = _Position(section=section.number)
    else:
        position = _Position(outline=request.outline, find=request.find)
    view = _open_view(data, position)
    start = position.offset
    if start > len(view.data):
        raise unknown_cursor()
    end = _find_end(view.data, start, request.limit, kind)
    rest = None
    if end < len(view.data):
        rest = _write_cursor(replace(position, offset=end), digest)
    headings = None
    if view.headings is not None:
        headings = _headings_between(view.headings, start, end)
    return Piece(view.data[start:end], len(data), rest, view.matches, headings)


def _find_end(data: bytes, start: int, limit: int, kind: SnapshotKind) -> int:
    """Where a piece of at most so many bytes ends."""
    if len(data) - start <= limit:
        return len(data)
    if kind == "markdown":
        return cut(data, start, limit, block_starts(data))
    if kind == "text":
        return cut_between_characters(data, start, limit)
    return start + limit


def _open_view(data: bytes, position: _Position) -> _View:
    """The text that a position is a position in."""
    if position.find:
        found = find_blocks(data, position.find, block_starts(data))
        return _View(found.data, matches=found.matches)
    if position.outline:
        headings = headings_of(data)
        return _View(b"".join(_outline_lines(headings)), headings=headings)
    if position.section is None:
        return _View(data)
    headings = headings_of(data)
    if not 1 <= position.section <= len(headings):
        raise unknown_cursor()
    heading = headings[position.section - 1]
    return _View(data[heading.start : heading.stop])


def _outline_lines(headings: Sequence[Heading]) -> list[bytes]:
    """One line for each heading, for the eye."""
    top = min((heading.level for heading in headings), default=1)
    lines = []
    for one in headings:
        indent = "  " * (one.level - top)
        size = one.stop - one.start
        line = f"{indent}{one.number}. {one.title} (line {one.line}, {size} bytes)\n"
        lines.append(line.encode())
    return lines


def _headings_between(headings: Sequence[Heading], start: int, end: int) -> list[Heading]:
    """The headings whose lines in the outline begin in this piece of it."""
    inside = []
    offset = 0
    for heading, line in zip(headings, _outline_lines(headings), strict=True):
        if start <= offset < end:
            inside.append(heading)
        offset += len(line)
    return inside


def _write_cursor(position: _Position, digest: str) -> str:
    fields = [digest, position.offset, position.outline, position.section, position.find]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    packed = base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass"))
    return packed.decode("ascii").rstrip("=")


def _read_cursor(cursor: str, digest: str) -> _Position:
    """The position that a cursor stands for, in the text of this digest."""
    padding = "=" * (-len(cursor) % 4)
    try:
        packed = base64.b64decode(cursor + padding, altchars=b"-_", validate=True)
        fields = json.loads(packed.decode("utf-8", "surrogatepass"))
        text_digest, offset, outline, section, find = fields
    except (ValueError, TypeError, RecursionError):
        raise unknown_cursor() from None
    is_offset = type(offset) is int and offset >= 0
    is_section = section is None or type(section) is int
    is_view = type(outline) is bool and isinstance(find, str | None)
    if not (is_offset and is_section and is_view):
        raise unknown_cursor()
    if text_digest != digest:
        raise BadInput(
            "The page has changed since the cursor was made, or the cursor belongs to another "
            "page or mode.",
            suggested_action=START_ANEW,
        )
    return _Position(offset, outline, section, find)


def unknown_cursor() -> BadInput:
    """The error for a cursor that leads nowhere."""
    return BadInput("The cursor is not one that was given out.", suggested_action=START_ANEW)
