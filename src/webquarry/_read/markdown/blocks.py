"""Blocks of a page, and the Markdown that is written from them.

Every format produces a list of blocks: HTML, documents, feeds, the APIs of sites. They may be
inside of containers: quotes, list items, footnotes. The text of a block is inline Markdown in which
`mark_link` has marked the links, so that the writer returns their targets and positions apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from webquarry._read.slices.text import CODE, ITEM, PROSE, TABLE, Link, Unit, WrittenText
from webquarry._read.text.code_places import fence
from webquarry._read.text.delimiters import BRACKET_NAMES, defuse_prose, may_hold_delimiter
from webquarry._read.text.escape import LINK_START, escape_heading

Kind = Literal["paragraph", "heading", "code", "table", "rule", "verbatim"]

LINK_TARGET, LINK_END = "\x03", "\x04"  # in front of the target of a link, and behind it
_MAX_DEPTH = 12  # of containers that are indented, so that the text cannot grow without bound
LINK = re.compile(f"{LINK_START}([^{LINK_TARGET}]*){LINK_TARGET}([^{LINK_END}]*){LINK_END}")


def mark_link(text: str, target: str) -> str:
    """Return inline Markdown as a link. The name of a chat delimiter is no link, because brackets
    would make it one.
    """
    if text.lstrip("/") in BRACKET_NAMES:
        return text
    return f"{LINK_START}{text}{LINK_TARGET}{target}{LINK_END}"


def strip_links(text: str) -> str:
    """Return inline Markdown without its links; their texts stay."""
    return LINK.sub(r"\1", text) if LINK_START in text else text


@dataclass(slots=True)
class Container:
    """A quote, a list item or a note: the marker is before its first line, the indent before all
    others.
    """

    marker: str
    indent: str
    is_started: bool = False  # it holds something

    @property
    def is_item(self) -> bool:
        return self.marker[0] == "-" or self.marker[0].isdigit()


@dataclass(slots=True)
class Block:
    """A block, with the containers that it is in. `text` is inline Markdown; that of code is as it
    is shown, that of verbatim text is a whole text with blank lines.
    """

    kind: Kind
    text: str = ""
    level: int = 0  # of a heading
    language: str = ""  # of code
    rows: Sequence[Sequence[str]] = ()  # of a table, the first is its head
    around: tuple[Container, ...] = ()
    is_tight: bool = False  # no blank line before it

    def write(self) -> str:
        """Return the lines of the block as Markdown, with links marked."""
        if self.kind == "heading":
            return f"{'#' * self.level} {escape_heading(self.text)}"
        if self.kind == "code":
            return fence(self.text, self.language)
        if self.kind == "table":
            return write_table(self.rows)
        return "---" if self.kind == "rule" else self.text


@dataclass(slots=True)
class Blocks:
    """A growing list of blocks. `tight` requests no blank line before the next block."""

    blocks: list[Block] = field(default_factory=list)
    tight: bool = False
    _open: tuple[Container, ...] = ()
    _skipped: int = 0  # containers that are open, but too deep to show

    def __len__(self) -> int:
        return len(self.blocks)

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def has_item(self) -> bool:
        """Whether the innermost container holds something."""
        return bool(self._open) and self._open[-1].is_started

    def ends_with_rule(self) -> bool:
        """Whether the last block, outside all containers, is a rule."""
        return not self._open and bool(self.blocks) and self.blocks[-1].kind == "rule"

    def open(self, marker: str, indent: str) -> None:
        """Start a container."""
        if len(self._open) >= _MAX_DEPTH:
            self._skipped += 1
        else:
            self._open += (Container(marker, indent),)

    def close(self) -> None:
        """End the innermost container."""
        if self._skipped:
            self._skipped -= 1
        else:
            self._open = self._open[:-1]

    def add(self, content: Block | str) -> None:
        """Add a block, or a paragraph, to the innermost container."""
        block = Block("paragraph", content) if isinstance(content, str) else content
        block.around = self._open
        block.is_tight = self.tight
        for container in self._open:
            container.is_started = True
        self.blocks.append(block)
        self.tight = False

    def extend(self, blocks: Iterable[Block]) -> None:
        """Add blocks with their own containers to the innermost container."""
        outer = self._open
        for block in blocks:
            tight = block.is_tight or self.tight
            self.tight = False
            for container in outer:
                container.is_started = True
            block.around = (*outer, *block.around)
            block.is_tight = tight
            self.blocks.append(block)


def write_blocks(blocks: Iterable[Block], removed: Counter[str]) -> WrittenText:
    """Write blocks as Markdown without link targets. Chat delimiters are escaped and counted in
    `removed`.
    """
    pieces: list[bytes] = []
    units: list[Unit] = []
    links: list[Link] = []
    place = 0

    def add(text: str) -> None:
        nonlocal place
        data = text.encode("utf-8", "replace")
        pieces.append(data)
        place += len(data)

    for separator, text, block, unit in _lay_out(blocks):
        add(separator)
        if block.kind == "verbatim":
            lines = WrittenText.of_lines(text.encode("utf-8", "replace"))
            units += [Unit(place + start, kind) for start, kind in lines.units]
            add(text)
            continue
        if unit is not None:
            units.append(Unit(place, unit))
        plain = strip_links(text) if LINK_START in text else text
        if block.kind != "code" and may_hold_delimiter(plain + "\n"):
            text = defuse_prose(plain + "\n", removed)[:-1]
        if LINK_START not in text:
            add(text)
            continue
        parts = iter(LINK.split(text))
        for before in parts:
            add(before)
            shown = next(parts, None)
            if shown is not None:
                start = place
                add(shown)
                links.append(Link(start, place, next(parts)))
    return WrittenText(b"".join(pieces), units, links)


def write_marked(blocks: Iterable[Block]) -> str:
    """Write blocks as Markdown in which links are still marked: the content of a cell."""
    return "".join([separator + text for separator, text, _, _ in _lay_out(blocks)])


def _lay_out(blocks: Iterable[Block]) -> Iterator[tuple[str, str, Block, int | None]]:
    """Yield blocks with the lines in front of them, their own lines, and the kind of the unit that
    they start, None for a block that continues one.
    """
    previous: tuple[Container, ...] | None = None
    for block in blocks:
        text = block.write()
        before = first = indent = ""  # in the blank line before the block, and in its lines
        for depth, container in enumerate(block.around):
            indent += container.indent
            if previous and depth < len(previous) and previous[depth] is container:
                before = indent
                first += container.indent
            else:
                first += container.marker
        if indent and "\n" in text:
            blank = indent.rstrip()
            first_line, *lines = text.split("\n")
            text = "\n".join([first_line, *(indent + line if line else blank for line in lines)])
        separator = ""
        if previous is not None:
            separator = "\n" if block.is_tight else f"\n{before.rstrip()}\n"
        previous = block.around
        yield separator, first + text, block, _kind_of(block, before, indent, separator == "\n")


def _kind_of(block: Block, before: str, indent: str, is_tight: bool) -> int | None:
    """Return the kind of the unit that a block starts. `before` is the indent of the containers
    that have started, `indent` that of all.
    """
    if before:
        if is_tight or before.strip():
            return None  # in a quote, or right below the line of an item
        if len(before) < len(indent) and block.around[-1].is_item:
            return ITEM
        return block.level or None if len(before) == len(indent) else None
    if block.around and block.around[0].is_item:
        return ITEM
    if is_tight:
        return None
    if block.around:
        return PROSE
    return block.level or {"code": CODE, "table": TABLE}.get(block.kind, PROSE)


def write_table(rows: Sequence[Sequence[str]]) -> str:
    """Write a pipe table, without padding; rows may have fewer cells than the first."""
    head, *others = rows
    return "\n".join([format_row(head), "|" + "-|" * len(head), *map(format_row, others)])


def format_row(cells: Sequence[str]) -> str:
    """Return a line of a pipe table."""
    escaped = (cell.replace("|", "\\|") for cell in cells)
    # a backslash at the end would escape the pipe
    return "".join(f"|{cell} " if cell.endswith("\\") else f"|{cell}" for cell in escaped) + "|"
