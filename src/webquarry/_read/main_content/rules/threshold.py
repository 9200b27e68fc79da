"""The chances of a page's blocks -> the one from which on they are kept.

Both ways here look for the choice with the largest expected F1. They differ in what they take the
blocks for. Were each wanted or not by itself, it would pay to keep a long list of teasers of which
two in five may be wanted. But the blocks of a list are wanted all or none, and then it does not
pay. The truth lies between the two.
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
    """Between which the threshold of a page may lie, and how much above the best one."""

    lowest: float = 0.2
    highest: float = 0.5
    strictness: float = 1.05


THRESHOLD_LIMITS = ThresholdLimits()
_TOGETHER = 0.5  # the weight of the way that takes the blocks together
_LEVELS = [(number + 0.5) / 64 for number in range(64)]  # chances at which the page may be cut


def find_threshold(chances: Sequence[float], words: Sequence[float]) -> float:
    """The chance from which on keeping a block makes the expected F1 of the page the largest."""
    if compiled is None:
        return find_in_numpy(np.array(chances), np.array(words))
    best = compiled.find_best_cut(list(chances), list(words), _LEVELS, _TOGETHER)
    return _set_bounds(best)


def find_in_numpy(chances: Array, words: Array) -> float:
    """The same where nothing is compiled."""
    ordered, kept, singly = _expect_singly(chances, words)
    # the last block above each level; of all cuts only those there are compared
    above = np.searchsorted(-ordered, -np.array(_LEVELS))
    last = np.maximum(above, 1) - 1
    wanted = np.where(above > 0, kept[last], 0.0)
    together = _expect_together(kept[last], wanted)
    expected = _TOGETHER * together + (1 - _TOGETHER) * singly[last]
    return _set_bounds(ordered[last[np.argmax(expected)]])


def find_single_threshold(
    chances: Sequence[float] | Array, words: Sequence[float] | Array
) -> float:
    """The same if each block were wanted or not by itself, which is what the second trees know;
    `_context.pyx` has it too.
    """
    ordered, _, singly = _expect_singly(np.asarray(chances), np.asarray(words))
    return _set_bounds(ordered[np.argmax(singly)])


def _set_bounds(chance: float) -> float:
    limits = THRESHOLD_LIMITS
    return min(max(limits.strictness * float(chance), limits.lowest), limits.highest)


def _expect_singly(chances: Array, words: Array) -> tuple[Array, Array, Array]:
    """The chances, the likeliest first, and for the first block, the first two and so on: their
    words, and the expected F1 of keeping them if each were wanted or not by itself.
    """
    order = np.argsort(-chances, kind="stable")
    ordered = chances[order]
    wanted = (chances * words)[order]
    hits = np.cumsum(wanted)
    kept = np.cumsum(words[order])
    expected = 2 * hits / (kept + wanted.sum())
    return ordered, kept, expected


def _expect_together(kept: Array, wanted: Array) -> Array:
    """The expected F1 of keeping so many words, if any of some numbers of words may be those that
    are wanted, each as likely as the others, and one is always a part of the other.
    """
    hits = np.minimum(kept[:, None], wanted)
    expected: Array = (2 * hits / (kept[:, None] + wanted)).mean(axis=1)
    return expected
