"""Ids of footnotes whose marks are kept -> the blocks that the notes are made of, so that no mark
leads nowhere.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from webquarry._read.main_content.blocks import Flow

_LONGEST_NOTE = 3_000  # characters; a longer one is no note but a part of the page


def find_notes(flow: Flow, note_ids: AbstractSet[str], kept: AbstractSet[int]) -> set[int]:
    """The blocks of some notes that are not kept, with the heading right before them."""
    found: set[int] = set()
    if not note_ids:
        return found
    for box, note_id in enumerate(flow.ids):
        if note_id not in note_ids:
            continue
        blocks = range(flow.first[box], flow.last[box])
        if len(blocks) > _LONGEST_NOTE:
            continue
        if sum(len(flow.texts[index]) for index in blocks) <= _LONGEST_NOTE:
            found.update(blocks)
    found -= kept
    for index in list(found):
        before = index - 1
        if before >= 0 and flow.levels[flow.boxes[before]] > 1:
            found.add(before)
    return found - kept
