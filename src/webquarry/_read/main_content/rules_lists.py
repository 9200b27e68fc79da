"""Rules for lists: items, and units that repeat, such as products, results and posts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_EXCLUDED = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG
_POSSIBLE = 0.05  # probability

# Items
_MIN_ITEMS_KEPT = 1 / 3
_MAX_ITEM = 200  # characters; the model can judge longer items
_ITEM_LEVELS = 3  # elements between an item and a block in it

# Units
_UNIT_TAGS = frozenset({"article", "div", "li", "section"})
_MIN_UNITS = 3
_MAX_UNIT_BLOCKS = 12  # mean
_MIN_LINKED_UNITS = 0.7
_MIN_PRICED_UNITS = 0.6
_MIN_PRICED_SHARE = 1 / 3  # of the page's text, for a list with prices or scores
_MIN_UNLINKED_SHARE = 0.4  # the same, of the text outside links
_MIN_OTHER_SHARE = 0.5  # the same, for other lists
_MAX_OTHER_KEPT = 0.1  # text kept outside the list, as a share of the list
_MAX_KEPT = 0.4  # of the list; the model has judged the units of a list with more
_MAX_OTHER_LINKS = 0.95
_CURRENCY = (
    r"(?:[$€£¥￥₹₽₩₺₴₫₪฿]"
    r"|\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|CZK|AUD|CAD|AED|SAR|IDR"
    r"|kr|zł|Kč|Ft|лв|руб|Rp|ر\.س|د\.إ)\b\.?)"
)
PRICE = re.compile(rf"{_CURRENCY}\s?\d|\d\s?(?:{_CURRENCY}|[元円]|đ\b|,[-–—])")
_SCORE = re.compile(r"\d{1,3} ?[-–] ?\d{1,3}|\d\d? ?: ?\d")

# Parts of units
_PART_LEVELS = 6  # elements between a unit and a block in it
_MAX_UNIT_LENGTH = 500  # characters, mean
_MIN_UNITS_KEPT = 2 / 3  # units with a kept block, and units that have a part
_MIN_PARTS_KEPT = 0.5
_MIN_NAME_LINKS = 0.6
_MIN_DISTINCT_NAMES = 0.8  # buttons have the same text in each unit
_MIN_NAME_LENGTH = 3  # characters, mean


def add_items(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep the short items that are missing of lists that are kept in part.

    Helps pages with lists of links, such as course plans: a linked item looks like a menu entry.
    """
    if "li" not in flow.known_tags:
        return
    kept_items = {_find_item(flow, index) for index, is_kept in enumerate(kept) if is_kept} - {-1}
    items_of: dict[int, list[int]] = {flow.parents[item]: [] for item in kept_items}
    if not items_of:
        return
    for element, tag in enumerate(flow.tags):
        if tag == "li" and flow.parents[element] in items_of:
            items_of[flow.parents[element]].append(element)
    for items in items_of.values():
        missing = [item for item in items if item not in kept_items]
        if len(items) - len(missing) < _MIN_ITEMS_KEPT * len(items):
            continue
        for item in missing:
            blocks = range(flow.first[item], flow.last[item])
            if sum(len(flow.texts[index]) for index in blocks) <= _MAX_ITEM:
                _keep_possible(flow, likely, kept, blocks)


def _find_item(flow: Flow, index: int) -> int:
    """Return the `li` element near a block, or -1."""
    element = flow.boxes[index]
    for _ in range(_ITEM_LEVELS):
        if element < 0 or flow.tags[element] == "li":
            return element
        element = flow.parents[element]
    return -1


def _keep_possible(
    flow: Flow, likely: Sequence[float], kept: bytearray, blocks: Iterable[int]
) -> None:
    """Keep those blocks that are not unlikely, hidden, set aside or part of a form."""
    for index in blocks:
        if likely[index] >= _POSSIBLE and not flow.flags[flow.boxes[index]] & _EXCLUDED:
            kept[index] = 1


class Unit(NamedTuple):
    """A product, result, post or person in a list: an element, or a link that contains elements."""

    first: int  # block
    last: int  # one past the last block
    element: int  # of a link, the element around it


def find_runs(flow: Flow) -> list[list[Unit]]:
    """Return lists of three or more units with the same tag and class in one element."""
    alike: dict[tuple[int, str, str], list[int]] = {}
    children = Counter(flow.parents)
    for element, parent in enumerate(flow.parents):
        if children[parent] < _MIN_UNITS:
            continue
        tag = flow.tags[element]
        if tag in _UNIT_TAGS and not flow.flags[element] & _EXCLUDED:
            key = (parent, tag, flow.names[element].partition(" ")[0])
            alike.setdefault(key, []).append(element)
    runs = []
    for elements in alike.values():
        if len(elements) >= _MIN_UNITS:
            runs.append([Unit(flow.first[one], flow.last[one], one) for one in elements])
    links: dict[tuple[int, str], list[Unit]] = {}
    for parent, names, first, last in flow.cards:
        if not flow.flags[parent] & _EXCLUDED:
            unit = Unit(first, last, parent)
            links.setdefault((parent, names.partition(" ")[0]), []).append(unit)
    return runs + [units for units in links.values() if len(units) >= _MIN_UNITS]


