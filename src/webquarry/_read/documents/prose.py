"""Text of a document -> Markdown that reads as that text. What a person cannot see is taken out,
and counted.

Blanks are folded, so what comes out is one line; only a paragraph can begin with something that
Markdown would take for a list or a heading, and only there is it escaped.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry._read.text.characters import strip_invisible, without_surrogates
from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.escape import escape, escape_heading, escape_line_starts

_LONGEST_NAME = 500  # characters of a title or an author
_BLANKS = re.compile(r"[ \t\n\r\f\v\u2028\u2029]{2,}|[\t\n\r\f\v\u2028\u2029]")


def escape_line(text: str, removed: Counter[str]) -> str:
    """One line that does not begin a line of Markdown: in a heading, in a cell."""
    sound = without_surrogates(text)
    folded = _BLANKS.sub(" ", sound)
    visible = strip_invisible(folded, removed)
    return escape(visible).strip()


def escape_paragraph(text: str, removed: Counter[str]) -> str:
    """One line that is a block of its own."""
    line = escape_line(text, removed)
    return escape_line_starts(line)


def build_heading(text: str, level: int, removed: Counter[str]) -> str:
    """A heading, or nothing where there is no text."""
    line = escape_line(text, removed)
    if not line:
        return ""
    return f"{'#' * level} {escape_heading(line)}"


def clean_name(text: str, removed: Counter[str]) -> str:
    """A title or an author: one plain line, not Markdown."""
    beginning = without_surrogates(text[: 4 * _LONGEST_NAME])
    folded = _BLANKS.sub(" ", beginning)
    visible = strip_invisible(folded, removed)
    safe = defuse_verbatim(visible, removed)
    return safe.strip()[:_LONGEST_NAME]
