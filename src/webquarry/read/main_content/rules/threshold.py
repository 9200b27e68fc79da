"""The chances of a page's blocks -> the one from which on they are kept."""

from __future__ import annotations

import numpy as np

from webquarry.read.main_content.lifts import Array

_LOWEST, _HIGHEST = 0.2, 0.5  # between these the threshold of a page may lie
_STRICTNESS = 1.05


def find_threshold(chances: Array, words: Array) -> float:
    """The chance from which on keeping a block makes the expected F1 of the page the largest."""
    order = np.argsort(-chances, kind="stable")
    # for each number of blocks that may be kept: the words of them that are wanted, and all of them
    wanted = (chances * words)[order]
    hits = np.cumsum(wanted)
    kept = np.cumsum(words[order])
    expected_f1 = 2 * hits / (kept + wanted.sum())
    best = int(np.argmax(expected_f1))
    threshold = _STRICTNESS * float(chances[order][best])
    return min(max(threshold, _LOWEST), _HIGHEST)
