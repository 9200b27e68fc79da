"""Symmetric trees and the shipped model."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webquarry._native import FEATURE_NAMES, Forest, Matrix
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.model import Trees, blend, build_features, load_shipped_model

PAGE = (
    "<html><head><title>Tides</title></head><body><main><h1>Tides</h1>"
    f"<p>{'a' * 89}.</p></main><div><a href=/x>More</a></div></body></html>"
)


def make_trees(trees: int = 1) -> Trees:
    """Return trees of depth two over two rows a and b: bit 0 is a > 1, bit 1 is b > 2."""
    features, borders = [[0] * trees, [1] * trees], [[1.0] * trees, [2.0] * trees]
    return Trees(Forest(features, borders, [0, 10, 20, 30] * trees), scale=10.0, bias=0.5)


@pytest.mark.parametrize(
    ("a", "b", "leaf"), [(0, 0, 0.0), (2, 0, 1.0), (0, 3, 2.0), (2, 3, 3.0), (1, 2, 0.0)]
)
def test_splits_select_the_leaf(a: float, b: float, leaf: float) -> None:
    probability = make_trees().predict(Matrix.of([[a], [b]]))

    assert probability[0] == pytest.approx(1 / (1 + math.exp(-(leaf + 0.5))))


def test_features_are_found_by_name() -> None:
    features = build_features(build_flow(parse_html(PAGE)), load_shipped_model().lifts)
    rows = dict(zip(FEATURE_NAMES, features.matrix.to_lists(), strict=True))

    assert rows["chars"] == [5.0, 90.0, 4.0]
    assert rows["density"] == [0.0, 0.0, 1.0]
    assert rows["heading_level"] == [1.0, 1.0, 1.0]
    assert rows["since_heading"] == [0.0, 1.0, 2.0]
    assert rows["title_share"] == [1.0, 0.0, 0.0]
    assert rows["from_anchor"] == [0.0, 1.0, 2.0]
    assert rows["mass60_in"] == [0.0, 1.0, 0.0]
    assert rows["mass60_distance"] == [-1.0, 0.0, 1.0]
    assert rows["in_main"] == [1.0, 1.0, 0.0]
    assert rows["page_in_main"] == pytest.approx([95 / 99] * 3)
    assert rows["previous_chars"] == [0.0, 5.0, 90.0]
    assert rows["next_density"] == [0.0, 1.0, 1.0]
    assert rows["cluster_paragraphs"] == [0.0, 1.0, 0.0]


@given(st.integers(1, 1_200), st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_each_block_has_the_sum_of_its_leaves(blocks: int, trees: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, depth = 9, int(random.choice([1, 2, 4, 6, 6, 8]))
    matrix = random.normal(size=(rows, blocks)).round(1)  # so that some equal a border
    matrix[random.random(matrix.shape) < 0.05] = np.nan
    features = random.integers(0, rows, (depth, trees))
    borders = random.normal(size=(depth, trees)).round(1).astype(np.float32)
    leaves = random.integers(-(2**15), 2**15, trees << depth)
    forest = Forest(features.tolist(), borders.tolist(), leaves.tolist())

    sums = forest.sum_leaves(Matrix.of(matrix.tolist()))

    expected = np.zeros(blocks, int)
    for tree in range(trees):
        leaf = np.zeros(blocks, int)
        for level in range(depth):
            passed = matrix[features[level, tree]].astype(np.float32)
            leaf += (passed > borders[level, tree]).astype(int) << level
        expected += leaves[(tree << depth) + leaf]
    assert sums == expected.tolist()


@pytest.mark.parametrize(
    ("first", "second", "blended"), [(0.5, 0.5, 0.5), (0.9, 0.9, 0.9), (0.8, 0.2, 0.5)]
)
def test_blended_log_odds_are_the_mean_of_both_stages(
    first: float, second: float, blended: float
) -> None:
    assert blend([first], [second]) == [pytest.approx(blended)]


@pytest.mark.parametrize(("feature", "leaves"), [(9, 2), (-1, 2), (0, 3)])
def test_inconsistent_trees_are_rejected(feature: int, leaves: int) -> None:
    with pytest.raises(ValueError, match="tree"):
        Forest([[feature]], [[0.0]], [0] * leaves).sum_leaves(Matrix.of([[0.0] * 4] * 9))


def test_trees_with_too_many_borders_are_rejected() -> None:
    trees = 128

    with pytest.raises(ValueError, match="too many"):
        Forest([[0] * trees], [list(map(float, range(trees)))], [0] * 2 * trees)
