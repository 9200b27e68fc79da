"""Blocks that are kept -> the same, and the repeated units that the page is made of, if a list of
them is its point: products with their prices, results, threads.

A unit is short and most of it is a link, so that its blocks look like a menu. What tells such a
list from a menu is its weight: it says more than all that is kept besides it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from webquarry.read.main_content.blocks import Flow, count_characters
from webquarry.read.main_content.rules.block_marks import mark_blocks
from webquarry.read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_UNIT_TAGS = frozenset({"a", "article", "div", "li", "section"})
_FEWEST_UNITS = 3
_MOST_BLOCKS = 12  # in a unit, on average
_MOST_WITH_LINKS = 0.7  # of the units have one
_MOST_WITH_PRICES = 0.6  # of the units have one, if they are products
# What a list is at least of the text of the page, and what is kept besides it at most of the list:
# with prices, and without.
_LEAST_PRICED, _MOST_BESIDES_PRICED = 1 / 3, 1.0
_LEAST_OTHER, _MOST_BESIDES_OTHER = 0.5, 0.1
_MOST_KEPT = 0.4  # of a list; of one with more, the units have been told apart from what is in them
_MOST_LINKS = 0.95  # of the characters of a list without prices
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG | FORM_FLAG
_CURRENCY = (
    r"(?:[$€£¥₹₽₩₺₴₫₪฿]|\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|CZK|AUD|CAD|kr|zł|Kč|Ft|лв|руб)\b\.?)"
)
PRICE = re.compile(rf"{_CURRENCY}\s?\d|\d\s?(?:{_CURRENCY}|[元円])")


def add_units(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and those of the lists that the page is made of."""
    total = count_characters(flow.texts)
    kept_text = 0
    for index in kept:
        text = flow.texts[index]
        kept_text += len(text)
    if 2 * kept_text > total:
        return kept
    text_before = [0, *accumulate(map(len, flow.texts))]
    marks = mark_blocks(kept, len(flow.texts))
    added: list[int] = []
    for units in _find_lists(flow):
        length = count = 0
        for unit in units:
            start, end = flow.first[unit], flow.last[unit]
            length += text_before[end] - text_before[start]
            count += end - start
        if length < _LEAST_PRICED * total or count > _MOST_BLOCKS * len(units):
            continue
        blocks: list[int] = []
        for unit in units:
            blocks += range(flow.first[unit], flow.last[unit])
        kept_of_list = 0
        for index in blocks:
            if marks[index]:
                text = flow.texts[index]
                kept_of_list += len(text)
        if kept_of_list > _MOST_KEPT * length:
            continue
        besides = kept_text - kept_of_list
        if _is_point(flow, units, blocks, length / total, besides / length):
            added += blocks
    if not added:
        return kept
    shown = [index for index in added if not flow.flags[flow.boxes[index]] & HIDDEN_FLAG]
    return sorted({*kept, *shown})


def _find_lists(flow: Flow) -> list[list[int]]:
    """Boxes of the same tag and class in one box, if they may be units of a list."""
    alike: dict[tuple[int, str, str], list[int]] = {}
    for box in range(len(flow.tags)):
        tag = flow.tags[box]
        flags = flow.flags[box]
        if flags & _SET_ASIDE or tag not in _UNIT_TAGS:
            continue
        names = flow.names[box]
        kind = (flow.parents[box], tag, names.partition(" ")[0])
        known = alike.get(kind)
        if known is None:
            alike[kind] = [box]
        else:
            known.append(box)
    return [units for units in alike.values() if len(units) >= _FEWEST_UNITS]


def _is_point(
    flow: Flow, units: Sequence[int], blocks: Sequence[int], share: float, besides: float
) -> bool:
    """Whether a list is what the page is for, by its share of the page's text and by how much is
    kept besides it, as a share of the list.
    """
    linked = priced = 0
    for unit in units:
        its_blocks = range(flow.first[unit], flow.last[unit])
        linked += any(flow.links[index] for index in its_blocks)
        priced += any(PRICE.search(flow.texts[index]) for index in its_blocks)
    if linked < _MOST_WITH_LINKS * len(units):
        return False
    if priced >= _MOST_WITH_PRICES * len(units):
        return share >= _LEAST_PRICED and besides < _MOST_BESIDES_PRICED
    if share < _LEAST_OTHER or besides >= _MOST_BESIDES_OTHER or len(blocks) < 2 * len(units):
        return False
    length = sum(len(flow.texts[index]) for index in blocks)
    return sum(flow.link_chars[index] for index in blocks) <= _MOST_LINKS * length
