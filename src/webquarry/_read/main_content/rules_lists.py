"""Rule for lists of units with prices or scores, such as products and matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import ASIDE_FLAG, FORM_FLAG, HIDDEN_FLAG

_EXCLUDED = ASIDE_FLAG | FORM_FLAG | HIDDEN_FLAG
_UNIT_TAGS = frozenset({"article", "div", "li", "section"})
_MIN_UNITS = 3
_MAX_UNIT_BLOCKS = 12  # mean
_MIN_LINKED_UNITS = 0.7
_MIN_PRICED_UNITS = 0.6
_MIN_SHARE = 1 / 3  # of the page's text
_MIN_UNLINKED_SHARE = 0.4  # the same, of the text outside links
_MAX_KEPT = 0.4  # of the list; the model has judged the units of a list with more
_CURRENCY = (
    r"(?:[$€£¥￥₹₽₩₺₴₫₪฿]"
    r"|\b(?:USD|EUR|GBP|CHF|PLN|SEK|NOK|DKK|CZK|AUD|CAD|AED|SAR|IDR"
    r"|kr|zł|Kč|Ft|лв|руб|Rp|ر\.س|د\.إ)\b\.?)"
)
PRICE = re.compile(rf"{_CURRENCY}\s?\d|\d\s?(?:{_CURRENCY}|[元円]|đ\b|,[-–—])")
_SCORE = re.compile(r"\d{1,3} ?[-–] ?\d{1,3}|\d\d? ?: ?\d")

_Sums = Sequence[int]  # before each block


def add_units(flow: Flow, likely: Sequence[float], kept: bytearray) -> None:
    """Keep lists of units with prices or scores that make up most of the page.

    Helps shops and match lists: a unit is short and mostly a link, like a menu.
    """
    lengths = [len(text) for text in flow.texts]
    texts = [0, *accumulate(lengths)]
    kept_texts = [0, *accumulate(map(mul, lengths, kept))]
    if 2 * kept_texts[-1] > texts[-1]:
        return
    for units in _find_runs(flow):
        if not _is_main_list(flow, units, texts, kept_texts):
            continue
        for unit in units:
            for index in range(flow.first[unit], flow.last[unit]):
                if not flow.flags[flow.boxes[index]] & HIDDEN_FLAG:
                    kept[index] = 1


def _find_runs(flow: Flow) -> list[list[int]]:
    """Return lists of three or more elements with the same tag and class in one element."""
    alike: dict[tuple[int, str, str], list[int]] = {}
    for element, tag in enumerate(flow.tags):
        if tag in _UNIT_TAGS and not flow.flags[element] & _EXCLUDED:
            key = (flow.parents[element], tag, flow.names[element].partition(" ")[0])
            alike.setdefault(key, []).append(element)
    return [units for units in alike.values() if len(units) >= _MIN_UNITS]


def _is_main_list(flow: Flow, units: list[int], texts: _Sums, kept_texts: _Sums) -> bool:
    """Return whether a list that is hardly selected makes up most of the page."""

    def add_up(sums: _Sums) -> int:
        return sum(sums[flow.last[unit]] - sums[flow.first[unit]] for unit in units)

    length, kept = add_up(texts), add_up(kept_texts)
    blocks = sum(flow.last[unit] - flow.first[unit] for unit in units)
    if not length or blocks > _MAX_UNIT_BLOCKS * len(units) or kept > _MAX_KEPT * length:
        return False
    links = [0, *accumulate(flow.link_chars)]
    unlinked = texts[-1] - links[-1] + add_up(links)
    if length < _MIN_SHARE * texts[-1] and length < _MIN_UNLINKED_SHARE * unlinked:
        return False
    is_linked = _share(flow, units, _has_link) >= _MIN_LINKED_UNITS
    is_priced = is_linked and _share(flow, units, _has_value) >= _MIN_PRICED_UNITS
    return is_priced and kept_texts[-1] - kept < length


def _has_link(flow: Flow, index: int) -> bool:
    return flow.links[index] > 0


def _has_value(flow: Flow, index: int) -> bool:
    """Return whether a block contains a price or is the score of a match."""
    text = flow.texts[index]
    return PRICE.search(text) is not None or _SCORE.fullmatch(text) is not None


def _share(flow: Flow, units: list[int], test: Callable[[Flow, int], bool]) -> float:
    """Return the share of units with a block that passes a test."""
    count = sum(any(test(flow, i) for i in range(flow.first[u], flow.last[u])) for u in units)
    return count / len(units)
