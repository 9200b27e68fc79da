"""CSS text -> its pieces, cut in one pass: a sign counts only outside of brackets, quotes and
escapes.
"""

from __future__ import annotations

import re

_SIGNS = re.compile(r"""[,;()\[\]{}"']|\\.""", re.DOTALL)
_BRACKETS = re.compile(r"""[()\[\]{}"']|\\.""", re.DOTALL)
_ODD = re.compile(r"""[\[{"'\\]""")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def split_list(text: str, separator: str = ",") -> list[str]:
    """What stands between the commas of a list, or between its semicolons."""
    if separator not in text:
        return [text]
    if _ODD.search(text) is None:
        if "(" in text:
            return join_brackets(text.split(separator), separator)
        return text.split(separator)
    pieces: list[str] = []
    open_brackets: list[str] = []
    start = place = 0
    signs = _SIGNS  # in brackets nothing is cut
    while (found := signs.search(text, place)) is not None:
        sign = found[0]
        place = found.end()
        if sign in ('"', "'"):
            place = find_string_end(text, place, sign)
        elif sign == separator:
            pieces.append(text[start : place - 1])
            start = place
        elif sign in _CLOSING:
            open_brackets.append(_CLOSING[sign])
        elif open_brackets and sign == open_brackets[-1]:
            open_brackets.pop()
        signs = _BRACKETS if open_brackets else _SIGNS
    pieces.append(text[start:])
    return pieces


def join_brackets(pieces: list[str], separator: str) -> list[str]:
    """Pieces of a text whose only brackets are round ones, with those joined that stand in the same
    brackets.
    """
    joined: list[str] = []
    start = depth = 0
    for place, piece in enumerate(pieces):
        if "(" in piece or (depth and ")" in piece):
            depth = _count_open(piece, depth)
        if not depth:
            joined.append(separator.join(pieces[start : place + 1]))
            start = place + 1
    if start < len(pieces):
        joined.append(separator.join(pieces[start:]))
    return joined


def _count_open(piece: str, depth: int) -> int:
    """How many brackets are open behind a piece, if so many were before it."""
    for part in piece.split("(")[:-1]:
        depth = max(0, depth - part.count(")")) + 1
    return max(0, depth - piece.rpartition("(")[2].count(")"))


def find_closing(text: str, place: int) -> int:
    """Where the bracket closes that stands right before a place; -1 where it never does."""
    end = text.find(_CLOSING[text[place - 1]], place)
    if end < 0:
        return -1
    inside = text[place:end]
    is_plain = "(" not in inside and "[" not in inside and "{" not in inside
    if is_plain and '"' not in inside and "'" not in inside and "\\" not in inside:
        return end  # as most do
    open_brackets = [_CLOSING[text[place - 1]]]
    while (found := _BRACKETS.search(text, place)) is not None:
        sign = found[0]
        place = found.end()
        if sign in ('"', "'"):
            place = find_string_end(text, place, sign)
        elif sign in _CLOSING:
            open_brackets.append(_CLOSING[sign])
        elif sign == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return place - 1
    return -1


def find_string_end(text: str, place: int, quote: str) -> int:
    """Behind the quote that ends a string which began before a place; a string that never ends
    goes on to the end.
    """
    while True:
        end = text.find(quote, place)
        if end < 0:
            return len(text)
        backslashes = end - len(text[place:end].rstrip("\\")) - place
        if backslashes % 2 == 0:
            return end + 1
        place = end + 1
