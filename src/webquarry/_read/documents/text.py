"""Text of documents as Markdown: escaped lines, tables, and paragraphs of formatted runs.

Whitespace is folded, so the results are single lines, and invisible characters are removed and
counted. Only text at the start of a paragraph can be mistaken for a list or heading marker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from webquarry._read.markdown.inline import BREAK, CLOSE, Piece, Span
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.text.characters import strip_invisible, without_surrogates
from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.escape import escape, escape_heading, escape_line_starts
from webquarry._read.text.fence import fence

_LONGEST_NAME = 500  # characters of a title or an author
_BLANKS = re.compile(r"[ \t\n\r\f\v\u2028\u2029]{2,}|[\t\n\r\f\v\u2028\u2029]")


def escape_line(text: str, removed: Counter[str]) -> str:
    """Escape text for the middle of a line: in a heading or a cell."""
    folded = _BLANKS.sub(" ", without_surrogates(text))
    return escape(strip_invisible(folded, removed)).strip()


def escape_paragraph(text: str, removed: Counter[str]) -> str:
    """Escape text that is a block of its own."""
    return escape_line_starts(escape_line(text, removed))


def build_heading(text: str, level: int, removed: Counter[str]) -> str:
    """Return a heading of plain text; empty if there is no text."""
    line = escape_line(text, removed)
    return f"{'#' * level} {escape_heading(line)}" if line else ""


def build_table(rows: Iterable[Iterable[str]], removed: Counter[str]) -> str:
    """Return a table of plain texts without header cells; empty if there are no rows."""
    table = Table()
    for row in rows:
        table.rows.append([Cell(escape_line(text, removed), heading=False) for text in row])
    return table.text()


def build_code(text: str, removed: Counter[str]) -> str:
    """Return a fenced block."""
    visible = strip_invisible(without_surrogates(text), removed)
    return fence(defuse_verbatim(visible, removed), "")


def clean_name(text: str, removed: Counter[str]) -> str:
    """Return a title or an author as one plain line, not as Markdown."""
    folded = _BLANKS.sub(" ", without_surrogates(text[: 4 * _LONGEST_NAME]))
    visible = strip_invisible(folded, removed)
    return defuse_verbatim(visible, removed).strip()[:_LONGEST_NAME]


class TextStyle(NamedTuple):
    """Formatting of a run."""

    link: Span | None = None
    marks: tuple[str, ...] = ()


PLAIN = TextStyle()


@dataclass
class DocumentParagraph:
    """Runs of one paragraph of an Office document."""

    runs: list[tuple[str, TextStyle]] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)  # text boxes, charts and diagrams
    length: int = 0

    def add(self, text: str, style: TextStyle = PLAIN) -> None:
        """Add a run of text."""
        self.runs.append((text, style))
        self.length += len(text)

    def pieces(self, *, plain: bool = False) -> list[Piece]:
        """Return the runs as pieces for `Inline`, without emphasis if `plain`."""
        pieces: list[Piece] = []
        open_spans: list[Span | str] = []
        for text, style in self.runs:
            wanted: list[Span | str] = [style.link] if style.link else []
            if not plain:
                wanted += style.marks
            same = 0  # open spans that continue
            while same < min(len(open_spans), len(wanted)) and open_spans[same] == wanted[same]:
                same += 1
            pieces += [CLOSE] * (len(open_spans) - same)
            for span in wanted[same:]:
                pieces.append(span if isinstance(span, Span) else Span(span))
            pieces.append(text)
            open_spans[same:] = wanted[same:]
        pieces += [CLOSE] * len(open_spans)
        return pieces

    def text(self) -> str:
        """Return the plain text with line breaks."""
        return "".join(text for text, _ in self.runs).replace(BREAK, "\n")
