"""Statements out of typed text: lines come in, whole statements (up to their semicolon) and the rest go out."""

from __future__ import annotations

import re

# What may hold a semicolon that ends nothing: strings, quoted names, dollar quotes, comments. An open one takes all that follows.
_TOKEN = re.compile(
    r"(?s)'(?:[^']|'')*(?:'|$)"
    r'|"(?:[^"]|"")*(?:"|$)'
    r"|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|$)"
    r"|--[^\n]*"
    r"|/\*.*?(?:\*/|$)"
    r"|;"
    r"|[^'\"$/;-]+|."
)
_COMMENT = re.compile(r"(?s)^(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/)+")


def split(text: str) -> tuple[list[str], str]:
    """The statements that are complete, without their semicolons, and what is left over."""
    statements: list[str] = []
    start = 0
    for token in _TOKEN.finditer(text):
        if token[0] == ";":
            statements.append(text[start : token.start()].strip())
            start = token.end()
    return [one for one in statements if not is_blank(one)], text[start:]


def is_blank(text: str) -> bool:
    """Nothing but blanks and comments."""
    return not _COMMENT.sub("", text.strip() + " ").strip()
