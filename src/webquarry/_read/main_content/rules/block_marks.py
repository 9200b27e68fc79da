"""The numbers of some blocks <-> a mark for each block of a page, which is quick to ask and to
set.
"""

from __future__ import annotations


def mark_blocks(blocks: list[int], size: int) -> bytearray:
    """A byte for each of so many blocks: 1 for those, 0 for the others."""
    marks = bytearray(size)
    for index in blocks:
        marks[index] = 1
    return marks


def mark_range(marks: bytearray, start: int, end: int) -> None:
    """Mark the blocks from one up to another, which is left out."""
    for index in range(start, end):
        marks[index] = 1


def list_marked(marks: bytearray) -> list[int]:
    """The blocks that are marked, in order."""
    return [index for index in range(len(marks)) if marks[index]]
