"""Text of a page as it is stored: Markdown in UTF-8 with the table of its units and its links.

The writer of blocks makes it (`markdown/blocks.py`). Outlines, pieces, chunks and paragraphs are
taken from the table; the Markdown itself is not parsed again. Every position counts UTF-8 bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Literal, NamedTuple

# Kinds of units; 1 to 6 are headings of that level.
PROSE, ITEM, CODE, TABLE = 0, 7, 8, 9
HEADINGS = range(1, 7)

LinkForm = Literal["list", "inline"]

_HASH = ord("#")
_MARK = re.compile(rb"(?<!\\)\]\[(\d{1,6})\]")
_SCHEME = re.compile(r"(?:https?://(?:www\.)?|mailto:|tel:)")

# A text is a list of links if entries and the short units behind each make up most of it. An entry
# is a unit that is mostly link, or that is short and starts with one.
_SHORT = 300  # bytes
_MAX_ATTACHED = 3  # short units that belong to one entry
_MIN_ENTRIES = 4
_MIN_SHARE = 0.6  # of the bytes
_MIN_LINKED = 0.1  # of the bytes that are themselves linked
_BEFORE_LINK = b"#>*+- \t.)0123456789"

_BREAK = re.compile(rb"(?:\A|\n)((?:[ \t]*\n)*)(?=(#{1,6}[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t])?)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_EMPHASIS = re.compile(
    r"(?<![\\*`])[*`]++(?=\S)|(?<=[^\s\\*`])[*`]++|(?<![\\\w])_++(?=\S)|(?<=[^\s\\_])_++(?!\w)"
)


class Unit(NamedTuple):
    """A paragraph, heading, list item, table or code block, up to the start of the next unit."""

    start: int
    kind: int

    @property
    def level(self) -> int:
        """The level of a heading; 0 for any other unit."""
        return self.kind if self.kind in HEADINGS else 0


class Link(NamedTuple):
    """The text of a link, and where the link leads."""

    start: int
    stop: int
    target: str


@dataclass(frozen=True)
class WrittenText:
    """Markdown, its units and its links, whose targets are shown in a form or not at all."""

    data: bytes
    units: Sequence[Unit] = ()
    links: Sequence[Link] = ()
    form: LinkForm | None = None  # how the targets are shown

    @classmethod
    def of_lines(cls, data: bytes, *, has_marks: bool = True) -> WrittenText:
        """Return text that no writer has divided: plain text, or a text stored without its table.

        A unit starts behind a blank line and, if the text `has_marks`, at a heading or list item.
        """
        units = [Unit(0, PROSE)] if data else []
        for found in _BREAK.finditer(data):
            mark = found[2] if has_marks else None
            start = found.end()
            if start >= len(data) or (mark is None and not found[1]):
                continue
            kind = PROSE
            if mark is not None:
                kind = mark.count(b"#") or ITEM
            if start == 0 or not found.start():
                units[0] = Unit(0, kind)
            elif mark is not None or data[start : start + 1] not in (b" ", b"\t"):
                units.append(Unit(start, kind))
        return cls(data, units)

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and kind of each unit."""
        end = Unit(len(self.data), PROSE)
        for unit, following in pairwise([*self.units, end]):
            yield unit.start, following.start, unit.kind

    def outer_spans(self) -> Iterator[tuple[int, int, int]]:
        """Yield the same for units of which headings inside of an item are a part."""
        outer = [one for one in self.units if not one.level or self.data[one.start] == _HASH]
        return replace(self, units=outer).spans()

    @cached_property
    def starts(self) -> list[int]:
        """The start of each unit."""
        return [unit.start for unit in self.units]

    def read(self, start: int, stop: int) -> str:
        """Return a part of the text without the brackets, numbers and targets of its links."""
        if self.form is None:
            return self.data[start:stop].decode("utf-8", "replace")
        parts: list[bytes] = []
        first = bisect_left(self.links, start, key=lambda link: link.start)
        for link in islice(self.links, first, None):
            if link.stop > stop:
                break
            parts += (self.data[start : link.start - 1], self.data[link.start : link.stop])
            start = self._find_end(link)
        parts.append(self.data[start:stop])
        return b"".join(parts).decode("utf-8", "replace")

    def read_title(self, start: int) -> str:
        """Return the heading at a position as plain text."""
        stop = self.data.find(b"\n", start)
        line = self.read(start, stop if stop >= 0 else len(self.data))
        return read_line(line.lstrip().lstrip("#"))

    def _find_end(self, link: Link) -> int:
        """Return the position behind a link and its target or number."""
        if self.form is None:
            return link.stop
        if self.form == "inline":
            return link.stop + len(f"]({link.target})".encode())
        return self.data.index(b"]", link.stop + 1) + 1

    def part(self, start: int, stop: int) -> WrittenText:
        """Return the text between the starts of two units."""
        units = [Unit(one - start, kind) for one, kind in self.units if start <= one < stop]
        links = [
            Link(first - start, last - start, target)
            for first, last, target in self.links
            if start <= first and last <= stop
        ]
        return WrittenText(self.data[start:stop], units, links, self.form)

    def show_links(self, form: LinkForm | None) -> tuple[WrittenText, list[str]]:
        """Return the text with its targets inline, with numbers behind its links, or unchanged;
        and the numbered targets, the first of which has the number 1.
        """
        if form is None or form == self.form or not self.links:
            return self, []
        numbers: dict[str, int] = {}
        parts: list[bytes] = []
        links: list[Link] = []
        openings: list[int] = []
        shifts = [0]  # of the positions before the first opening, between it and the next, ...
        done = 0
        for link in self.links:
            if form == "inline":
                mark = f"]({link.target})".encode()
            else:
                mark = b"][%d]" % numbers.setdefault(link.target, len(numbers) + 1)
            opening = link.start - (self.form is not None)
            shown = self.data[link.start : link.stop]
            parts += (self.data[done:opening], b"[", shown, mark)
            start = opening + shifts[-1] + 1
            links.append(Link(start, start + len(shown), link.target))
            done = self._find_end(link)
            openings.append(opening)
            shifts.append(start + len(shown) + len(mark) - done)
        parts.append(self.data[done:])
        units = [Unit(one + shifts[bisect_left(openings, one)], kind) for one, kind in self.units]
        return WrittenText(b"".join(parts), units, links, form), list(numbers)

    def with_targets(self, targets: Sequence[str]) -> WrittenText:
        """Return the text with the targets of its numbered links at the end."""
        return replace(self, data=add_targets(self.data, targets)) if targets else self

    @property
    def markdown(self) -> str:
        """The text with its targets inline."""
        return self.show_links("inline")[0].data.decode()

    def for_storage(self) -> WrittenText:
        """Return the text with its targets if it is a list of links, without them otherwise."""
        return self.show_links("inline")[0] if self.is_link_list() else self

    def count_targets(self) -> int:
        """Return the number of targets that a reader of the text does not see: a text that is its
        own address hides nothing.
        """
        if self.form is not None:
            return 0
        return sum(
            not _is_address(self.data[start:stop].decode(), target)
            for start, stop, target in self.links
        )

    def is_link_list(self) -> bool:
        """Whether the text is mostly a list of links (an index, results, products), which is
        useless without their targets.
        """
        size = len(self.data)
        if sum(link.stop - link.start for link in self.links) < max(1, _MIN_LINKED * size):
            return False
        entries = entry_bytes = place = 0
        attached = _MAX_ATTACHED
        links = self.links
        for start, stop, kind in self.outer_spans():
            length = len(self.data[start:stop].rstrip())
            first, linked = place, 0
            while place < len(links) and links[place].start < stop:
                linked += links[place].stop - links[place].start
                place += 1
            is_entry = 2 * linked >= length
            if place > first and length <= _SHORT:
                is_entry |= not self.data[start : links[first].start].strip(_BEFORE_LINK)
            if kind in (CODE, TABLE) or not (is_entry or length <= _SHORT):
                attached = _MAX_ATTACHED
            elif is_entry:
                entries += 1
                entry_bytes += length
                attached = 0
            elif attached < _MAX_ATTACHED:
                entry_bytes += length
                attached += 1
        return entries >= _MIN_ENTRIES and entry_bytes >= _MIN_SHARE * size

    def describe(self) -> dict[str, Any]:
        """Return units and links as JSON values."""
        return {
            "units": [value for unit in self.units for value in unit],
            "links": [value for link in self.links for value in link],
            "form": self.form,
        }

    @classmethod
    def build(cls, data: bytes, fields: Mapping[str, Any]) -> WrittenText:
        """Inverse of `describe`."""
        units, links = iter(fields["units"]), iter(fields["links"])
        return cls(
            data,
            list(map(Unit, units, units)),
            list(map(Link, links, links, links)),
            fields["form"],
        )


def add_targets(data: bytes, targets: Sequence[str]) -> bytes:
    """Append the targets of the numbered links in a text or a part of it."""
    if not targets:
        return data
    named = {int(found[1]) for found in _MARK.finditer(data)}
    lines = [
        f"[{number}]: {target}\n" for number, target in enumerate(targets, 1) if number in named
    ]
    return data.rstrip() + b"\n\n" + "".join(lines).encode() if lines else data


def read_inline(markdown: str) -> str:
    """Return inline Markdown of the writer, without link targets, as plain text: without escapes
    and marks of emphasis and code.
    """
    text = markdown
    if "*" in text or "`" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    return text


def read_line(markdown: str) -> str:
    """Return inline Markdown of the writer as one plain line."""
    return " ".join(read_inline(markdown).split())


def _is_address(text: str, target: str) -> bool:
    """Whether the text of a link is its target."""
    if " " in text.strip():
        return False
    shown = _SCHEME.sub("", read_inline(text).strip()).rstrip("/")
    return bool(shown) and shown.lower() == _SCHEME.sub("", target).rstrip("/").lower()
