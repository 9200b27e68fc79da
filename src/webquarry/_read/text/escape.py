"""Plain text -> Markdown that reads as that text: escapes only where a parser would otherwise see
markup.

`escape` is for text inside a line and is given whole runs; `escape_line_starts` looks at the
beginnings of finished lines, where a number with a full stop or a dash would start a list.
"""

from __future__ import annotations

import re

try:
    from webquarry._read.text._fold import escape
except ImportError:  # not built: the same in Python
    from webquarry._read.text.fold import escape

__all__ = ["escape", "escape_cell", "escape_heading", "escape_line_starts"]

_LINE_MAY_NEED = frozenset("-+*#>=_:|0123456789")
_LINE_START = re.compile(
    r"^(?:([-+*])(?=[ \t]|$)|(\#{1,6})(?=[ \t]|$)|(>)|(\d{1,9})([.)])(?=[ \t]|$)"
    r"|(?=[-=_* \t]+$)([-=_*])|(?=[|: -]+$)(?=[^-\n]*-)([|:-]))",
    re.MULTILINE,
)
_LONGEST_NUMBER = 10  # characters, with the sign behind it
_CLOSING_HASHES = re.compile(r"(^|[ \t])(#+)$")


def escape_line_starts(text: str) -> str:
    """Finished lines, none of which looks like a list, a heading, a quote or a rule any more."""
    if "\n" in text:
        return _LINE_START.sub(_escape_line_start, text)
    if not _may_start_block(text):
        return text  # as nearly all: one line that begins with a letter
    found = _LINE_START.match(text)
    if found is None:
        return text
    return _escape_line_start(found) + text[found.end() :]


def _may_start_block(text: str) -> bool:
    """Whether a line begins with signs that may mean something; few of those with numbers do."""
    first = text[:1]
    if first not in _LINE_MAY_NEED:
        return False
    if first.isdigit():
        number = text[:_LONGEST_NUMBER]
        return "." in number or ")" in number
    return first == ">" or not text[1:2].isalnum()


def _escape_line_start(found: re.Match[str]) -> str:
    """The beginning of a line behind a backslash."""
    number = found[4]
    if number:  # it is the sign behind a number that makes a list
        return f"{number}\\{found[5]}"
    return "\\" + found[0]


def escape_heading(text: str) -> str:
    """One line of a heading: number signs at its end would be taken for its closing."""
    if "#" not in text:
        return text
    return _CLOSING_HASHES.sub(r"\1\\\2", text)


def escape_cell(text: str) -> str:
    """Finished Markdown for a table cell."""
    if "|" in text:
        return text.replace("|", "\\|")
    return text
