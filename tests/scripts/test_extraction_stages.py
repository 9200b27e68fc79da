"""Trees of several trainings as one stage of the model that ships."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripts.extraction.stages import Matrix, Stage, as_data

from webquarry._read.main_content.lifts import Array
from webquarry._read.main_content.model import Trees, _parse_trees

NAMES = ("chars", "density", "links")
BLOCKS = np.array([[0.0, 2.0, 0.0, 2.0], [0.0, 0.0, 3.0, 3.0], [9.0, 9.0, 9.0, 9.0]], np.float32)


@dataclass
class OneTree:
    """What a training leaves that made a single tree: its splits, its leaves and a bias."""

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
    return _parse_trees(as_data(stage, NAMES, depth=2), NAMES)


def test_several_trainings_say_the_mean_of_their_log_odds() -> None:
    chances = Stage([ONE, OTHER]).chances(BLOCKS)

    mean = (ONE.predict(BLOCKS.T, "RawFormulaVal") + OTHER.predict(BLOCKS.T, "RawFormulaVal")) / 2
    assert chances == pytest.approx(1 / (1 + np.exp(-mean)))
    assert set(ONE.asked) == {"RawFormulaVal"}


def test_the_package_says_of_blocks_what_all_trainings_say_together() -> None:
    stage = Stage([ONE, OTHER])

    said = load(stage).chances(BLOCKS.astype(float)).tolist()
    assert said == pytest.approx(stage.chances(BLOCKS), abs=1e-4)


def test_a_feature_that_no_tree_asks_for_is_not_written_down() -> None:
    assert as_data(Stage([ONE, OTHER]), NAMES, depth=2)["features"] == ["chars", "density"]


def test_trees_that_are_scaled_are_refused() -> None:
    scaled = OneTree([(0, 1.0)], [0.0, 1.0], bias=0.0, scale=2.0)

    with pytest.raises(SystemExit, match=r"scaled by 2\.0"):
        as_data(Stage([ONE, scaled]), NAMES, depth=2)
