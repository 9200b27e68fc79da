"""Trees of several trainings -> one stage: the mean of what they say, and all of them as the trees
that the package adds up.

What trees learn depends on their seed: each draws other rows and features. The mean of several is
right more often than one of them, and costs no more than the trees that it is made of.
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

from webquarry._read.main_content.lifts import Array

_LEAF_SCALE = 10_000
_NEVER_PASSED = 1e30
Matrix = NDArray[np.float32]


class Start(Protocol):
    """What a training leaves, as CatBoost gives it."""

    def predict(self, examples: Matrix, prediction_type: str) -> Array:
        """The log odds of each block, for a matrix with a row a block."""

    def get_scale_and_bias(self) -> tuple[float, Any]:
        """What the sum of the leaves is multiplied by, and what is added to it."""

    def save_model(self, path: str, format: str) -> None:
        """Write the trees to a file."""


@dataclass(frozen=True)
class Stage:
    """Several sets of trees that differ in their seeds; what they say is the mean of all."""

    starts: Sequence[Start]

    def chances(self, matrix: Matrix) -> Array:
        """The chance of each block, for a matrix with a row a feature."""
        examples = np.ascontiguousarray(matrix.T)
        sums = [start.predict(examples, prediction_type="RawFormulaVal") for start in self.starts]
        chances: Array = 1 / (1 + np.exp(-np.mean(sums, axis=0)))
        return chances


def as_data(stage: Stage, names: Sequence[str], depth: int) -> dict[str, Any]:
    """Trees as deep as that, as the package reads them, which adds up all of them; features that
    none of them asks for are left out.
    """
    share = 1 / len(stage.starts)
    trees, biases = [], []
    for model in stage.starts:
        scale, bias = model.get_scale_and_bias()
        if scale != 1.0:
            raise SystemExit(f"The trees are scaled by {scale}; the package does not expect that.")
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


def _read_trees(model: Start, share: float, depth: int) -> list[dict[str, Any]]:
    """The splits and leaves of each tree, all trees equally deep and all numbers rounded; the trees
    have that share in the sum.
    """
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
            # the tree stopped early: one more split that nothing passes
            splits.append([feature, _NEVER_PASSED])
            leaves += leaves
        trees.append({"splits": splits, "leaves": leaves})
    return trees
