"""Blocks that are kept -> the same, and the other items of a list of which a good part is kept: an
item that is a link looks like a menu, until one sees the items beside it.
"""

from __future__ import annotations

from webquarry._read.main_content.blocks import Flow, count_characters
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_LEVELS = 3  # of the boxes around a block that may be its item
_LEAST_KEPT = 1 / 3  # of the items
_LONGEST = 200  # characters of an item
_POSSIBLE = 0.05  # by either stage
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def add_items(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those that complete lists."""
    if "li" not in flow.known_tags:
        return kept
    is_kept = _mark_items(flow, kept)
    items_of = _list_items(flow, is_kept)
    added: list[int] = []
    for items in items_of.values():
        missing = [item for item in items if not is_kept[item]]
        if missing and len(items) - len(missing) >= _LEAST_KEPT * len(items):
            for item in missing:
                added += _find_text(flow, chances, item)
    if not added:
        return kept
    return sorted({*kept, *added})


def _mark_items(flow: Flow, kept: list[int]) -> bytearray:
    """A mark for each box: 1 for the items of lists that hold something that is kept."""
    marks = bytearray(len(flow.tags))
    last = -1
    for index in kept:
        box = flow.boxes[index]
        if box == last:
            continue
        last = box
        for _ in range(_LEVELS):
            if box < 0:
                break
            tag = flow.tags[box]
            if tag == "li":
                marks[box] = 1
                break
            box = flow.parents[box]
    return marks


def _list_items(flow: Flow, is_kept: bytearray) -> dict[int, list[int]]:
    """The items of each list of which one is kept, by the box around them."""
    items_of: dict[int, list[int]] = {}
    for box in range(len(is_kept)):
        if is_kept[box]:
            items_of[flow.parents[box]] = []
    if not items_of:
        return items_of
    for box in range(len(is_kept)):
        tag = flow.tags[box]
        if tag != "li":
            continue
        items = items_of.get(flow.parents[box])
        if items is not None:
            items.append(box)
    return items_of


def _find_text(flow: Flow, chances: Chances, item: int) -> list[int]:
    """The blocks of an item that may belong to the page; none of one that is long, and could have
    been judged by its words.
    """
    found: list[int] = []
    start, end = flow.first[item], flow.last[item]
    if count_characters(flow.texts[start:end]) > _LONGEST:
        return found
    for index in range(start, end):
        chance = max(chances.first[index], chances.final[index])
        box = flow.boxes[index]
        flags = flow.flags[box]
        if chance >= _POSSIBLE and not flags & _SET_ASIDE:
            found.append(index)
    return found
