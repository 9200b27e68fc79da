"""Blocks that are kept -> the same, and the other items of a list of which a good part is kept: an
item that is a link looks like a menu, until one sees the items beside it.
"""

from __future__ import annotations

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.model import Chances
from webquarry.read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_LEVELS = 3  # of the boxes around a block that may be its item
_LEAST_KEPT = 1 / 3  # of the items
_LONGEST = 200  # characters of an item
_POSSIBLE = 0.05  # by either stage
_SET_ASIDE = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG


def add_items(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and those that complete lists."""
    kept_items = _find_items(flow, kept)
    if not kept_items:
        return kept
    parents = flow.parents
    lists = {parents[item] for item in kept_items}
    items_of: dict[int, list[int]] = {}
    for box, tag in enumerate(flow.tags):
        if tag == "li" and parents[box] in lists:
            items_of.setdefault(parents[box], []).append(box)
    added: list[int] = []
    for items in items_of.values():
        missing = [item for item in items if item not in kept_items]
        if missing and len(items) - len(missing) >= _LEAST_KEPT * len(items):
            for item in missing:
                added += _find_text(flow, chances, item)
    if not added:
        return kept
    return sorted({*kept, *added})


def _find_items(flow: Flow, kept: list[int]) -> set[int]:
    """The items of lists that hold something that is kept."""
    items: set[int] = set()
    if "li" not in flow.known_tags:
        return items
    boxes, tags, parents = flow.boxes, flow.tags, flow.parents
    last = -1
    for index in kept:
        box = boxes[index]
        if box == last:
            continue
        last = box
        for _ in range(_LEVELS):
            if box < 0:
                break
            if tags[box] == "li":
                items.add(box)
                break
            box = parents[box]
    return items


def _find_text(flow: Flow, chances: Chances, item: int) -> list[int]:
    """The blocks of an item that may belong to the page; none of one that is long, and could have
    been judged by its words.
    """
    blocks = range(flow.first[item], flow.last[item])
    if sum(len(flow.texts[index]) for index in blocks) > _LONGEST:
        return []
    found = []
    for index in blocks:
        chance = max(chances.first[index], chances.final[index])
        if chance >= _POSSIBLE and not flow.flags[flow.boxes[index]] & _SET_ASIDE:
            found.append(index)
    return found
