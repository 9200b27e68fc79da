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

from webquarry.read.main_content.context import CONTEXT_NAMES, context_of
from webquarry.read.main_content.features import NAMES, Features
from webquarry.read.main_content.lifts import Lifts

try:
    from webquarry.read.main_content._trees import sum_of_leaves
except ImportError:  # not built: numpy does it
    sum_of_leaves = None  # type: ignore[assignment]

_CHUNK = 4_000_000  # comparisons made at once; a page of many thousand blocks is judged in parts
_SECOND_SHARE = 0.7


@dataclass(frozen=True)
class Trees:
    """Trees, and the rows of a matrix that they ask for."""

    features: NDArray[np.intp]  # depth x trees
    borders: NDArray[np.float32]  # depth x trees
    leaves: NDArray[np.float32]  # trees x leaves, flat
    bias: float

    def chances(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chance of each block, for a matrix with a row a feature."""
        matrix = rows.astype(np.float32)
        if sum_of_leaves is None:
            total = self.summed(matrix)
        else:
            total = np.zeros(matrix.shape[1])
            sum_of_leaves(matrix, self.features, self.borders, self.leaves, total)
        return 1.0 / (1.0 + np.exp(-(total + self.bias)))

    def summed(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sum of the leaves that each block falls into."""
        step = max(_CHUNK // max(self.features.shape[1], 1), 1)
        parts = [
            self._sum(matrix[:, start : start + step]) for start in range(0, matrix.shape[1], step)
        ]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts)

    def _sum(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        depth, trees = self.features.shape
        shape = (trees, matrix.shape[1])
        leaf, above, asked = (
            np.zeros(shape, np.uint8),
            np.empty(shape, np.bool_),
            np.empty(shape, np.float32),
        )
        for level in reversed(range(depth)):
            matrix.take(
                self.features[level], 0, out=asked, mode="clip"
            )  # any mode but "raise" spares a copy
            np.greater(asked, self.borders[level][:, None], out=above)
            leaf += leaf
            leaf |= above.view(np.uint8)
        place = leaf + (np.arange(trees, dtype=np.intp) << depth)[:, None]
        total: NDArray[np.float64] = self.leaves.take(place).sum(axis=0, dtype=np.float64)
        return total


@dataclass(frozen=True)
class Model:
    """Two sets of trees, the second of which sees what the first thought of the blocks around."""

    first: Trees
    second: Trees
    lifts: Lifts

    def chances(self, features: Features) -> NDArray[np.float64]:
        """The chance of each block to be kept."""
        first = self.first.chances(features.matrix)
        return blended(first, self.second.chances(context_of(features, first)))


def blended(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Both opinions as one: the mean of their log odds, the second with more weight."""
    odds = (1 - _SECOND_SHARE) * _log_odds(first) + _SECOND_SHARE * _log_odds(second)
    mixed: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
    return mixed


def _log_odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    safe = np.clip(chances, 1e-3, 1 - 1e-3)
    odds: NDArray[np.float64] = np.log(safe / (1 - safe))
    return odds


def load_model(text: str) -> Model:
    """A model from its JSON."""
    data = json.loads(text)
    lifts = Lifts(data["class_lifts"], data["word_lifts"], data["long_word_lifts"])
    return Model(_trees(data["first"], NAMES), _trees(data["second"], CONTEXT_NAMES), lifts)


def _trees(data: Mapping[str, Any], names: Sequence[str]) -> Trees:
    trees = data["trees"]
    rows = [names.index(name) for name in data["features"]]
    return Trees(
        features=np.array(
            [[rows[split[0]] for split in tree["splits"]] for tree in trees], np.intp
        ).T.copy(),
        borders=np.array(
            [[split[1] for split in tree["splits"]] for tree in trees], np.float32
        ).T.copy(),
        leaves=np.array([tree["leaves"] for tree in trees], np.float32).ravel()
        / np.float32(data["leaf_scale"]),
        bias=data["bias"],
    )


@cache
def shipped_model() -> Model:
    """The model that comes with the package; read when the first page is."""
    return load_model(
        (resources.files("webquarry") / "data" / "extraction" / "model.json").read_text("utf-8")
    )
