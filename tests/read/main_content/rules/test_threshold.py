"""The chance from which on blocks are kept."""

from __future__ import annotations

import numpy as np
import pytest

from webquarry._read.main_content.rules.threshold import (
    THRESHOLD_LIMITS,
    find_in_numpy,
    find_single_threshold,
    find_threshold,
)


def test_what_is_likely_enough_to_raise_the_expected_f1_is_kept() -> None:
    words = np.array([100.0, 100.0, 100.0])

    assert find_single_threshold(np.array([0.9, 0.9, 0.01]), words) == 0.5
    assert find_single_threshold(np.array([0.3, 0.3, 0.3]), words) == pytest.approx(1.05 * 0.3)
    assert find_single_threshold(np.array([0.05, 0.05, 0.05]), words) == 0.2


@pytest.mark.parametrize("blocks", [1, 2, 7, 60, 500])
def test_both_ways_find_the_same_threshold(blocks: int) -> None:
    compiled = pytest.importorskip("webquarry._read.main_content._context", reason="not built")
    dice = np.random.default_rng(blocks)
    for _ in range(20):
        chances = dice.random(blocks).round(2)
        words = dice.integers(1, 400, blocks).astype(float)

        assert compiled.find_threshold(chances, words, THRESHOLD_LIMITS) == pytest.approx(
            find_single_threshold(chances, words)
        )
        assert find_threshold(chances.tolist(), words.tolist()) == find_in_numpy(chances, words)


def test_chances_without_as_many_words_are_refused() -> None:
    compiled = pytest.importorskip("webquarry._read.main_content._context", reason="not built")

    with pytest.raises(ValueError, match="another page"):
        compiled.find_threshold(np.array([0.5]), np.array([1.0, 2.0]), None)
    with pytest.raises(ValueError, match="another page"):
        find_threshold([0.5], [1.0, 2.0])
