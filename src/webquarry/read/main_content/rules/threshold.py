"""The chances of a page's blocks -> the one from which on they are kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from webquarry.read.main_content.lifts import Array

try:
    from webquarry.read.main_content import _context as compiled
except ImportError:  # not built: numpy does it
    compiled = None  # type: ignore[assignment]


class ThresholdLimits(NamedTuple):
    """Between which the threshold of a page may lie, and how much above the best one."""

    lowest: float = 0.2
    highest: float = 0.5
    strictness: float = 1.05


THRESHOLD_LIMITS = ThresholdLimits()


def find_threshold(chances: Array, words: Array) -> float:
    """The chance from which on keeping a block makes the expected F1 of the page the largest."""
    if compiled is None:
        return find_in_numpy(chances, words)
    row = np.ascontiguousarray(chances)
    return compiled.find_threshold(row, np.ascontiguousarray(words), THRESHOLD_LIMITS)


def find_in_numpy(chances: Array, words: Array) -> float:
    """The same where nothing is compiled."""
    order = np.argsort(-chances, kind="stable")
    # for each number of blocks that may be kept: the words of them that are wanted, and all of them
    wanted = (chances * words)[order]
    hits = np.cumsum(wanted)
    kept = np.cumsum(words[order])
    expected_f1 = 2 * hits / (kept + wanted.sum())
    best = int(np.argmax(expected_f1))
    limits = THRESHOLD_LIMITS
    threshold = limits.strictness * float(chances[order][best])
    return min(max(threshold, limits.lowest), limits.highest)
