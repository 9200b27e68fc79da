"""The probability threshold of a page: blocks with at least this probability are kept.

The threshold maximises the expected F1 of the page, averaged over two assumptions. If blocks are
wanted independently of each other, a long list of teasers with a probability of 0.4 each should be
kept. But the blocks of a list are wanted all or none, and then it should not. The truth is between
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.main_content.lifts import Array

try:
    from webquarry._read.main_content import _context as compiled
except ImportError:  # not built: numpy does it
    compiled = None  # type: ignore[assignment]
if TYPE_CHECKING:
    import numpy as np
else:
    from webquarry._read.main_content.arrays.late_numpy import np


class ThresholdLimits(NamedTuple):
    """Bounds of the threshold, and a factor applied to the best one."""

    lowest: float = 0.2
    highest: float = 0.5
    strictness: float = 1.05


THRESHOLD_LIMITS = ThresholdLimits()
_JOINT_WEIGHT = 0.5  # of the assumption that blocks are wanted all or none
_LEVELS = [(number + 0.5) / 64 for number in range(64)]  # candidates for the threshold


def find_threshold(probabilities: Sequence[float], words: Sequence[float]) -> float:
    """Return the threshold that maximises the expected F1; `words` is the length of each block."""
    if compiled is None:
        return find_in_numpy(np.array(probabilities), np.array(words))
    best = compiled.find_best_cut(list(probabilities), list(words), _LEVELS, _JOINT_WEIGHT)
    return _limit(best)


def find_in_numpy(probabilities: Array, words: Array) -> float:
    """Return the same threshold, computed by numpy."""
    ordered, kept, independent = _expect_independent(probabilities, words)
    # the last block above each level
    above = np.searchsorted(-ordered, -np.array(_LEVELS))
    last = np.maximum(above, 1) - 1
    wanted = np.where(above > 0, kept[last], 0.0)
    joint = _expect_joint(kept[last], wanted)
    expected = _JOINT_WEIGHT * joint + (1 - _JOINT_WEIGHT) * independent[last]
    return _limit(ordered[last[np.argmax(expected)]])


def find_single_threshold(
    probabilities: Sequence[float] | Array, words: Sequence[float] | Array
) -> float:
    """Return the threshold for independent blocks, a feature of the second stage; `_context.pyx`
    has the same.
    """
    ordered, _, expected = _expect_independent(np.asarray(probabilities), np.asarray(words))
    return _limit(ordered[np.argmax(expected)])


def _limit(probability: float) -> float:
    limits = THRESHOLD_LIMITS
    return min(max(limits.strictness * float(probability), limits.lowest), limits.highest)


def _expect_independent(probabilities: Array, words: Array) -> tuple[Array, Array, Array]:
    """Return the probabilities in descending order and, for each prefix of them, its words and the
    expected F1 of keeping it if blocks are independent.
    """
    order = np.argsort(-probabilities, kind="stable")
    ordered = probabilities[order]
    wanted = (probabilities * words)[order]
    hits = np.cumsum(wanted)
    kept = np.cumsum(words[order])
    expected = 2 * hits / (kept + wanted.sum())
    return ordered, kept, expected


def _expect_joint(kept: Array, wanted: Array) -> Array:
    """Return the expected F1 of keeping that many words if each number of wanted words is equally
    likely, and either set contains the other.
    """
    hits = np.minimum(kept[:, None], wanted)
    expected: Array = (2 * hits / (kept[:, None] + wanted)).mean(axis=1)
    return expected
