"""Headings among the blocks of a PDF, with their levels.

Entries of the outline that name a block are headings. Otherwise a heading is larger than the body,
or bold, in a short block of its own. Levels follow size, then weight, then the depth of numbers
such as 2.1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from webquarry._read.documents.pdf.blocks import Block
from webquarry._read.documents.pdf.page import Bookmark

_LARGER = 1.12  # times the body
_LONGEST = 200  # characters
_LONGEST_BOLD = 120
_MOST_LINES = 4
_MOST_BOLD = 0.4  # of the text; where more is bold, weight means nothing
_STEP = 0.4  # points between two sizes
_NUMBERED = re.compile(r"(?:[A-Z]\.)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_SENTENCE = (".", ",", ";")
_LETTERS = re.compile(r"[^\W\d_]")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_LEADING_NUMBER = re.compile(r"^[\W\d]+(?=\D)")
_ROW_OF_NAMES = 3  # similar candidates in a row are not headings
_DEEPEST = 6


class _Rank(NamedTuple):
    """Order of candidates: the largest size first, then the depth of the number."""

    size: float  # negative; 0 for all that are no larger than the body
    depth: int


_Ranks = dict[int, _Rank]  # by index of the block
Levels = dict[int, int]


def find_headings(blocks: list[Block], body: float, outline: list[Bookmark]) -> Levels:
    """Return the level of each heading by the index of its block."""
    lines = [line for block in blocks for line in block.lines]
    bold = sum(len(line.text) for line in lines if line.bold)
    bold_counts = bold < _MOST_BOLD * sum(len(line.text) for line in lines)
    ranks: _Ranks = {}
    for index, block in enumerate(blocks):
        if _may_be_heading(block, body, bold_counts):
            smallest = _smallest_size(block)
            number = _NUMBERED.match(block.lines[0].text)
            depth = number[1].count(".") + 1 if number else 0
            ranks[index] = _Rank(-smallest if smallest >= _LARGER * body else 0.0, depth)
    ranks = _drop_rows_of_names(len(blocks), ranks)
    levels = _levels_of(ranks)
    named = _match_outline(blocks, outline)
    return _reconcile(levels, named, blocks) if named else levels


def _may_be_heading(block: Block, body: float, bold_counts: bool) -> bool:
    """Return whether a block is short, and larger or bolder than the body."""
    if block.kind not in ("text", "item") or len(block.lines) > _MOST_LINES:
        return False
    first = block.lines[0]
    if first.turns or (block.kind == "item" and not _NUMBERED.match(first.text)):
        return False
    is_larger = _smallest_size(block) >= _LARGER * body
    is_bold = bold_counts and block.bold and block.size > 0.95 * body
    text = "".join(line.text for line in block.lines)
    if not (is_larger or is_bold) or len(_LETTERS.findall(text[:_LONGEST])) < 2:
        return False
    is_sentence = text.endswith(_SENTENCE)
    if is_larger:
        return len(text) <= (_LONGEST_BOLD if is_sentence else _LONGEST)
    return len(text) <= _LONGEST_BOLD and not is_sentence


def _smallest_size(block: Block) -> float:
    return min(line.size for line in block.lines)


def _drop_rows_of_names(count: int, ranks: _Ranks) -> _Ranks:
    """Drop names below each other on a title page; headings have text between them."""
    dropped: set[int] = set()
    row: list[int] = []
    for index in range(count + 1):
        rank = ranks.get(index)
        if rank is not None and rank.depth:
            rank = None
        if rank and row and abs(rank.size - ranks[row[-1]].size) < _STEP:
            row.append(index)
            continue
        if len(row) >= _ROW_OF_NAMES:
            dropped.update(row)
        row = [index] if rank else []
    return {index: rank for index, rank in ranks.items() if index not in dropped}


def _levels_of(ranks: _Ranks) -> Levels:
    """Return the levels by size, then by the depth of the number."""
    sizes: list[float] = []  # those that differ enough, the largest first
    for size in sorted({rank.size for rank in ranks.values()}):
        if not sizes or size - sizes[-1] > _STEP or size == 0:
            sizes.append(size)
    steps = {
        index: max(number for number, size in enumerate(sizes) if size <= rank.size)
        for index, rank in ranks.items()
    }
    shallowest: dict[int, int] = {}  # the least depth of a number on each step
    for index, step in steps.items():
        depth = ranks[index].depth
        if depth:
            shallowest[step] = min(shallowest.get(step, depth), depth)
    keys = {
        index: (step, max(ranks[index].depth, shallowest.get(step, 0)))
        for index, step in steps.items()
    }
    order = {key: number for number, key in enumerate(sorted(set(keys.values())), 1)}
    return {index: min(order[key], _DEEPEST) for index, key in keys.items()}


def _match_outline(blocks: list[Block], outline: list[Bookmark]) -> Levels:
    """Return the outline levels of blocks that an entry names, on the page it leads to."""
    entries: dict[tuple[int, str], int] = {}
    for entry in outline:
        key = _only_letters(entry.title)
        if entry.page is not None and key:
            entries.setdefault((entry.page, key), entry.level)
    found: Levels = {}
    for index, block in enumerate(blocks):
        if block.kind in ("text", "item") and len(block.lines) <= _MOST_LINES:
            text = _only_letters(" ".join(line.text for line in block.lines))
            if (block.page, text) in entries:
                found[index] = entries.pop((block.page, text))
    return found


def _reconcile(levels: Levels, named: Levels, blocks: list[Block]) -> Levels:
    """Return the levels of the outline, below a title that it does not name.

    Other headings stay only if they look like a named one.
    """
    largest = max(blocks[index].size for index in named)
    unnamed = [index for index in levels if index not in named]
    titles = [index for index in unnamed if blocks[index].size > largest + _STEP]
    shift = 2 if titles else 1
    found = {index: min(level + shift, _DEEPEST) for index, level in named.items()}
    by_size = {round(blocks[index].size): level for index, level in found.items()}
    for index in unnamed:
        similar = by_size.get(round(blocks[index].size))
        if index in titles:
            found[index] = 1
        elif similar and blocks[index].bold:
            found[index] = similar
    return found


def _only_letters(text: str) -> str:
    """Return only letters, since numbers of headings are written in many ways."""
    return _NOT_A_LETTER.sub("", _LEADING_NUMBER.sub("", text)).casefold()
