"""Blocks that are kept -> the same, and the short facts of the units they stand in: the dates and
prices of events, products and posts, the telephone numbers and e-mail addresses of offices. Such a
line is too short to be judged by its words.
"""

from __future__ import annotations

import re

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import mark_blocks
from webquarry._read.main_content.rules.units import holds_price
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_UNIT_TAGS = frozenset({"article", "div", "li", "section"})
_LEVELS = 3  # of the boxes around a block that may be its unit
_FEWEST_UNITS = 2
_MOST_BLOCKS = 10  # of a unit
_LEAST_KEPT = 0.5  # of its characters
_LONGEST = 40  # characters of such a line
_POSSIBLE = 0.05  # by either stage
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG
_MONTH = r"[^\W\d_]{3,10}\.?"  # in any language
_DATE = re.compile(
    rf"\b\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}\b|\b\d\d?:\d\d\b|\d年"
    rf"|\b{_MONTH} \d\d?,? \d{{4}}\b|\b\d\d?\.? {_MONTH},? \d{{4}}\b"
    rf"|^\d\d?\.? {_MONTH}$|^{_MONTH} \d\d?$"
)
# a telephone number or an e-mail address and nothing else, which may well be links
_CONTACT = re.compile(r"\+?[\d(][\d ()/.–-]{5,24}|[^\s@]{1,40}@[^\s@]{1,40}\.[^\s@]{2,20}")


def add_short_facts(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the short facts of units of which most is kept."""
    units_alike = _find_units(flow, kept)
    if not units_alike:
        return kept
    chosen = mark_blocks(kept, len(flow.texts))
    added: list[int] = []
    for units in units_alike:
        mostly_kept = [unit for unit in units if _is_mostly_kept(flow, unit, chosen)]
        if len(mostly_kept) < _FEWEST_UNITS:
            continue
        for unit in mostly_kept:
            added += _find_facts(flow, chances, unit, chosen)
    if not added:
        return kept
    return sorted({*kept, *added})


def _find_units(flow: Flow, kept: list[int]) -> list[list[int]]:
    """The small boxes around kept blocks, those of the same tag and class in one box together."""
    alike: dict[tuple[int, str, str], list[int]] = {}
    seen = bytearray(len(flow.tags))
    for index in kept:
        box = flow.boxes[index]
        for _ in range(_LEVELS):
            if box < 0 or seen[box]:
                break
            blocks = flow.last[box] - flow.first[box]
            if blocks > _MOST_BLOCKS:
                break
            seen[box] = 1
            parent = flow.parents[box]
            tag, name = flow.tags[box], flow.names[box]
            if blocks > 1 and name and tag in _UNIT_TAGS:
                kind = (parent, tag, name.partition(" ")[0])
                known = alike.get(kind)
                if known is None:
                    alike[kind] = [box]
                else:
                    known.append(box)
            box = parent
    return [units for units in alike.values() if len(units) >= _FEWEST_UNITS]


def _is_mostly_kept(flow: Flow, unit: int, chosen: bytearray) -> bool:
    """Whether most of a box is kept, but not all."""
    length = kept = 0
    for index in range(flow.first[unit], flow.last[unit]):
        text = flow.texts[index]
        size = len(text)
        length += size
        if chosen[index]:
            kept += size
    return _LEAST_KEPT * length <= kept < length


def _find_facts(flow: Flow, chances: Chances, unit: int, chosen: bytearray) -> list[int]:
    """The short facts of a unit that are not kept."""
    found: list[int] = []
    for index in range(flow.first[unit], flow.last[unit]):
        text = flow.texts[index]
        if chosen[index] or len(text) > _LONGEST:
            continue
        box = flow.boxes[index]
        flags = flow.flags[box]
        chance = max(chances.first[index], chances.final[index])
        if chance < _POSSIBLE or flags & _SET_ASIDE:
            continue
        if _tells_something(text, is_link=flow.link_chars[index] > 0):
            found.append(index)
    return found


def _tells_something(text: str, *, is_link: bool) -> bool:
    """Whether a short line is a fact by its shape."""
    if _CONTACT.fullmatch(text):
        return True
    if is_link:
        return False
    return holds_price(text) or _DATE.search(text) is not None
