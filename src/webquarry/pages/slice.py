"""The requested slice of a snapshot, and the cursor to continue.

A view is made from the snapshot: its text, its outline, one section, or the blocks that contain a
text. A cursor holds the digest of the text, the view and an offset, so nothing is stored between
calls, and a changed page is noticed. Of bytes only the beginning may have been fetched: their
digest is of what was returned.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from hashlib import sha256
from typing import Literal

from webquarry._read.slices.outline import Heading, find_section, headings_of
from webquarry._read.slices.pieces import cut, cut_between_characters, find_blocks
from webquarry._read.slices.text import WrittenText
from webquarry.errors import BadInput
from webquarry.pages.clean import clean_line

# What a snapshot holds; it decides where it may be cut.
SnapshotKind = Literal["markdown", "text", "bytes"]
_DIGEST_LENGTH = 16  # hexadecimal digits
_WAYS = ("outline", "section", "find", "cursor")
START_ANEW = "Call again with the same url and without cursor to start anew."


@dataclass(frozen=True)
class SliceRequest:
    """The part of a page to return. At most one of the four ways is given."""

    limit: int  # bytes
    outline: bool = False
    section: str | None = None
    find: str | None = None
    cursor: str | None = None
    goes_on: bool = False  # more of the text can be fetched

    @property
    def offset(self) -> int:
        """The offset of the cursor in bytes; 0 without one."""
        return _decode_cursor(self.cursor)[1].offset if self.cursor is not None else 0

    @property
    def is_part(self) -> bool:
        """Whether any of the ways is given."""
        return bool(self.ways)

    @property
    def ways(self) -> list[str]:
        """The names of the given ways."""
        return [name for name in _WAYS if getattr(self, name)]

    def check(self, *, is_raw: bool) -> None:
        """Raise `BadInput` for arguments that exclude each other."""
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
    """A slice of a page; `rest` is the cursor to continue, if there is more."""

    data: bytes
    total: int  # bytes of the whole text
    rest: str | None = None
    matches: int | None = None
    headings: Sequence[Heading] | None = None


@dataclass(frozen=True)
class _Position:
    """An offset in a view of a text."""

    offset: int = 0
    outline: bool = False
    section: int | None = None
    find: str | None = None

    def to_cursor(self, digest: str) -> str:
        """Return the cursor for this position in the text with this digest."""
        fields = json.dumps([digest, *astuple(self)], ensure_ascii=False, separators=(",", ":"))
        packed = base64.urlsafe_b64encode(fields.encode("utf-8", "surrogatepass"))
        return packed.decode("ascii").rstrip("=")


def take_slice(
    text: WrittenText,
    digest: str,
    request: SliceRequest,
    kind: SnapshotKind = "markdown",
    targets: Sequence[str] = (),
) -> Piece:
    """Return the requested slice of a text, with the targets of its numbered links."""
    data = text.data
    is_all = len(data) <= request.limit and not request.goes_on
    if is_all and not targets and not request.is_part:
        return Piece(data, total=len(data))
    if kind != "markdown":
        digest = ""  # only the beginning may have been fetched
    position = _find_position(text, digest, request)
    start = position.offset
    headings: Sequence[Heading] | None = None
    matches = None
    if position.find:
        found = find_blocks(text, position.find)
        view, matches = found.text.with_targets(targets), found.matches
    elif position.outline:
        headings = headings_of(text)
        view = WrittenText(b"".join(_write_outline(headings)))
    elif position.section is not None:
        all_headings = headings_of(text)
        if not 1 <= position.section <= len(all_headings):
            raise unknown_cursor()
        section = all_headings[position.section - 1]
        view = text.part(section.start, section.stop).with_targets(targets)
    else:
        view = text.with_targets(targets)
    shown = view.data
    if start > len(shown):
        raise unknown_cursor()
    end = min(len(shown), start + request.limit)
    if end < len(shown) and kind == "markdown":
        end = cut(view, start, request.limit)
    elif end < len(shown) and kind == "text":
        end = cut_between_characters(shown, start, request.limit)
    rest = None
    if end < len(shown) or request.goes_on:
        rest = replace(position, offset=end).to_cursor(digest or _digest_beginning(data, end))
    if headings is not None:
        headings = _select_headings(headings, start, end)
    return Piece(shown[start:end], len(data), rest, matches, headings)


def _find_position(text: WrittenText, digest: str, request: SliceRequest) -> _Position:
    """Return the position of a request. Raises `BadInput` if the text has changed."""
    if request.cursor:
        known, position = _decode_cursor(request.cursor)
        if known != (digest or _digest_beginning(text.data, position.offset)):
            raise BadInput(
                "The page has changed since the cursor was made, or the cursor belongs to "
                "another page or mode.",
                suggested_action=START_ANEW,
            )
        return position
    if request.section:
        return _Position(section=find_section(headings_of(text), request.section).number)
    return _Position(outline=request.outline, find=request.find)


def cursor_at(digest: str, offset: int) -> str:
    """Return the cursor for an offset in the text with this digest."""
    return _Position(offset).to_cursor(digest)


def _decode_cursor(cursor: str) -> tuple[str, _Position]:
    """Return the digest and the position of a cursor."""
    padding = "=" * (-len(cursor) % 4)
    try:
        packed = base64.b64decode(cursor + padding, altchars=b"-_", validate=True)
        digest, *fields = json.loads(packed.decode("utf-8", "surrogatepass"))
        offset, outline, section, find = fields
    except (ValueError, TypeError, RecursionError):
        raise unknown_cursor() from None
    is_offset = type(offset) is int and offset >= 0
    is_section = section is None or type(section) is int
    if not (is_offset and is_section and type(outline) is bool and isinstance(find, str | None)):
        raise unknown_cursor()
    return digest, _Position(offset, outline, section, find)


def _digest_beginning(data: bytes, offset: int) -> str:
    return sha256(data[:offset]).hexdigest()[:_DIGEST_LENGTH]


def _write_outline(headings: Sequence[Heading]) -> list[bytes]:
    """Return a line for each heading."""
    top = min((heading.level for heading in headings), default=1)
    lines = []
    for heading in headings:
        indent = "  " * (heading.level - top)
        place = f"(line {heading.line}, {heading.stop - heading.start} bytes)"
        lines.append(f"{indent}{heading.number}. {clean_line(heading.title)} {place}\n".encode())
    return lines


def _select_headings(headings: Sequence[Heading], start: int, end: int) -> list[Heading]:
    """Return the headings whose lines in the outline start in a slice of it."""
    selected = []
    offset = 0
    for heading, line in zip(headings, _write_outline(headings), strict=True):
        if start <= offset < end:
            selected.append(heading)
        offset += len(line)
    return selected


def unknown_cursor() -> BadInput:
    """Return the error for an invalid cursor."""
    return BadInput("The cursor is not one that was given out.", suggested_action=START_ANEW)
