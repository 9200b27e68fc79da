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


def split(text: str) -> tuple[list[str], str]:
    """The statements that are complete, without their semicolons, and what is left over."""
    statements: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token[0] == ";":
            statements.append(text[start : token.start()].strip())
            start = token.end()
    return [one for one in statements if not is_blank(one)], text[start:]


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The commands (True) and statements of a whole text in order, each looked at once however long
    the text is.
    """
    start = 0
    while start < len(text):
        found = _COMMENT.match(text, start)
        begun = found.end() if found else start
        line = text.rfind("\n", 0, begun) + 1
        if text.startswith(".", begun) and not text[line:begun].strip():
            end = (text.find("\n", begun) + 1) or len(text)
            yield True, text[begun:end].strip()
        else:
            end = next(
                (token.end() for token in _TOKEN.finditer(text, begun) if token[0] == ";"),
                len(text),
            )
            statement = text[start:end].strip().removesuffix(";").strip()
            if not is_blank(statement):
                yield False, statement
        start = end


def is_blank(text: str) -> bool:
    """Nothing but blanks and comments."""
    found = _COMMENT.match(text)
    return found is not None and found.end() == len(text)
