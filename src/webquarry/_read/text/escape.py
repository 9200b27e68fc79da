"""Escape plain text for Markdown, only where a parser would see markup.

`escape` is for text within a line; `escape_line_starts` is for complete lines, where a number with
a full stop or a dash would start a list.
"""

from __future__ import annotations

import re

from webquarry._read.text._fold import escape

__all__ = ["escape", "escape_cell", "escape_heading", "escape_line_starts"]

_LINE_MAY_NEED = frozenset("-+*#>=_:|0123456789")
_LINE_START = re.compile(
    r"^(?:([-+*])(?=[ \t]|$)|(\#{1,6})(?=[ \t]|$)|(>)|(\d{1,9})([.)])(?=[ \t]|$)"
    r"|(?=[-=_* \t]+$)([-=_*])|(?=[|: -]+$)(?=[^-\n]*-)([|:-]))",
    re.MULTILINE,
)
_LONGEST_NUMBER = 10  # characters, with the full stop or parenthesis
_CLOSING_HASHES = re.compile(r"(^|[ \t])(#+)$")


def escape_line_starts(text: str) -> str:
    """Escape line starts that a parser would treat as a list, heading, quote or rule."""
    if "\n" in text:
        return _LINE_START.sub(_escape_line_start, text)
    if not _may_start_block(text):
        return text
    found = _LINE_START.match(text)
    if found is None:
        return text
    return _escape_line_start(found) + text[found.end() :]


def _may_start_block(text: str) -> bool:
    """Return whether the start of a line may be markup."""
    first = text[:1]
    if first not in _LINE_MAY_NEED:
        return False
    if first.isdigit():
        number = text[:_LONGEST_NUMBER]
        return "." in number or ")" in number
    return first == ">" or not text[1:2].isalnum()


def _escape_line_start(found: re.Match[str]) -> str:
    """Return the start of a line with a backslash before its markup."""
    number = found[4]
    if number:  # the character after the number starts a list
        return f"{number}\\{found[5]}"
    return "\\" + found[0]


def escape_heading(text: str) -> str:
    """Escape number signs at the end of a heading, which a parser would remove."""
    if "#" not in text:
        return text
    return _CLOSING_HASHES.sub(r"\1\\\2", text)


def escape_cell(text: str) -> str:
    """Escape Markdown for a table cell."""
    if "|" in text:
        return text.replace("|", "\\|")
    return text