class _PageLengths:
    """Lengths of a page's text, to decide whether a list of units is its main part."""

    def __init__(self, flow: Flow, kept: bytearray) -> None:
        lengths = [len(text) for text in flow.texts]
        self._flow = flow
        self._text = [0, *accumulate(lengths)]  # before each block
        self._links = [0, *accumulate(flow.link_chars)]
        self._kept = [0, *accumulate(map(mul, lengths, kept))]
        self.total, self.kept = self._text[-1], self._kept[-1]
        self._unlinked = self.total - self._links[-1]
        # menus may be longer than the list of a shop
        self._shortest = min(_MIN_PRICED_SHARE * self.total, _MIN_UNLINKED_SHARE * self._unlinked)

    def is_main_list(self, units: list[Unit]) -> bool:
        """Return whether a list that is hardly kept makes up most of the page."""
        flow = self._flow
        length = _sum_units(self._text, units)
        blocks = sum(unit.last - unit.first for unit in units)
        if length < self._shortest or not length or blocks > _MAX_UNIT_BLOCKS * len(units):
            return False
        kept = _sum_units(self._kept, units)
        if kept > _MAX_KEPT * length or _share(flow, units, _has_link) < _MIN_LINKED_UNITS:
            return False
        links = _sum_units(self._links, units)
        others = (self.kept - kept) / length
        if _share(flow, units, _has_value) >= _MIN_PRICED_UNITS:
            is_large = length >= _MIN_PRICED_SHARE * self.total
            is_large = is_large or length >= _MIN_UNLINKED_SHARE * (self._unlinked + links)
            return is_large and others < 1
        is_large = length >= _MIN_OTHER_SHARE * self.total and blocks >= 2 * len(units)
        return is_large and others < _MAX_OTHER_KEPT and links <= _MAX_OTHER_LINKS * length


def _sum_units(sums: list[int], units: list[Unit]) -> int:
    return sum(sums[unit.last] - sums[unit.first] for unit in units)


def add_units(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep lists of units that make up most of the page.

    Helps shops, search results and match lists: a unit is short and mostly a link, like a menu.
    """
    page = _PageLengths(flow, kept)
    if 2 * page.kept > page.total:
        return
    for units in [one for one in find_runs(flow) if page.is_main_list(one)]:
        for unit in units:
            for index in range(unit.first, unit.last):
                if not flow.flags[flow.boxes[index]] & HIDDEN_FLAG:
                    kept[index] = 1


def _has_link(flow: Flow, index: int) -> bool:
    return flow.links[index] > 0


def _has_value(flow: Flow, index: int) -> bool:
    """Return whether a block contains a price or is the score of a match."""
    text = flow.texts[index]
    return PRICE.search(text) is not None or _SCORE.fullmatch(text) is not None


def _share(flow: Flow, units: list[Unit], test: Callable[[Flow, int], bool]) -> float:
    """Return the share of units with a block that passes a test."""
    count = sum(any(test(flow, i) for i in range(unit.first, unit.last)) for unit in units)
    return count / len(units)


def add_unit_parts(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep names, and parts that most units keep, where most units of a list are kept.

    Helps result lists and shops: a price or a summary is useless without the linked name above it.
    """
    for units in find_runs(flow):
        blocks = sum(unit.last - unit.first for unit in units)
        if not 2 * len(units) <= blocks <= _MAX_UNIT_BLOCKS * len(units):
            continue
        holding = sum(kept.find(1, unit.first, unit.last) >= 0 for unit in units)
        if holding < _MIN_UNITS_KEPT * len(units):
            continue
        length = sum(len(text) for unit in units for text in flow.texts[unit.first : unit.last])
        if length <= _MAX_UNIT_LENGTH * len(units):
            _keep_possible(flow, likely, kept, _find_missing_parts(flow, units, kept))


def _find_missing_parts(flow: Flow, units: list[Unit], kept: bytearray) -> list[int]:
    """Return the blocks of names, and of parts that at least half of the units keep."""
    parts: dict[tuple[str, ...], list[int]] = {}  # blocks in the same place of each unit
    names: dict[tuple[str, ...], list[int]] = {}
    for unit in units:
        # links after the last kept block lead elsewhere
        last_kept = kept.rfind(1, unit.first, unit.last)
        for index in range(unit.first, unit.last):
            path = _find_path(flow, flow.boxes[index], unit.element)
            parts.setdefault(path, []).append(index)
            if (last_kept < 0 or index <= last_kept) and _may_be_name(flow, index):
                names.setdefault(path, []).append(index)
    fewest = _MIN_UNITS_KEPT * len(units)
    found: list[int] = []
    for blocks in names.values():
        if len(blocks) >= fewest and _are_distinct([flow.texts[index] for index in blocks]):
            found += blocks
    if flow.is_article:
        return found  # its paragraphs, and what is inserted between them, look like units too
    for blocks in parts.values():
        count = sum(kept[index] for index in blocks)
        if len(blocks) >= fewest and count >= _MIN_PARTS_KEPT * len(blocks):
            found += blocks
    return found


def _find_path(flow: Flow, element: int, top: int) -> tuple[str, ...]:
    """Return tags and classes of an element and the elements around it, below the element `top`."""
    path: list[str] = []
    for _ in range(_PART_LEVELS):
        if element <= top:
            break
        path += (flow.tags[element], flow.names[element])
        element = flow.parents[element]
    return tuple(path)


def _may_be_name(flow: Flow, index: int) -> bool:
    """Return whether a block is a heading or mostly a link."""
    is_heading = flow.levels[flow.boxes[index]] > 0
    return is_heading or flow.link_chars[index] >= _MIN_NAME_LINKS * len(flow.texts[index])


def _are_distinct(names: list[str]) -> bool:
    length = sum(map(len, names))
    is_long = length >= _MIN_NAME_LENGTH * len(names)
    return is_long and len(set(names)) >= _MIN_DISTINCT_NAMES * len(names)
