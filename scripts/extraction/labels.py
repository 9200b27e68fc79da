"""Gold text of a page -> which of its blocks are in it, as shares between 0 and 1; None where
nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

Tokens = list[str]
_SHINGLE = 4
_SPACE = re.compile(r"\s+")


def label_page(
    texts: Sequence[str], label: dict[str, Any], tokenize: Callable[[str], Tokens]
) -> list[float | None]:
    """One label a block."""
    if "text" in label:
        return [
            *_Aligner(tokenize(label["text"].lower())).align(
                [tokenize(text.lower()) for text in texts]
            )
        ]
    wanted = [_SPACE.sub(" ", one).strip() for one in label.get("with") or []]
    unwanted = [_SPACE.sub(" ", one).strip() for one in label.get("without") or []]
    return [_by_snippets(text, wanted, unwanted) for text in texts]


def _by_snippets(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> float | None:
    good = any(one in text for one in wanted)
    bad = any(one in text for one in unwanted)
    return None if good == bad else float(good)


class _Aligner:
    """Places blocks in the gold text, each stretch of it once."""

    def __init__(self, gold: Tokens) -> None:
        self._gold = gold
        self._used = bytearray(len(gold))
        self._places: dict[tuple[str, ...], list[int]] = {}
        for place in range(len(gold) - _SHINGLE + 1):
            self._places.setdefault(tuple(gold[place : place + _SHINGLE]), []).append(place)

    def align(self, blocks: Sequence[Tokens]) -> list[float]:
        labels = [0.0] * len(blocks)
        spans: list[tuple[int, int] | None] = [None] * len(blocks)
        cursor = 0
        for index, block in enumerate(blocks):
            if len(block) > _SHINGLE:
                labels[index], spans[index] = self._place(block, cursor)
                span = spans[index]
                cursor = span[1] if span else cursor
        self._place_short(blocks, labels, spans)
        return labels

    def _place(self, block: Tokens, cursor: int) -> tuple[float, tuple[int, int] | None]:
        shingles = [
            tuple(block[place : place + _SHINGLE]) for place in range(len(block) - _SHINGLE + 1)
        ]
        found = [
            (offset, self._places[one])
            for offset, one in enumerate(shingles)
            if one in self._places
        ]
        share = len(found) / len(shingles)
        if share <= 0.5:
            return (share if share > 0.25 else 0.0), None
        offset, places = found[0]
        starts = [max(place - offset, 0) for place in places]
        starts.sort(key=lambda start: (start < cursor, abs(start - cursor)))
        for start in starts[:50]:
            end = min(start + len(block), len(self._gold))
            if sum(self._used[start:end]) <= 0.8 * (end - start):
                self._used[start:end] = b"\x01" * (end - start)
                return share, (start, end)
        return 0.0, None  # a second copy

    def _place_short(
        self, blocks: Sequence[Tokens], labels: list[float], spans: list[tuple[int, int] | None]
    ) -> None:
        """Blocks of a few tokens count where they stand between the same neighbours as in the gold
        text.
        """
        following = len(self._gold)
        limits = [0] * len(blocks)
        for index in range(len(blocks) - 1, -1, -1):
            span = spans[index]
            limits[index] = following
            following = span[0] if span else following
        low = 0
        for index, block in enumerate(blocks):
            span = spans[index]
            if span:
                low = span[1]
            elif (
                0 < len(block) <= _SHINGLE and (start := self._find(block, low, limits[index])) >= 0
            ):
                self._used[start : start + len(block)] = b"\x01" * len(block)
                labels[index] = 1.0
                low = start + len(block)

    def _find(self, block: Tokens, low: int, high: int) -> int:
        size = len(block)
        for start in range(low, min(high, low + 400) - size + 1):
            if self._gold[start : start + size] == block and not any(
                self._used[start : start + size]
            ):
                return start
        return -1
