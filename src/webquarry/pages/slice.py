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
from itertools import accumulate
from typing import Literal

from webquarry.errors import BadInput
from webquarry.read.slices.outline import Heading, find_section, headings_of
from webquarry.read.slices.pieces import block_starts, cut, cut_between_characters, find_blocks

Kind = Literal["markdown", "text", "bytes"]  # what a snapshot holds; it decides where it may be cut
START_ANEW = "Call again with the same url and without cursor to start anew."


@dataclass(frozen=True)
class Wanted:
    """Which part of a page. At most one of the four ways is given."""

    limit: int  # bytes
    outline: bool = False
    section: str | None = None
    find: str | None = None
    cursor: str | None = None

    @property
    def ways(self) -> list[str]:
        given = {
            "outline": self.outline,
            "section": self.section,
            "find": self.find,
            "cursor": self.cursor,
        }
        return [name for name, value in given.items() if value]


@dataclass(frozen=True)
class Piece:
    """What is given. `rest` is the cursor to go on with, where there is more."""

    data: bytes
    total: int  # bytes of the whole text
    rest: str | None = None
    matches: int | None = None
    headings: Sequence[Heading] | None = None


@dataclass(frozen=True)
class _Place:
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


def take(data: bytes, digest: str, wanted: Wanted, kind: Kind = "markdown") -> Piece:
    """The piece of a text that is wanted."""
    if wanted.cursor:
        place = _read_cursor(wanted.cursor, digest)
    else:
        place = _first_place(data, wanted)
    view = _view(data, place)
    start = place.offset
    if start > len(view.data):
        raise not_ours()
    end = _end(view.data, start, wanted.limit, kind)
    rest = None
    if end < len(view.data):
        rest = _write_cursor(replace(place, offset=end), digest)
    return Piece(view.data[start:end], len(data), rest, view.matches, _within(view, start, end))


def _end(data: bytes, start: int, limit: int, kind: Kind) -> int:
    if len(data) - start <= limit:
        return len(data)
    if kind == "markdown":
        return cut(data, start, limit, block_starts(data))
    if kind == "text":
        return cut_between_characters(data, start, limit)
    return start + limit


def _first_place(data: bytes, wanted: Wanted) -> _Place:
    if wanted.section:
        return _Place(section=find_section(headings_of(data), wanted.section).number)
    return _Place(outline=wanted.outline, find=wanted.find)


def _view(data: bytes, place: _Place) -> _View:
    """The text that a place is a place in."""
    if place.find:
        found = find_blocks(data, place.find, block_starts(data))
        return _View(found.data, matches=found.matches)
    if place.outline:
        headings = headings_of(data)
        return _View(b"".join(_outline_lines(headings)), headings=headings)
    if place.section is None:
        return _View(data)
    headings = headings_of(data)
    if not 1 <= place.section <= len(headings):
        raise not_ours()
    heading = headings[place.section - 1]
    return _View(data[heading.start : heading.stop])


def _outline_lines(headings: Sequence[Heading]) -> list[bytes]:
    """One line for each heading, for the eye."""
    top = min((heading.level for heading in headings), default=1)
    return [
        f"{'  ' * (one.level - top)}{one.number}. {one.title} (line {one.line}, "
        f"{one.stop - one.start} bytes)\n".encode()
        for one in headings
    ]


def _within(view: _View, start: int, end: int) -> Sequence[Heading] | None:
    """The headings of an outline whose lines begin in a piece of it."""
    if view.headings is None:
        return None
    ends = list(accumulate(map(len, _outline_lines(view.headings))))
    begins = [0, *ends[:-1]]
    return [
        heading
        for heading, begin in zip(view.headings, begins, strict=False)
        if start <= begin < end
    ]


def _write_cursor(place: _Place, digest: str) -> str:
    text = json.dumps(
        [digest, place.offset, place.outline, place.section, place.find],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return (
        base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")
    )


def _read_cursor(cursor: str, digest: str) -> _Place:
    try:
        packed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        made_for, offset, outline, section, find = json.loads(
            packed.decode("utf-8", "surrogatepass")
        )
    except (ValueError, TypeError, RecursionError):
        raise not_ours() from None
    fits = (
        type(offset) is int
        and offset >= 0
        and type(outline) is bool
        and isinstance(find, str | None)
    )
    if not fits or not (section is None or type(section) is int):
        raise not_ours()
    if made_for != digest:
        raise BadInput(
            "The page has changed since the cursor was made, or the cursor belongs to another "
            "page or mode.",
            suggested_action=START_ANEW,
        )
    return _Place(offset, outline, section, find)


def not_ours() -> BadInput:
    """The error for a cursor that leads nowhere."""
    return BadInput("The cursor is not one that was given out.", suggested_action=START_ANEW)
