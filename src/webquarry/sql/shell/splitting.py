"""Statements out of typed text: lines come in, whole statements (up to their semicolon) and the
rest go out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# What may hold a semicolon that ends nothing: strings, quoted names, dollar quotes, comments. An
# open one takes all that follows.
_TOKEN = re.compile(
    r"(?s)'(?:[^']|'')*(?:'|$)"
    r'|"(?:[^"]|"")*(?:"|$)'
    r"|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|$)"
    r"|--[^\n]*"
    r"|/\*.*?(?:\*/|$)"
    r"|;"
    r"|[^'\"$/;-]+|."
)
_COMMENT = re.compile(r"(?s)(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/)*")


def split_statements(text: str) -> tuple[list[str], str]:
    """The statements that are complete, without their semicolons, and what is left over."""
    statements: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token[0] == ";":
            statement = text[start : token.start()].strip()
            start = token.end()
            if not is_blank(statement):
                statements.append(statement)
    return statements, text[start:]


def split_commands(text: str) -> Iterator[tuple[bool, str]]:
    """The commands (True) and statements of a whole text in order, each looked at once however long
    the text is.
    """
    start = 0
    while start < len(text):
        blank = _COMMENT.match(text, start)
        begin = blank.end() if blank else start
        line_start = text.rfind("\n", 0, begin) + 1
        is_first_on_line = not text[line_start:begin].strip()
        if text.startswith(".", begin) and is_first_on_line:
            end = (text.find("\n", begin) + 1) or len(text)
            yield True, text[begin:end].strip()
        else:
            end = len(text)
            for token in _TOKEN.finditer(text, begin):
                if token[0] == ";":
                    end = token.end()
                    break
            statement = text[start:end].strip().removesuffix(";").strip()
            if not is_blank(statement):
                yield False, statement
        start = end


def is_blank(text: str) -> bool:
    """Nothing but blanks and comments."""
    found = _COMMENT.match(text)
    return found is not None and found.end() == len(text)
