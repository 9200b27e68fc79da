"""Split CSS text at separators outside of brackets, strings and escapes, and remove comments."""

from __future__ import annotations

import re

_SPECIAL = re.compile(r"[()\[\]{}\"'\\]")
_SIGNS = re.compile(r"\\.|[()\[\]{}\"',;:/ \t\r\n\f]", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"


def split_top(text: str, separator: str) -> list[str]:
    """Split a text at a separator and strip the parts; " " matches any whitespace."""
    if _SPECIAL.search(text) is None:
        if separator == " ":
            return text.split()
        return [part.strip() for part in text.split(separator)]
    parts: list[str] = []
    start = place = depth = 0
    while (found := _SIGNS.search(text, place)) is not None:
        sign = found[0]
        place = found.end()
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth = max(depth - 1, 0)
        elif sign in "\"'":
            place = find_string_end(text, place, sign)
        elif not depth and (sign == separator or (separator == " " and sign.isspace())):
            parts.append(text[start : found.start()].strip())
            start = place
    parts.append(text[start:].strip())
    if separator == " ":
        return [part for part in parts if part]
    return parts


def find_closing(text: str, place: int) -> int:
    """Return the position of the bracket that closes the one right before a place, or the end of
    the text.
    """
    depth = 1
    while (found := _SIGNS.search(text, place)) is not None:
        sign = found[0]
        place = found.end()
        if sign in _OPENING:
            depth += 1
        elif sign in _CLOSING:
            depth -= 1
            if not depth:
                return found.start()
        elif sign in "\"'":
            place = find_string_end(text, place, sign)
    return len(text)


def find_string_end(text: str, place: int, quote: str) -> int:
    """Return the position behind the quote that ends a string, or the end of the text."""
    while (end := text.find(quote, place)) >= 0:
        backslashes = end - place - len(text[place:end].rstrip("\\"))
        if backslashes % 2 == 0:
            return end + 1
        place = end + 1
    return len(text)


def remove_comments(text: str) -> str:
    """Return a style sheet or script without `/* */` comments, of which an unclosed one takes the
    rest.
    """
    return _COMMENT.sub(" ", text)
