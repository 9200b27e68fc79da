"""Blocks that are kept -> the same, and the other half of each pair: a term and what is said of it,
the head of a row and its cells.
"""

from __future__ import annotations

from bisect import bisect_left

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.tags import ASIDE_FLAG, HIDDEN_FLAG

_LONGEST_SAYING = 600  # characters; what is longer stands on its own
_MOST_LINKS = 0.5  # of the characters
_SET_ASIDE = ASIDE_FLAG | HIDDEN_FLAG


def add_pairs(flow: Flow, kept: list[int]) -> list[int]:
    """The same blocks, the terms and heads that they belong to, and what is said of the terms
    among them.
    """
    added: list[int] = []
    definitions: list[tuple[list[int], list[int]]] = []
    if "dt" in flow.known_tags:
        definitions = find_definitions(flow)
    for terms, sayings in definitions:
        if _holds_any(flow, sayings, kept):
            added += _list_blocks(flow, terms)
        elif _holds_any(flow, terms, kept) and _is_short(flow, sayings):
            added += _list_blocks(flow, sayings)
    if "th" in flow.known_tags:
        added += _find_heads(flow, kept)
    if not added:
        return kept
    return sorted({*kept, *added})


def _find_heads(flow: Flow, kept: list[int]) -> list[int]:
    """The blocks of the heads of rows of which something is kept."""
    found: list[int] = []
    last_parent = -1
    holds_kept = False
    for box in range(len(flow.tags)):
        tag = flow.tags[box]
        if tag != "th":
            continue
        parent = max(flow.parents[box], 0)
        if parent != last_parent:
            last_parent = parent
            holds_kept = _holds_any(flow, [parent], kept)
        if holds_kept:
            found += _list_blocks(flow, [box])
    return found


def find_definitions(flow: Flow) -> list[tuple[list[int], list[int]]]:
    """The boxes of terms, each with those of what is said of them, in the order of the page."""
    definitions: list[tuple[list[int], list[int]]] = []
    last_of: dict[int, tuple[list[int], list[int]]] = {}  # by the box around them
    for box in range(len(flow.tags)):
        tag = flow.tags[box]
        parent = flow.parents[box]
        if tag == "dt":
            pair = last_of.get(parent)
            if pair is None or pair[1]:
                pair = ([], [])
                last_of[parent] = pair
                definitions.append(pair)
            pair[0].append(box)
        elif tag == "dd" and parent in last_of:
            last_of[parent][1].append(box)
    return definitions


def _holds_any(flow: Flow, boxes: list[int], kept: list[int]) -> bool:
    """Whether a block in one of the boxes is kept."""
    for box in boxes:
        place = bisect_left(kept, flow.first[box])
        if place < len(kept) and kept[place] < flow.last[box]:
            return True
    return False


def _is_short(flow: Flow, boxes: list[int]) -> bool:
    """Whether what stands in the boxes is no text of its own, and no menu."""
    blocks = _list_blocks(flow, boxes)
    length = links = 0
    for index in blocks:
        text = flow.texts[index]
        length += len(text)
        links += flow.link_chars[index]
    return length <= _LONGEST_SAYING and links <= _MOST_LINKS * length


def _list_blocks(flow: Flow, boxes: list[int]) -> list[int]:
    """The blocks in some boxes, but for those that are hidden or set aside."""
    found: list[int] = []
    for box in boxes:
        start, end = flow.first[box], flow.last[box]
        for index in range(start, end):
            own_box = flow.boxes[index]
            flags = flow.flags[own_box]
            if not flags & _SET_ASIDE:
                found.append(index)
    return found
