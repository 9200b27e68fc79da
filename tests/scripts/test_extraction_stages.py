"""Trees of several trainings as one stage of the shipped model."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts.extraction.stages import Array, Matrix, Stage, as_data

from webquarry import _native
from webquarry._read.main_content.model import Trees, parse_trees

NAMES = ("chars", "density", "links")
BLOCKS = np.array([[0.0, 2.0, 0.0, 2.0], [0.0, 0.0, 3.0, 3.0], [9.0, 9.0, 9.0, 9.0]], np.float32)


@dataclass
class OneTree:
    """The result of a training that made a single tree."""

    splits: list[tuple[int, float]]
    leaves: list[float]
    bias: float
    scale: float = 1.0
    asked: list[str] = field(default_factory=list)

    def predict(self, examples: Matrix, prediction_type: str) -> Array:
        self.asked.append(prediction_type)
        leaf = np.zeros(len(examples), int)
        for level, (feature, border) in enumerate(self.splits):
            leaf += (examples[:, feature] > border).astype(int) << level
        sums: Array = np.array(self.leaves)[leaf] + self.bias
        return sums

    def get_scale_and_bias(self) -> tuple[float, Any]:
        return self.scale, [self.bias]

    def save_model(self, path: str, format: str) -> None:
        assert format == "json"
        splits = [{"float_feature_index": at, "border": border} for at, border in self.splits]
        tree = {"splits": splits, "leaf_values": self.leaves}
        Path(path).write_text(json.dumps({"oblivious_trees": [tree]}), "utf-8")


ONE = OneTree([(0, 1.0), (1, 2.0)], [-1.0, 0.5, 1.0, 2.0], bias=0.25)
OTHER = OneTree([(1, 1.0)], [0.3, -2.5], bias=-0.75)


def load(stage: Stage) -> Trees:
    return parse_trees(as_data(stage, NAMES, depth=2), NAMES)


def test_prediction_is_the_mean_log_odds_of_all_trainings() -> None:
    probabilities = Stage([ONE, OTHER]).predict(BLOCKS)

    mean = (ONE.predict(BLOCKS.T, "RawFormulaVal") + OTHER.predict(BLOCKS.T, "RawFormulaVal")) / 2
    assert probabilities == pytest.approx(1 / (1 + np.exp(-mean)))
    assert set(ONE.asked) == {"RawFormulaVal"}


def test_exported_trees_predict_the_same_as_the_stage() -> None:
    stage = Stage([ONE, OTHER])

    exported = load(stage).predict(_native.Matrix.of(BLOCKS.tolist()))
    assert exported == pytest.approx(stage.predict(BLOCKS), abs=1e-4)


def test_unused_features_are_not_exported() -> None:
    assert as_data(Stage([ONE, OTHER]), NAMES, depth=2)["features"] == ["chars", "density"]


def test_scaled_trees_are_rejected() -> None:
    scaled = OneTree([(0, 1.0)], [0.0, 1.0], bias=0.0, scale=2.0)

    with pytest.raises(SystemExit, match=r"scale of the trees: 2\.0"):
        as_data(Stage([ONE, scaled]), NAMES, depth=2)
