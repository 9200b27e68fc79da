"""Trees of several trainings -> one stage: their mean, and the JSON that the package reads.

What trees learn depends on their seed. The mean of several trainings is more accurate and costs no
more than the trees that it is made of.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

_LEAF_SCALE = 10_000
_NEVER_PASSED = 1e30
Matrix = NDArray[np.float32]
Array = NDArray[np.float64]


class TrainedTrees(Protocol):
    """The result of one training, as CatBoost returns it."""

    def predict(self, examples: Matrix, prediction_type: str) -> Array:
        """Return the log odds of each block, for a matrix with a row per block."""

    def get_scale_and_bias(self) -> tuple[float, Any]:
        """Return the factor of the sum of the leaves, and the bias that is added to it."""

    def save_model(self, path: str, format: str) -> None:
        """Write the trees to a file."""


@dataclass(frozen=True)
class Stage:
    """Trees of several trainings with different seeds; the prediction is their mean."""

    trainings: Sequence[TrainedTrees]

    def predict(self, matrix: Matrix) -> Array:
        """Return the probability of each block, for a matrix with a row per feature."""
        examples = np.ascontiguousarray(matrix.T)
        sums = [one.predict(examples, prediction_type="RawFormulaVal") for one in self.trainings]
        probabilities: Array = 1 / (1 + np.exp(-np.mean(sums, axis=0)))
        return probabilities


def as_data(stage: Stage, names: Sequence[str], depth: int) -> dict[str, Any]:
    """Return all trees of a stage as JSON data, padded to the same depth, without unused features."""
    share = 1 / len(stage.trainings)
    trees, biases = [], []
    for model in stage.trainings:
        scale, bias = model.get_scale_and_bias()
        if scale != 1.0:
            raise SystemExit(f"Unexpected scale of the trees: {scale}")
        trees += _read_trees(model, share, depth)
        biases.append(float(np.ravel(bias)[0]))
    used = sorted({split[0] for tree in trees for split in tree["splits"]})
    numbers = {feature: number for number, feature in enumerate(used)}
    for tree in trees:
        tree["splits"] = [[numbers[feature], border] for feature, border in tree["splits"]]
    return {
        "features": [names[feature] for feature in used],
        "bias": round(float(np.mean(biases)), 6),
        "leaf_scale": _LEAF_SCALE,
        "trees": trees,
    }


def _read_trees(model: TrainedTrees, share: float, depth: int) -> list[dict[str, Any]]:
    """Return splits and leaves of each tree, rounded, with the leaves multiplied by `share`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        raw = json.loads(path.read_text("utf-8"))
    trees = []
    for tree in raw["oblivious_trees"]:
        splits = [
            [split["float_feature_index"], float(f"{split['border']:.6g}")]
            for split in tree["splits"]
        ]
        leaves = [round(value * share * _LEAF_SCALE) for value in tree["leaf_values"]]
        feature = splits[0][0] if splits else 0
        while len(splits) < depth:
            # a tree that stopped early gets splits that nothing passes
            splits.append([feature, _NEVER_PASSED])
            leaves += leaves
        trees.append({"splits": splits, "leaves": leaves})
    return trees
