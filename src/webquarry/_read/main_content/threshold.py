"""The probability threshold of a page: blocks with at least this probability are kept.

The threshold maximises the expected F1 of the page, averaged over two assumptions. If blocks are
wanted independently of each other, a long list of teasers with a probability of 0.4 each should be
kept. But the blocks of a list are wanted all or none, and then it should not. The truth is between
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webquarry._native import find_best_cut


class ThresholdLimits(NamedTuple):
    """Bounds of the threshold, and a factor applied to the best one."""

    lowest: float = 0.2
    highest: float = 0.5
    strictness: float = 1.05


THRESHOLD_LIMITS = ThresholdLimits()
_JOINT_WEIGHT = 0.5  # of the assumption that blocks are wanted all or none


def find_threshold(probabilities: Sequence[float], words: Sequence[float]) -> float:
    """Return the threshold that maximises the expected F1; `words` is the length of each block."""
    best = find_best_cut(list(probabilities), list(words), _JOINT_WEIGHT)
    return _limit(best)


def _limit(probability: float) -> float:
    limits = THRESHOLD_LIMITS
    return min(max(limits.strictness * float(probability), limits.lowest), limits.highest)
