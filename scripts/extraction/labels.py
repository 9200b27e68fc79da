"""Gold text of a page -> which of its blocks are in it, as shares between 0 and 1; None where
nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

Tokens = list[str]
Span = tuple[int, int]  # of tokens in the gold text: the first, and one past the last
_SHINGLE = 4  # tokens
_LEAST_SHARE = 0.25  # of the shingles of a block; one with fewer in the gold text is not wanted
_SHARE_TO_PLACE = 0.5
_MOST_STARTS = 50  # places that are tried
_MOST_USED = 0.8  # of a stretch of the gold text that may be another block's already
_LONGEST_SEARCH = 400  # tokens
_SPACE = re.compile(r"\s+")


def label_page(
    texts: Sequence[str], label: dict[str, Any], tokenize: Callable[[str], Tokens]
) -> list[float | None]:
    """One label a block."""
    if "text" in label:
        gold = tokenize(label["text"].lower())
        blocks = [tokenize(text.lower()) for text in texts]
        return list(_Aligner(gold).align(blocks))
    wanted = _fold_blanks(label.get("with") or [])
    unwanted = _fold_blanks(label.get("without") or [])
    labels: list[float | None] = []
    for text in texts:
        is_wanted = any(snippet in text for snippet in wanted)
        is_unwanted = any(snippet in text for snippet in unwanted)
        if is_wanted == is_unwanted:
            labels.append(None)  # neither, or a contradiction
        else:
            labels.append(float(is_wanted))
    return labels


def _fold_blanks(snippets: Sequence[str]) -> list[str]:
    return [_SPACE.sub(" ", snippet).strip() for snippet in snippets]


class _Aligner:
    """Places blocks in the gold text, each stretch of it once."""

    def __init__(self, gold: Tokens) -> None:
        self._gold = gold
        self._used = bytearray(len(gold))
        self._places: dict[tuple[str, ...], list[int]] = {}
        for place, shingle in enumerate(_split_shingles(gold)):
            self._places.setdefault(shingle, []).append(place)

    def align(self, blocks: Sequence[Tokens]) -> list[float]:
        """Which share of each block is in the gold text."""
        labels = [0.0] * len(blocks)
        spans: list[Span | None] = [None] * len(blocks)
        cursor = 0
        for index, block in enumerate(blocks):
            if len(block) <= _SHINGLE:
                continue
            labels[index], span = self._place(block, cursor)
            if span is not None:
                spans[index] = span
                cursor = span[1]
        self._place_short(blocks, labels, spans)
        return labels

    def _place(self, block: Tokens, cursor: int) -> tuple[float, Span | None]:
        """The share of a block that is in the gold text, and where it stands there: behind what was
        placed before, if possible.
        """
        shingles = _split_shingles(block)
        offsets = [offset for offset, one in enumerate(shingles) if one in self._places]
        share = len(offsets) / len(shingles)
        if share <= _LEAST_SHARE:
            return 0.0, None
        if share <= _SHARE_TO_PLACE:
            return share, None
        first = offsets[0]
        starts = [max(place - first, 0) for place in self._places[shingles[first]]]
        starts.sort(key=lambda start: (start < cursor, abs(start - cursor)))
        for start in starts[:_MOST_STARTS]:
            end = min(start + len(block), len(self._gold))
            if sum(self._used[start:end]) <= _MOST_USED * (end - start):
                self._mark_used(start, end)
                return share, (start, end)
        return 0.0, None  # a second copy

    def _mark_used(self, start: int, end: int) -> None:
        self._used[start:end] = b"\x01" * (end - start)

    def _place_short(
        self, blocks: Sequence[Tokens], labels: list[float], spans: list[Span | None]
    ) -> None:
        """Blocks of a few tokens count where they stand between the same neighbours as in the gold
        text.
        """
        # where the next block that was placed begins
        limits = [0] * len(blocks)
        limit = len(self._gold)
        for index in reversed(range(len(blocks))):
            limits[index] = limit
            span = spans[index]
            if span is not None:
                limit = span[0]
        low = 0
        for index, block in enumerate(blocks):
            span = spans[index]
            if span is not None:
                low = span[1]
            elif 0 < len(block) <= _SHINGLE:
                start = self._find(block, low, limits[index])
                if start >= 0:
                    low = start + len(block)
                    self._mark_used(start, low)
                    labels[index] = 1.0

    def _find(self, block: Tokens, low: int, high: int) -> int:
        """Where a block stands in a stretch of the gold text that was not used; -1 for nowhere."""
        size = len(block)
        high = min(high, low + _LONGEST_SEARCH)
        for start in range(low, high - size + 1):
            end = start + size
            if self._gold[start:end] == block and not any(self._used[start:end]):
                return start
        return -1


def _split_shingles(tokens: Tokens) -> list[tuple[str, ...]]:
    """All runs of so many tokens."""
    return [tuple(tokens[place : place + _SHINGLE]) for place in range(len(tokens) - _SHINGLE + 1)]
