"""Plain text -> Markdown that reads as that text: escapes only where a parser would otherwise see
markup.

`escape` is for text inside a line and is given whole runs; `escape_line_starts` looks at the
beginnings of finished lines, where a number with a full stop or a dash would start a list.
"""

from __future__ import annotations

import re

try:
    from webquarry.read.text._fold import find_mark
except ImportError:  # not built: the same in Python
    from webquarry.read.text.fold import find_mark

_INSIDE = re.compile(
    # a backslash in front of punctuation or at the end of a line
    r"\\(?=[!-/:-@\[-`{-~]| ?(?:[\u2028\u2029\n]|\Z))"
    r"|[`\[\]]"
    r"|\*+|_+"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=\#?\w{1,32};)"
    r"|~{2,}",
)
_LINE_MAY_NEED = frozenset("-+*#>=_:|0123456789")
_LINE_START = re.compile(
    r"^(?:([-+*])(?=[ \t]|$)|(\#{1,6})(?=[ \t]|$)|(>)|(\d{1,9})([.)])(?=[ \t]|$)"
    r"|(?=[-=_* \t]+$)([-=_*])|(?=[|: -]+$)(?=[^-\n]*-)([|:-]))",
    re.MULTILINE,
)
_CLOSING_HASHES = re.compile(r"(^|[ \t])(#+)$")


def escape(text: str) -> str:
    """Text for the middle of a line."""
    place = find_mark(text, 0)
    if place < 0:
        return text

    def escape_part(found: re.Match[str]) -> str:
        """One run of signs, escaped unless it can mean nothing."""
        part = found[0]
        mark = part[0]
        if mark in "*_":
            # whether a parser could take the run for the edge of an emphasis
            before = text[found.start() - 1 : found.start()]
            after = text[found.end() : found.end() + 1]
            if mark == "_" and before.isalnum() and after.isalnum():
                return part  # snake_case
            is_blank_before = not before or before.isspace()
            is_blank_after = not after or after.isspace()
            if is_blank_before and is_blank_after:
                return part
        return "".join("\\" + character for character in part)

    # looked for mark by mark, which is several times as fast as a search for all they can mean
    parts: list[str] = []
    done = 0
    while place >= 0:
        found = _INSIDE.match(text, place)
        if found is None:
            place = find_mark(text, place + 1)
            continue
        parts += (text[done:place], escape_part(found))
        done = found.end()
        place = find_mark(text, done)
    parts.append(text[done:])
    return "".join(parts)


def escape_line_starts(text: str) -> str:
    """Finished lines, none of which looks like a list, a heading, a quote or a rule any more."""
    if "\n" in text:
        return _LINE_START.sub(_escape_line_start, text)
    if text[:1] not in _LINE_MAY_NEED:
        return text  # as nearly all: one line that begins with a letter
    found = _LINE_START.match(text)
    if found is None:
        return text
    return _escape_line_start(found) + text[found.end() :]


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
