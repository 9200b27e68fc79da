"""Plain text of documents as Markdown, and the limits, reasons and errors that all of them share.

Whitespace is folded, so the results are single lines, and invisible characters are removed and
counted. Only text at the start of a paragraph can be mistaken for a list or heading marker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.tables import Cell, Table
from webquarry._read.models import Dated
from webquarry._read.text.characters import strip_invisible, without_surrogates
from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.escape import escape, escape_line_starts

LONGEST_TEXT = 10_000_000  # characters of one document; the rest is left out with a note

# Reasons for text that is left out.
HIDDEN = "hidden text"
OFF_PAGE = "off page"
SAME_COLOUR = "same colour"
TINY = "tiny text"

_LONGEST_NAME = 500  # characters of a title or an author
_NO_TITLE = re.compile(  # filled in by programs
    r"(?i)(?:(?:powerpoint[- ])?pr[aäée]sentation|untitled|unbenannt|sans titre|sin título|doc"
    r"|document|slide|title|titel|titre)?\s*[\d-]*"
    r"|(?:microsoft (?:word|powerpoint|excel)|powerpoint presentation|print|layout \d+"
    r"|about:blank)\b.*"
    r"|\S+\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|qxp|rtf|odt|html?|ps|pages|pub)(?:\s.*)?"
)
_DATE = re.compile(
    r"(?:19|20|21)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])"
    r"(?:T[0-2]\d:[0-5]\d(?::[0-5]\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_BLANKS = re.compile(r"[ \t\n\r\f\v\u2028\u2029]{2,}|[\t\n\r\f\v\u2028\u2029]")


class Refusal(Exception):
    """A document cannot be read. The message continues its name: "is protected by a password"."""


def escape_line(text: str, removed: Counter[str]) -> str:
    """Escape text for the middle of a line: in a heading or a cell."""
    folded = _BLANKS.sub(" ", without_surrogates(text))
    return escape(strip_invisible(folded, removed)).strip()


def escape_paragraph(text: str, removed: Counter[str]) -> str:
    """Escape text that is a block of its own."""
    return escape_line_starts(escape_line(text, removed))


def build_heading(text: str, level: int, removed: Counter[str]) -> Block | None:
    """Return a heading of plain text; None if there is no text."""
    line = escape_line(text, removed)
    return Block("heading", line, level) if line else None


def build_table(rows: Iterable[Iterable[str]], removed: Counter[str]) -> Block | None:
    """Return a table of plain texts without header cells; None if there are no rows."""
    table = Table()
    for row in rows:
        table.rows.append([Cell(escape_line(text, removed), heading=False) for text in row])
    return table.to_block()


def build_code(text: str, removed: Counter[str]) -> Block:
    """Return a code block."""
    visible = strip_invisible(without_surrogates(text), removed)
    return Block("code", defuse_verbatim(visible, removed))


def parse_date(value: str, name: str) -> Dated | None:
    """Return an ISO date, as exact as it is; None if it is not valid."""
    return Dated(value, name) if _DATE.fullmatch(value) else None


def clean_name(text: str, removed: Counter[str]) -> str:
    """Return a title or an author as one plain line, not as Markdown."""
    folded = _BLANKS.sub(" ", without_surrogates(text[: 4 * _LONGEST_NAME]))
    visible = strip_invisible(folded, removed)
    return defuse_verbatim(visible, removed).strip()[:_LONGEST_NAME]


def clean_title(text: str, removed: Counter[str]) -> str:
    """Return a title from metadata; empty for one that a program filled in."""
    title = clean_name(text, removed)
    return "" if _NO_TITLE.fullmatch(title) else title
