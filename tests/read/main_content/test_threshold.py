"""The probability threshold of a page."""

from __future__ import annotations

import pytest

from webquarry._native import find_joint_threshold, find_threshold


def test_threshold_is_lower_on_a_page_of_low_probabilities() -> None:
    words = [10.0] * 4

    certain = find_joint_threshold([0.99, 0.98, 0.4, 0.01], words)
    uncertain = find_joint_threshold([0.4, 0.35, 0.3, 0.3], words)

    assert uncertain < 0.35 < 0.4 < certain


def test_long_unlikely_list_is_dropped_as_a_whole() -> None:
    probabilities = [0.99] * 5 + [0.35] * 20
    words = [20.0] * 25

    # for independent blocks, keeping the list raises the expected F1
    assert find_threshold(probabilities, words) < 0.4
    assert find_joint_threshold(probabilities, words) == 0.5


@pytest.mark.parametrize("probabilities", [[0.0, 0.0], [1.0, 1.0]])
def test_threshold_has_bounds(probabilities: list[float]) -> None:
    assert 0.2 <= find_joint_threshold(probabilities, [1.0, 1.0]) <= 0.5


def test_threshold_of_independent_blocks_maximises_the_expected_f1() -> None:
    words = [100.0, 100.0, 100.0]

    assert find_threshold([0.9, 0.9, 0.01], words) == 0.5
    assert find_threshold([0.3, 0.3, 0.3], words) == pytest.approx(1.05 * 0.3)
    assert find_threshold([0.05, 0.05, 0.05], words) == 0.2


def test_probabilities_and_words_must_have_the_same_length() -> None:
    with pytest.raises(ValueError, match="another page"):
        find_threshold([0.5], [1.0, 2.0])
    with pytest.raises(ValueError, match="another page"):
        find_joint_threshold([0.5], [1.0, 2.0])
