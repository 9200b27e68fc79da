"""What was asked for of a page, and a snapshot of it -> the piece that is given, and the cursor to
go on with.

A view is a text made from the snapshot: all of it, its outline, one section, or the blocks in which
something was found. A cursor holds the mark of the text it was made for, the view, and how much of
it has been given; so nothing has to be remembered here, and a page that has changed since is
noticed. Of bytes only the beginning may have been fetched: there the mark is of what was given.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from webquarry._read.slices.outline import Heading, find_section, headings_of
from webquarry._read.slices.pieces import cut, cut_between_characters, find_blocks
from webquarry._read.slices.text import WrittenText
from webquarry.errors import BadInput
from webquarry.pages.clean import clean_line

# What a snapshot holds; it decides where it may be cut.
SnapshotKind = Literal["markdown", "text", "bytes"]
_MARK_LENGTH = 16  # hexadecimal digits, enough to notice that a text has changed
START_ANEW = "Call again with the same url and without cursor to start anew."


@dataclass(frozen=True)
class SliceRequest:
    """Which part of a page. At most one of the four ways is given."""

    limit: int  # bytes
    outline: bool = False
    section: str | None = None
    find: str | None = None
    cursor: str | None = None
    goes_on: bool = False  # more of the text can be had than there is here

    @property
    def offset(self) -> int:
        """Where the cursor stands, in bytes; 0 without one."""
        if self.cursor is None:
            return 0
        _, position = _decode_cursor(self.cursor)
        return position.offset

    @property
    def is_part(self) -> bool:
        """Whether any of those ways is given."""
        return bool(self.outline or self.section or self.find or self.cursor)

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

    def check(self, *, is_raw: bool) -> None:
        """Refuse what cannot be meant."""
        if not self.is_part:
            return
        ways = self.ways
        if len(ways) > 1:
            raise BadInput(
                f"{' and '.join(ways)} were given together.",
                suggested_action="Give one of outline, section, find and cursor; a cursor knows "
                "what it goes on with.",
            )
        if is_raw and ways and not self.cursor:
            raise BadInput(
                f"{ways[0]} is not there in raw mode, which does not look into the bytes.",
                suggested_action="Use mode full, or raw with max_length and cursor.",
            )


@dataclass(frozen=True)
class Piece:
    """What is given. `rest` is the cursor to go on with, where there is more."""

    data: bytes
    total: int  # bytes of the whole text
    rest: str | None = None
    matches: int | None = None
    headings: Sequence[Heading] | None = None


@dataclass(frozen=True)
class _View:
    """A text that pieces are cut from."""

    text: WrittenText
    matches: int | None = None  # blocks in which something was found
    headings: Sequence[Heading] | None = None  # of an outline, which has a line for each

    def find_end(self, start: int, limit: int, kind: SnapshotKind) -> int:
        """Where a piece of at most so many bytes ends."""
        data = self.text.data
        if len(data) - start <= limit:
            return len(data)
        if kind == "markdown":
            return cut(self.text, start, limit)
        if kind == "text":
            return cut_between_characters(data, start, limit)
        return start + limit

    def headings_between(self, start: int, end: int) -> list[Heading] | None:
        """The headings whose lines in the outline begin in this piece of it."""
        if self.headings is None:
            return None
        inside = []
        offset = 0
        lines = _outline_lines(self.headings)
        for heading, line in zip(self.headings, lines, strict=True):
            if start <= offset < end:
                inside.append(heading)
            offset += len(line)
        return inside


@dataclass(frozen=True)
class _Position:
    """Where a cursor stands: in which view, and how far."""

    offset: int = 0
    outline: bool = False
    section: int | None = None
    find: str | None = None

    @classmethod
    def from_request(cls, text: WrittenText, digest: str, request: SliceRequest) -> _Position:
        """Where the piece begins that is asked for of a text, whose mark is the digest; without
        one, what was given of it before the cursor is its mark.
        """
        if request.cursor:
            mark, position = _decode_cursor(request.cursor)
            if mark != (digest or _mark_beginning(text.data, position.offset)):
                raise BadInput(
                    "The page has changed since the cursor was made, or the cursor belongs to "
                    "another page or mode.",
                    suggested_action=START_ANEW,
                )
            return position
        if request.section:
            headings = headings_of(text)
            section = find_section(headings, request.section)
            return cls(section=section.number)
        return cls(outline=request.outline, find=request.find)

    def to_cursor(self, digest: str) -> str:
        """The cursor for this position in the text of this digest."""
        fields = [digest, self.offset, self.outline, self.section, self.find]
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8", "surrogatepass")
        packed = base64.urlsafe_b64encode(data)
        return packed.decode("ascii").rstrip("=")

    def open_view(self, text: WrittenText, targets: Sequence[str]) -> _View:
        """The text that this is a position in, made from the whole text; the targets of its
        numbered links are listed at its end.
        """
        if self.find:
            found = find_blocks(text, self.find)
            return _View(found.text.with_targets(targets), matches=found.matches)
        if self.outline:
            headings = headings_of(text)
            return _View(WrittenText(b"".join(_outline_lines(headings))), headings=headings)
        if self.section is None:
            return _View(text.with_targets(targets))
        headings = headings_of(text)
        if not 1 <= self.section <= len(headings):
            raise unknown_cursor()
        heading = headings[self.section - 1]
        return _View(text.part(heading.start, heading.stop).with_targets(targets))


def take_slice(
    text: WrittenText,
    digest: str,
    request: SliceRequest,
    kind: SnapshotKind = "markdown",
    targets: Sequence[str] = (),
) -> Piece:
    """The piece of a text that is asked for; `digest` is the mark of the text, `targets` are those
    of its numbered links.
    """
    data = text.data
    is_all = len(data) <= request.limit and not request.goes_on
    if is_all and not targets and not request.is_part:
        return Piece(data, total=len(data))
    if kind != "markdown":
        digest = ""  # of such a text only the beginning may be here
    position = _Position.from_request(text, digest, request)
    view = position.open_view(text, targets)
    start = position.offset
    shown = view.text.data
    if start > len(shown):
        raise unknown_cursor()
    end = view.find_end(start, request.limit, kind)
    rest = None
    if end < len(shown) or request.goes_on:
        rest = replace(position, offset=end).to_cursor(digest or _mark_beginning(data, end))
    return Piece(
        data=shown[start:end],
        total=len(data),
        rest=rest,
        matches=view.matches,
        headings=view.headings_between(start, end),
    )


def cursor_at(digest: str, offset: int) -> str:
    """The cursor that goes on at a place in the text of this digest."""
    return _Position(offset).to_cursor(digest)


def _decode_cursor(cursor: str) -> tuple[str, _Position]:
    """The mark of the text that a cursor was made for, and the position that it stands for."""
    padding = "=" * (-len(cursor) % 4)
    try:
        packed = base64.b64decode(cursor + padding, altchars=b"-_", validate=True)
        fields = json.loads(packed.decode("utf-8", "surrogatepass"))
        mark, offset, outline, section, find = fields
    except (ValueError, TypeError, RecursionError):
        raise unknown_cursor() from None
    is_offset = type(offset) is int and offset >= 0
    is_section = section is None or type(section) is int
    is_view = type(outline) is bool and isinstance(find, str | None)
    if not (is_offset and is_section and is_view):
        raise unknown_cursor()
    return mark, _Position(offset, outline, section, find)


def _mark_beginning(data: bytes, offset: int) -> str:
    """Tells a text that begins like this from any other."""
    return sha256(data[:offset]).hexdigest()[:_MARK_LENGTH]


def _outline_lines(headings: Sequence[Heading]) -> list[bytes]:
    """One line for each heading, for the eye."""
    top = min((heading.level for heading in headings), default=1)
    lines = []
    for heading in headings:
        indent = "  " * (heading.level - top)
        size = heading.stop - heading.start
        place = f"(line {heading.line}, {size} bytes)"
        title = clean_line(heading.title)  # its escapes are gone
        line = f"{indent}{heading.number}. {title} {place}\n"
        lines.append(line.encode())
    return lines


def unknown_cursor() -> BadInput:
    """The error for a cursor that leads nowhere."""
    return BadInput("The cursor is not one that was given out.", suggested_action=START_ANEW)
