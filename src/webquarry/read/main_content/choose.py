"""Probabilities of blocks -> which blocks to keep: a threshold for the page, then no text twice."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.notices import without_notices
from webquarry.read.main_content.tags import HIDDEN_FLAG

_LOWEST, _HIGHEST = 0.2, 0.5  # between these the threshold of a page may lie
_STRICTNESS = 1.05
_UNLIKELY = 0.1  # below that a heading stays out even if what follows it is kept
_LONG = 60  # characters; shorter texts may well stand twice on a page
_WHOLE_TEXT = 600
_MOST_COPIES = 5
_LONGEST_VALUE = 40  # characters
_MOST_CELLS = 500  # a table that holds the whole page has more
_FEW = (
    200  # beginnings that are looked for one by one; of more, each place in the text is looked up
)


def choose(flow: Flow, chances: NDArray[np.float64], words: NDArray[np.float64]) -> list[int]:
    """The numbers of the blocks to keep, in order."""
    kept = in_sight(
        flow, with_cells(flow, np.flatnonzero(chances >= threshold(chances, words)).tolist())
    )
    return with_headings(flow, chances, without_notices(flow, without_copies(flow, kept)))


def with_cells(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, and the cells that are missing from tables and rows of which most is kept:
    they are read as wholes.
    """
    units = [box for box, tag in enumerate(flow.tags) if tag == "tr" or tag == "table"]
    if not units:
        return kept
    chosen = np.zeros(len(flow.texts) + 1, dtype=np.int64)
    chosen[np.array(kept, dtype=np.int64) + 1] = 1
    before = np.cumsum(chosen)
    whole = set(kept)
    for unit in units:
        first, last = flow.first[unit], flow.last[unit]
        held = int(before[last] - before[first])
        if held < last - first <= _MOST_CELLS and 3 * held > 2 * (last - first):
            whole.update(index for index in range(first, last) if _is_value(flow, index))
    if len(whole) > len(kept):
        return sorted(whole)
    return kept


def _is_value(flow: Flow, index: int) -> bool:
    """A number, a name, a date: what stands in a cell of data, unlike the columns of a page that is
    laid out in a table.
    """
    return len(flow.texts[index]) <= _LONGEST_VALUE and not flow.links[index]


def in_sight(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, but for a hidden one whose text also stands in plain sight the one that is
    seen: a page may carry a post a second time to quote or to edit it, and that copy never reaches
    the reader.
    """
    texts, boxes, flags = flow.texts, flow.boxes, flow.flags
    hidden = {
        texts[index]: index
        for index in kept
        if flags[boxes[index]] & HIDDEN_FLAG and len(texts[index]) >= _LONG
    }
    if not hidden:
        return kept
    seen = [
        index
        for index, text in enumerate(texts)
        if text in hidden and not flags[boxes[index]] & HIDDEN_FLAG
    ]
    return sorted({*kept, *seen} - {hidden[texts[index]] for index in seen})


def with_headings(flow: Flow, chances: NDArray[np.float64], kept: Sequence[int]) -> list[int]:
    """The same blocks, and the headings right before them: readers need the name of what they read."""
    chosen = set(kept)
    for index in kept:
        before = index - 1
        if (
            before >= 0
            and before not in chosen
            and flow.levels[flow.boxes[before]]
            > 1  # the first level is the page's title, which is given beside the text
            and not flow.levels[flow.boxes[index]]
            and chances[before] >= _UNLIKELY
        ):
            chosen.add(before)
    return sorted(chosen)


def threshold(chances: NDArray[np.float64], words: NDArray[np.float64]) -> float:
    """The chance from which on keeping a block makes the expected F1 of the page the largest."""
    order = np.argsort(-chances, kind="stable")
    weighted = (chances * words)[order]
    kept = np.cumsum(weighted)
    expected = 2 * kept / (np.cumsum(words[order]) + weighted.sum())
    best = float(chances[order][int(np.argmax(expected))])
    return min(max(_STRICTNESS * best, _LOWEST), _HIGHEST)


def without_copies(flow: Flow, kept: Sequence[int]) -> list[int]:
    """The blocks that do not say again, somewhere else on the page, what others say."""
    first: dict[str, int] = {}
    single: list[int] = []
    for index in kept:
        text = flow.texts[index]
        if len(text) >= _LONG:
            parent = flow.parents[flow.boxes[index]]
            if first.setdefault(text, parent) != parent:
                continue  # the same list or recipe repeats a line on purpose
        single.append(index)
    return _without_whole_texts(flow, single)


def _without_whole_texts(flow: Flow, kept: list[int]) -> list[int]:
    """Without a long block that holds the beginnings of two others: a copy of the whole text in one
    piece.
    """
    long = [index for index in kept if len(flow.texts[index]) >= _WHOLE_TEXT]
    if not long:
        return kept
    longest = nlargest(
        _MOST_COPIES, long, key=lambda index: len(flow.texts[index])
    )  # a copy of the whole is among them
    beginnings = {flow.texts[index][:_LONG] for index in kept if len(flow.texts[index]) >= _LONG}
    copies = {index for index in longest if _holds_two(flow.texts[index], beginnings)}
    if copies:
        return [index for index in kept if index not in copies]
    return kept


def _holds_two(text: str, beginnings: set[str]) -> bool:
    """Whether two of the beginnings, besides its own, stand in a text at the start of a word."""
    if len(beginnings) <= _FEW:
        return len([one for one in beginnings if f" {one}" in text]) >= 2
    found: set[str] = set()
    at = text.find(" ") + 1
    while at:
        piece = text[at : at + _LONG]
        if piece in beginnings:
            found.add(piece)
            if len(found) == 2:
                return True
        at = text.find(" ", at) + 1
    return False
