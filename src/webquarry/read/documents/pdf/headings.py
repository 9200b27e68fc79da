"""Blocks -> which of them are headings, and of which level.

The outline of the file is believed where it names a block. Otherwise a heading is set larger than
the body, or bold, in a short block of its own. Levels follow size, then weight, then the depth of
numbers such as 2.1.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from webquarry.read.documents.pdf.blocks import Block
from webquarry.read.documents.pdf.pdfium import Bookmark

_LARGER = 1.12  # times the body
_LONGEST = 200  # characters
_LONGEST_BOLD = 120
_MOST_LINES = 4
_MOST_BOLD = 0.4  # of the text; where more is bold, weight means nothing
_STEP = 0.4  # points between two sizes
_NUMBERED = re.compile(r"(?:[A-Z]\.)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_UNFINISHED = (".", ",", ";")
_LETTERS = re.compile(r"[^\W\d_]")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_LEADING_NUMBER = re.compile(r"^[\W\d]+(?=\D)")
_ROW_OF_NAMES = 3  # candidates alike and one after the other are not headings
_DEEPEST = 6
_LEAST_TEXT = 80  # characters below a heading on the first page


class _Look(NamedTuple):
    """What decides about a level: smaller comes first."""

    size: float  # negative, so that the largest is first
    depth: int


def find_headings(blocks: list[Block], body: float, outline: list[Bookmark]) -> dict[int, int]:
    """The level of each block that is a heading, by its place."""
    bold_counts = _bold_share(blocks) < _MOST_BOLD
    looks = {
        place: _look(block, body)
        for place, block in enumerate(blocks)
        if _may_be(block, body, bold_counts)
    }
    looks = _without_title_lines(blocks, _without_rows_of_names(blocks, looks))
    levels = _levels(looks)
    named = _named_by_outline(blocks, outline)
    if named:
        return _reconciled(levels, named, blocks)
    return levels


def _may_be(block: Block, body: float, bold_counts: bool) -> bool:
    if block.kind not in ("text", "item") or len(block.lines) > _MOST_LINES or block.lines[0].turns:
        return False
    if block.kind == "item" and not _NUMBERED.match(block.lines[0].text):
        return False
    larger = min(line.size for line in block.lines) >= _LARGER * body
    if not larger and not (bold_counts and block.bold and block.size > 0.95 * body):
        return False
    length = sum(len(line.text) for line in block.lines)
    if len(_LETTERS.findall("".join(line.text for line in block.lines)[:_LONGEST])) < 2:
        return False
    ended = block.lines[-1].text.endswith(_UNFINISHED)
    if larger:
        return length <= _LONGEST and not (ended and length > _LONGEST_BOLD)
    return length <= _LONGEST_BOLD and not ended


def _look(block: Block, body: float) -> _Look:
    size = min(line.size for line in block.lines)
    found = _NUMBERED.match(block.lines[0].text)
    depth = found[1].count(".") + 1 if found else 0
    return _Look(-size if size >= _LARGER * body else 0.0, depth)


def _without_rows_of_names(blocks: list[Block], looks: dict[int, _Look]) -> dict[int, _Look]:
    """Names on a title page stand one below the other; headings have text between them."""
    dropped: set[int] = set()
    row: list[int] = []
    for place in range(len(blocks) + 1):
        look = looks.get(place)
        if look and row and abs(look.size - looks[row[-1]].size) < _STEP and not look.depth:
            row.append(place)
            continue
        if len(row) >= _ROW_OF_NAMES:
            dropped.update(row)
        row = [place] if look and not look.depth else []
    return {place: look for place, look in looks.items() if place not in dropped}


def _without_title_lines(blocks: list[Block], looks: dict[int, _Look]) -> dict[int, _Look]:
    """On the first page, what follows the title and is not followed by any text: authors, places,
    dates.
    """
    first = [place for place in looks if blocks[place].page == blocks[0].page]
    largest = min((looks[place].size for place in first), default=0.0)
    kept = dict(looks)
    for place in reversed(first):
        if (
            looks[place].size > largest + _STEP
            and not looks[place].depth
            and not _is_followed(blocks, kept, place)
        ):
            del kept[place]
    return kept


def _is_followed(blocks: list[Block], looks: dict[int, _Look], place: int) -> bool:
    if place + 1 >= len(blocks):
        return False
    after = blocks[place + 1]
    if place + 1 in looks:
        return looks[place + 1].size > looks[place].size
    return after.kind != "text" or sum(len(line.text) for line in after.lines) >= _LEAST_TEXT


def _levels(looks: dict[int, _Look]) -> dict[int, int]:
    sizes: list[float] = []
    for size in sorted({look.size for look in looks.values()}):
        if not sizes or size - sizes[-1] > _STEP or size == 0:
            sizes.append(size)
    keyed: dict[int, tuple[int, int]] = {}
    shallowest: dict[int, int] = defaultdict(lambda: 9)
    for place, look in looks.items():
        rank = max(number for number, size in enumerate(sizes) if size <= look.size)
        keyed[place] = (rank, look.depth)
        if look.depth:
            shallowest[rank] = min(shallowest[rank], look.depth)
    keys = {
        place: (rank, max(depth, shallowest[rank] if shallowest[rank] < 9 else 0))
        for place, (rank, depth) in keyed.items()
    }
    order = {key: number for number, key in enumerate(sorted(set(keys.values())), 1)}
    return {place: min(order[key], _DEEPEST) for place, key in keys.items()}


def _named_by_outline(blocks: list[Block], outline: list[Bookmark]) -> dict[int, int]:
    """Blocks that say what an entry of the outline says, on the page it leads to."""
    entries: dict[tuple[int, str], int] = {}
    for entry in outline:
        if entry.page is not None and (key := _bare(entry.title)):
            entries.setdefault((entry.page, key), entry.level)
    found: dict[int, int] = {}
    for place, block in enumerate(blocks):
        if block.kind in ("text", "item") and len(block.lines) <= _MOST_LINES:
            place_and_text = (block.page, _bare(" ".join(line.text for line in block.lines)))
            if place_and_text in entries:
                found[place] = entries.pop(place_and_text)
    return found


def _reconciled(
    levels: dict[int, int], named: dict[int, int], blocks: list[Block]
) -> dict[int, int]:
    """The outline's levels, below a title that it does not name; others keep a level only if they
    look like a named one.
    """
    largest = max(blocks[place].size for place in named)
    titles = [
        place for place in levels if place not in named and blocks[place].size > largest + _STEP
    ]
    shift = 2 if titles else 1
    by_size = {round(blocks[place].size): level + shift for place, level in named.items()}
    found = {place: min(level + shift, _DEEPEST) for place, level in named.items()}
    for place in levels:
        if place in titles:
            found[place] = 1
        elif (
            place not in found
            and (level := by_size.get(round(blocks[place].size)))
            and blocks[place].bold
        ):
            found[place] = min(level, _DEEPEST)
    return found


def _bare(text: str) -> str:
    """Letters alone: numbers in front of a heading are written in many ways."""
    return _NOT_A_LETTER.sub("", _LEADING_NUMBER.sub("", text)).casefold()


def _bold_share(blocks: list[Block]) -> float:
    lengths = [(len(line.text), line.bold) for block in blocks for line in block.lines]
    return sum(length for length, bold in lengths if bold) / (
        sum(length for length, _ in lengths) or 1
    )
