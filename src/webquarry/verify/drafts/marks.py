"""Text -> the ranges that stand in quotation marks, of any language, nested ones within their outer
pair. An apostrophe closes nothing.
"""

from __future__ import annotations

import re

Range = tuple[int, int]

# Opening marks and what may close them. German closes with what English opens.
_CLOSING = {
    "“": "”“", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "《": "》", "‟": "”",
    "＂": "＂", "‹": "›",
}  # fmt: skip
_STRAIGHT = '"'
_SINGLE, _SINGLE_END = "‘", "’"
_MARK = re.compile('[“”„«»「」『』《》‟＂‹›"‘’]')
_LONGEST = 5_000  # characters of a quotation in running text


def find_quotations(text: str) -> list[Range]:
    """The ranges between the outermost pairs of quotation marks."""
    ranges: list[Range] = []
    opened = -1
    closing = ""
    depth = 0
    opening = ""
    for found in _MARK.finditer(text):
        mark = found[0]
        place = found.start()
        if opened >= 0 and place - opened > _LONGEST:
            opened = -1
        if opened < 0:
            closing = _find_closing(text, mark, place)
            if closing:
                opened = found.end()
                depth = 0
                opening = mark
            continue
        if mark in closing and not _is_apostrophe(text, mark, place):
            if depth:
                depth -= 1
            else:
                ranges.append((opened, place))
                opened = -1
        elif mark == opening and mark != _STRAIGHT:
            depth += 1
    return ranges


def _find_closing(text: str, mark: str, place: int) -> str:
    """What closes the pair that a mark opens; nothing where it opens none."""
    before = text[place - 1 : place]
    behind = text[place + 1 : place + 2]
    if not behind or (behind.isspace() and mark != "«"):  # French sets a blank
        return ""
    if mark == _STRAIGHT:
        is_inside = before.isalnum() or before in ".,;:!?)"
        return "" if before and is_inside else _STRAIGHT
    if mark == _SINGLE:
        return "" if before.isalnum() else _SINGLE_END
    if mark == "»" and before.isalnum():
        return ""
    return _CLOSING.get(mark, "")


def _is_apostrophe(text: str, mark: str, place: int) -> bool:
    """Whether a mark that could close stands within a word, or opens the next one."""
    before = text[place - 1 : place]
    behind = text[place + 1 : place + 2]
    if mark == _SINGLE_END:
        return before.isalnum() and behind.isalnum()
    if mark == _STRAIGHT:
        return before.isspace() and behind.isalnum()
    return False
