"""Blocks that are kept -> the same, and the repeated units that the page is made of, if a list of
them is its point: products with their prices, results, threads.

A unit is short and most of it is a link, so that its blocks look like a menu. What tells such a
list from a menu is its weight: it says more than all that is kept besides it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from webquarry._read.main_content.blocks import Flow, count_characters
from webquarry._read.main_content.rules.block_marks import mark_blocks
from webquarry._read.main_content.rules.runs.find import Unit, find_runs
from webquarry._read.main_content.rules.runs.titled import find_titled_list
from webquarry._read.main_content.tags import HIDDEN_FLAG
from webquarry._read.text.search import WordSearch

_MOST_BLOCKS = 12  # in a unit, on average
_MOST_WITH_LINKS = 0.7  # of the units have one
_MOST_WITH_PRICES = 0.6  # of the units have one, if they are products, or a score, of matches
# What a list is at least of the text of the page, and what is kept besides it at most of the list:
# with prices, and without.
_LEAST_PRICED, _MOST_BESIDES_PRICED = 1 / 3, 1.0
_LEAST_BESIDE_MENUS = 0.4  # of the page's text without the links around the list
_LEAST_OTHER, _MOST_BESIDES_OTHER = 0.5, 0.1
_MOST_KEPT = 0.4  # of a list; of one with more, the units have been told apart from what is in them
_MOST_LINKS = 0.95  # of the characters of a list without prices
_CURRENCY = (
    r"(?:[$€£¥￥₹₽₩₺₴₫₪฿]"
    r"|\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|CZK|AUD|CAD|AED|SAR|IDR"
    r"|kr|zł|Kč|Ft|лв|руб|Rp|ر\.س|د\.إ)\b\.?)"
)
PRICE = re.compile(rf"{_CURRENCY}\s?\d|\d\s?(?:{_CURRENCY}|[元円]|đ\b|,[-–—])")
# One of these, or a dollar, is in each price in ASCII; they are found before the pattern is tried.
_PRICE_WORDS = WordSearch(
    (
        "USD", "EUR", "GBP", "CHF", "PLN", "SEK", "NOK", "DKK", "CZK", "AUD", "CAD", "AED", "SAR",
        "IDR", "kr", "Ft", "Rp", ",-",
    )
)  # fmt: skip
_SCORE = re.compile(r"\d{1,3} ?[-–] ?\d{1,3}|\d\d? ?: ?\d")


def holds_price(text: str) -> bool:
    """Whether a price stands in a text."""
    if text.isascii() and "$" not in text and not _PRICE_WORDS.is_any_in(text):
        return False
    return PRICE.search(text) is not None


def add_units(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and those of the lists that the page is made of."""
    total = count_characters(flow.texts)
    kept_text = 0
    for index in kept:
        text = flow.texts[index]
        kept_text += len(text)
    if 2 * kept_text > total:
        return kept
    unlinked = total - sum(flow.link_chars)
    text_before = [0, *accumulate(map(len, flow.texts))]
    marks = mark_blocks(kept, len(flow.texts))
    added: list[int] = []
    everywhere = bytearray(b"\1") * len(flow.tags)
    for units in find_runs(flow, everywhere):
        length = count = 0
        for unit in units:
            start, end = unit[0], unit[1]
            length += text_before[end] - text_before[start]
            count += end - start
        # menus may be longer than the list of a shop, and say nothing of it
        least = min(_LEAST_PRICED * total, _LEAST_BESIDE_MENUS * unlinked)
        if length < least or count > _MOST_BLOCKS * len(units):
            continue
        blocks: list[int] = []
        for unit in units:
            blocks += range(unit[0], unit[1])
        kept_of_list = 0
        for index in blocks:
            if marks[index]:
                text = flow.texts[index]
                kept_of_list += len(text)
        if kept_of_list > _MOST_KEPT * length:
            continue
        besides = kept_text - kept_of_list
        links = 0
        for index in blocks:
            links += flow.link_chars[index]
        # at worst the list alone is made of links
        beside_menus = length / (unlinked + links)
        if _is_point(flow, units, blocks, length / total, beside_menus, besides / length):
            added += blocks
    if not added:
        added = find_titled_list(flow, marks, kept_text)
    if not added:
        return kept
    shown = [index for index in added if not flow.flags[flow.boxes[index]] & HIDDEN_FLAG]
    return sorted({*kept, *shown})


def _is_point(
    flow: Flow,
    units: Sequence[Unit],
    blocks: Sequence[int],
    share: float,
    beside_menus: float,
    besides: float,
) -> bool:
    """Whether a list is what the page is for, by its share of the page's text, of that without the
    links around it, and by how much is kept besides it, as a share of the list.
    """
    linked = priced = 0
    for unit in units:
        its_blocks = range(unit[0], unit[1])
        linked += any(flow.links[index] for index in its_blocks)
        priced += any(_tells_value(flow.texts[index]) for index in its_blocks)
    if linked < _MOST_WITH_LINKS * len(units):
        return False
    if priced >= _MOST_WITH_PRICES * len(units):
        is_large = share >= _LEAST_PRICED or beside_menus >= _LEAST_BESIDE_MENUS
        return is_large and besides < _MOST_BESIDES_PRICED
    if share < _LEAST_OTHER or besides >= _MOST_BESIDES_OTHER or len(blocks) < 2 * len(units):
        return False
    length = sum(len(flow.texts[index]) for index in blocks)
    return sum(flow.link_chars[index] for index in blocks) <= _MOST_LINKS * length


def _tells_value(text: str) -> bool:
    """Whether a text tells a price, or is a score."""
    return holds_price(text) or _SCORE.fullmatch(text) is not None
