"""Blocks -> which of them are headings, and of which level.

The outline of the file is believed where it names a block. Otherwise a heading is set larger than
the body, or bold, in a short block of its own. Levels follow size, then weight, then the depth of
numbers such as 2.1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from webquarry._read.documents.pdf.blocks import Block
from webquarry._read.documents.pdf.pdfium import Bookmark

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


class _Rank(NamedTuple):
    """What decides about a level: smaller comes first."""

    size: float  # negative, so that the largest is first
    depth: int


_Ranks = dict[int, _Rank]  # of blocks that may be headings, by their place
Levels = dict[int, int]  # of blocks that are headings, by their place


def find_headings(blocks: list[Block], body: float, outline: list[Bookmark]) -> Levels:
    """The level of each block that is a heading, by its place."""
    bold = total = 0  # characters
    for block in blocks:
        for line in block.lines:
            total += len(line.text)
            if line.bold:
                bold += len(line.text)
    bold_counts = bold / (total or 1) < _MOST_BOLD
    ranks: _Ranks = {}
    for place, block in enumerate(blocks):
        if not _may_be_heading(block, body, bold_counts):
            continue
        size = 0.0  # of all that are no larger than the body
        smallest = _smallest_size(block)
        if smallest >= _LARGER * body:
            size = -smallest
        number = _NUMBERED.match(block.lines[0].text)
        depth = 0
        if number:
            depth = number[1].count(".") + 1
        ranks[place] = _Rank(size, depth)
    ranks = _drop_rows_of_names(blocks, ranks)
    ranks = _drop_title_lines(blocks, ranks)
    levels = _levels_of(ranks)
    named = _match_outline(blocks, outline)
    if named:
        return _reconcile(levels, named, blocks)
    return levels


def _may_be_heading(block: Block, body: float, bold_counts: bool) -> bool:
    """Whether a block is short, and set larger or bolder than the body."""
    if block.kind not in ("text", "item") or len(block.lines) > _MOST_LINES:
        return False
    first = block.lines[0]
    if first.turns:
        return False
    if block.kind == "item" and not _NUMBERED.match(first.text):
        return False
    is_larger = _smallest_size(block) >= _LARGER * body
    is_bold = bold_counts and block.bold and block.size > 0.95 * body
    if not is_larger and not is_bold:
        return False
    text = "".join(line.text for line in block.lines)
    if len(_LETTERS.findall(text[:_LONGEST])) < 2:
        return False
    is_short = len(text) <= _LONGEST_BOLD
    is_sentence = text.endswith(_UNFINISHED)
    if not is_larger:
        return is_short and not is_sentence
    if is_sentence:
        return is_short
    return len(text) <= _LONGEST


def _smallest_size(block: Block) -> float:
    """The size of the smallest line, by which a heading is judged."""
    return min(line.size for line in block.lines)


def _drop_rows_of_names(blocks: list[Block], ranks: _Ranks) -> _Ranks:
    """Names on a title page stand one below the other; headings have text between them."""
    dropped: set[int] = set()
    row: list[int] = []
    for place in range(len(blocks) + 1):
        rank = ranks.get(place)
        is_candidate = rank is not None and not rank.depth
        if rank and is_candidate and row and abs(rank.size - ranks[row[-1]].size) < _STEP:
            row.append(place)
            continue
        if len(row) >= _ROW_OF_NAMES:
            dropped.update(row)
        row = [place] if is_candidate else []
    return {place: rank for place, rank in ranks.items() if place not in dropped}


def _drop_title_lines(blocks: list[Block], ranks: _Ranks) -> _Ranks:
    """On the first page, what follows the title and is not followed by any text: authors, places,
    dates.
    """
    first = [place for place in ranks if blocks[place].page == blocks[0].page]
    largest = min((ranks[place].size for place in first), default=0.0)
    kept = dict(ranks)
    for place in reversed(first):
        size = ranks[place].size
        if size <= largest + _STEP or ranks[place].depth:
            continue
        # whether what follows may be the text of its section, or a heading below it
        has_text_below = place + 1 < len(blocks)
        if place + 1 in kept:
            has_text_below = kept[place + 1].size > size
        elif has_text_below and blocks[place + 1].kind == "text":
            length = sum(len(line.text) for line in blocks[place + 1].lines)
            has_text_below = length >= _LEAST_TEXT
        if not has_text_below:
            del kept[place]
    return kept


def _levels_of(ranks: _Ranks) -> Levels:
    """The level of each heading: by size, then by the depth of its number."""
    sizes: list[float] = []  # those that differ enough, the largest first
    for size in sorted({rank.size for rank in ranks.values()}):
        if not sizes or size - sizes[-1] > _STEP or size == 0:
            sizes.append(size)
    steps: dict[int, int] = {}  # the place of each heading's size among these
    shallowest: dict[int, int] = {}  # the smallest depth of a number on each step
    for place, rank in ranks.items():
        step = max(number for number, size in enumerate(sizes) if size <= rank.size)
        steps[place] = step
        if rank.depth:
            shallowest[step] = min(shallowest.get(step, rank.depth), rank.depth)
    keys: dict[int, tuple[int, int]] = {}
    for place, step in steps.items():
        depth = max(ranks[place].depth, shallowest.get(step, 0))
        keys[place] = (step, depth)
    order = {key: number for number, key in enumerate(sorted(set(keys.values())), 1)}
    return {place: min(order[key], _DEEPEST) for place, key in keys.items()}


def _match_outline(blocks: list[Block], outline: list[Bookmark]) -> Levels:
    """Blocks that say what an entry of the outline says, on the page it leads to."""
    entries: dict[tuple[int, str], int] = {}
    for entry in outline:
        key = _only_letters(entry.title)
        if entry.page is not None and key:
            entries.setdefault((entry.page, key), entry.level)
    found: Levels = {}
    for place, block in enumerate(blocks):
        if block.kind not in ("text", "item") or len(block.lines) > _MOST_LINES:
            continue
        text = " ".join(line.text for line in block.lines)
        page_and_text = (block.page, _only_letters(text))
        if page_and_text in entries:
            found[place] = entries.pop(page_and_text)
    return found


def _reconcile(levels: Levels, named: Levels, blocks: list[Block]) -> Levels:
    """The outline's levels, below a title that it does not name; others keep a level only if they
    look like a named one.
    """
    largest = max(blocks[place].size for place in named)
    unnamed = [place for place in levels if place not in named]
    titles = [place for place in unnamed if blocks[place].size > largest + _STEP]
    shift = 2 if titles else 1
    found: Levels = {}
    by_size: dict[int, int] = {}
    for place, level in named.items():
        found[place] = min(level + shift, _DEEPEST)
        by_size[round(blocks[place].size)] = level + shift
    for place in unnamed:
        similar = by_size.get(round(blocks[place].size))
        if place in titles:
            found[place] = 1
        elif similar and blocks[place].bold:
            found[place] = min(similar, _DEEPEST)
    return found


def _only_letters(text: str) -> str:
    """Letters alone: numbers in front of a heading are written in many ways."""
    without_number = _LEADING_NUMBER.sub("", text)
    return _NOT_A_LETTER.sub("", without_number).casefold()
