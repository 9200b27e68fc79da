"""Style sheets as bytes -> what stands before each closing brace, without comments.

`_css_filter.pyx` does the same and is used where it could be built. Several sheets stand in one
text: a NUL byte begins a sheet, and up to the next one stand the groups (`@media print{`) that all
of it is in.
"""

from __future__ import annotations

import re

SHEET_MARK = b"\0"
_TOKENS = re.compile(rb"""[}"'(]|\\|/\*|<!--|-->""")
_SHIELDED = re.compile(rb"[{};\[\](),<*]")
_STRING_ENDS = {
    b'"': re.compile(rb'(?:[^"\n\\]|\\.)*+', re.DOTALL),
    b"'": re.compile(rb"(?:[^'\n\\]|\\.)*+", re.DOTALL),
}
_URL_END = re.compile(rb"(?:[^)\\]|\\.)*+", re.DOTALL)
_QUOTED = re.compile(rb"[ \t\n\r\f\v]*+[\"']")
_IN_WORD = re.compile(rb"[\w\x80-\xff\\-]", re.ASCII)


def join_sheets(sheets: list[tuple[bytes, bytes]]) -> bytes:
    """Sheets, each with the groups that it stands in, as one text."""
    pieces: list[bytes] = []
    for wrapper, css in sheets:
        css = css.replace(SHEET_MARK, b"\xef\xbf\xbd")
        pieces += [SHEET_MARK, wrapper, SHEET_MARK, css]
    return b"".join(pieces)


def split_parts(css: bytes) -> list[bytes]:
    """What stands before each closing brace. What begins with a NUL byte are the groups around the
    sheet that follows.
    """
    first, *others = css.split(SHEET_MARK)
    parts: list[bytes] = []
    if first or not others:
        parts += _split_sheet(first)
    for number, text in enumerate(others):
        if number % 2 == 0:
            parts.append(SHEET_MARK + text)
        elif text:
            parts += _split_sheet(text)
    return parts


def _split_sheet(css: bytes) -> list[bytes]:
    """The parts of one sheet."""
    parts: list[bytes] = []
    pieces: list[bytes] = []
    start = place = 0
    string_end = -1  # of the last one
    while (found := _TOKENS.search(css, place)) is not None:
        token = found[0]
        place = found.end()
        if token == b"}":
            pieces.append(css[start : found.start()])
            parts.append(b"".join(pieces))
            pieces.clear()
            start = place
        elif token == b"\\":
            place += 1
        elif token in (b'"', b"'"):
            start = place = string_end = _shield(css, start, place, _STRING_ENDS[token], pieces)
        elif token == b"(":
            is_url = place - start >= 4 and css[place - 4 : place - 1].lower() == b"url"
            if is_url and place < len(css.rstrip()) and _QUOTED.match(css, place) is None:
                start = place = string_end = _shield(css, start, place, _URL_END, pieces)
        else:
            pieces.append(css[start : found.start()])
            if token == b"/*":
                place = _find_comments_end(css, place)
            is_start = found.start() == start != string_end
            if token != b"/*" or is_start or _parts_words(css, found.start(), place):
                pieces.append(b" ")
            start = place
    pieces.append(css[start:])
    parts.append(b"".join(pieces))
    return parts


def _find_comments_end(css: bytes, place: int) -> int:
    """Where comments that follow each other end; the first began before a place."""
    while True:
        end = css.find(b"*/", place)
        if end < 0:
            return len(css)
        place = end + 2
        if css[place : place + 2] != b"/*":
            return place
        place += 2


def _parts_words(css: bytes, start: int, end: int) -> bool:
    """Whether words stand on both sides of what is left out."""
    if end >= len(css):
        return True
    is_behind_word = _IN_WORD.match(css, start - 1) is not None
    return is_behind_word and _IN_WORD.match(css, end) is not None


def _shield(
    css: bytes, start: int, place: int, ending: re.Pattern[bytes], pieces: list[bytes]
) -> int:
    """Add all up to the end of a string, with the signs that mean something elsewhere written as
    escapes; where that end is.
    """
    found = ending.match(css, place)
    assert found is not None  # it matches nothing, too
    end = found.end()
    if css[end : end + 1] == b"\\":  # the very last byte
        end += 1
    pieces.append(css[start:place])
    pieces.append(_SHIELDED.sub(lambda sign: b"\\%x " % ord(sign[0]), css[place:end]))
    if css[end : end + 1] not in (b"", b"\n"):
        pieces.append(css[end : end + 1])
        end += 1
    return end
