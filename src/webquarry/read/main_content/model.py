"""Symmetric trees: features in, the chance of each block to be kept out.

All splits of one level of a symmetric tree are the same, so a leaf is found by as many comparisons
as the tree is deep, each of them made for all blocks and all trees at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.context import CONTEXT_NAMES, SURE, build_context, log_odds
from webquarry.read.main_content.feature_names import NAMES
from webquarry.read.main_content.features import Features
from webquarry.read.main_content.lifts import Array, Ints, Lifts

try:
    from webquarry.read.main_content import _trees as compiled
except ImportError:  # not built: numpy does it
    compiled = None  # type: ignore[assignment]

_Singles = NDArray[np.float32]
_CHUNK = 4_000_000  # comparisons made at once; a page of many thousand blocks is judged in parts
_SECOND_SHARE = 0.5  # of the second opinion in both


@dataclass(frozen=True)
class Trees:
    """Trees, and the rows of a matrix that they ask for."""

    features: Ints  # depth x trees
    borders: _Singles  # depth x trees
    leaves: _Singles  # trees x leaves, flat
    bias: float

    def chances(self, rows: Array) -> Array:
        """The chance of each block, for a matrix with a row a feature."""
        if compiled is None:
            total = self.sum_leaves(rows.astype(np.float32))
            return _to_chances(total + self.bias)
        chances = np.empty(rows.shape[1])
        trees = (self.features, self.borders, self.leaves, self.bias)
        compiled.find_chances(np.ascontiguousarray(rows), *trees, chances)
        return chances

    def sum_leaves(self, matrix: _Singles) -> Array:
        """The sum of the leaves that each block falls into, in numpy."""
        trees = self.features.shape[1]
        blocks = matrix.shape[1]
        step = max(_CHUNK // max(trees, 1), 1)
        parts = []
        for start in range(0, blocks, step):
            chunk = matrix[:, start : start + step]
            parts.append(self._sum_chunk(chunk))
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts)

    def _sum_chunk(self, matrix: _Singles) -> Array:
        depth, trees = self.features.shape
        shape = (trees, matrix.shape[1])
        leaf = np.zeros(shape, np.uint8)
        is_above = np.empty(shape, np.bool_)
        values = np.empty(shape, np.float32)
        for level in reversed(range(depth)):
            # any mode but "raise" spares a copy
            matrix.take(self.features[level], 0, out=values, mode="clip")
            np.greater(values, self.borders[level][:, None], out=is_above)
            leaf += leaf
            leaf |= is_above.view(np.uint8)
        first_leaf = np.arange(trees, dtype=np.intp) << depth
        chosen = self.leaves.take(leaf + first_leaf[:, None])
        total: Array = chosen.sum(axis=0, dtype=np.float64)
        return total


@dataclass(frozen=True)
class Chances:
    """The chance of each block to be kept."""

    first: Array  # by the block itself and the page
    final: Array  # by what was thought of the blocks around it, too


@dataclass(frozen=True)
class Model:
    """Two sets of trees, the second of which sees what the first thought of the blocks around."""

    first: Trees
    second: Trees
    lifts: Lifts

    def chances(self, features: Features) -> Chances:
        """The chance of each block to be kept."""
        first = self.first.chances(features.matrix)
        second = self.second.chances(build_context(features, first))
        return Chances(first, blend(first, second))


def blend(first: Array, second: Array) -> Array:
    """Both opinions as one: the mean of their log odds."""
    if compiled is not None:
        both = np.empty(len(first))
        one, other = np.ascontiguousarray(first), np.ascontiguousarray(second)
        compiled.blend_chances(one, other, _SECOND_SHARE, SURE, both)
        return both
    odds = (1 - _SECOND_SHARE) * log_odds(first) + _SECOND_SHARE * log_odds(second)
    return _to_chances(odds)


def _to_chances(log_odds: Array) -> Array:
    chances: Array = 1.0 / (1.0 + np.exp(-log_odds))
    return chances


def load_model(text: str) -> Model:
    """A model from its JSON."""
    data = json.loads(text)
    lifts = Lifts(data["class_lifts"], data["word_lifts"], data["long_word_lifts"])
    first = _parse_trees(data["first"], NAMES)
    second = _parse_trees(data["second"], CONTEXT_NAMES)
    return Model(first, second, lifts)


def _parse_trees(data: Mapping[str, Any], names: Sequence[str]) -> Trees:
    """Trees whose splits ask for rows of a matrix, from those whose splits ask for names."""
    rows = [names.index(name) for name in data["features"]]
    features, borders, leaves = [], [], []
    for tree in data["trees"]:
        splits = tree["splits"]
        features.append([rows[number] for number, _ in splits])
        borders.append([border for _, border in splits])
        leaves.append(tree["leaves"])
    scale = np.float32(data["leaf_scale"])
    return Trees(
        features=np.array(features, np.intp).T.copy(),
        borders=np.array(borders, np.float32).T.copy(),
        leaves=np.array(leaves, np.float32).ravel() / scale,
        bias=data["bias"],
    )


@cache
def load_shipped_model() -> Model:
    """The model that comes with the package; read when the first page is."""
    folder = resources.files("webquarry") / "data" / "extraction"
    return load_model((folder / "model.json").read_text("utf-8"))
