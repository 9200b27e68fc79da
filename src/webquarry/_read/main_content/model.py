"""Features of blocks -> the probability of each block to belong to the main content.

The trees are symmetric: all nodes of a level ask the same question, so a leaf is a number whose
bits are the answers. Trained by `scripts/train_extraction.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import sqrt
from typing import Any

from webquarry._native import (
    CONTEXT_NAMES,
    FEATURE_NAMES,
    Features,
    Forest,
    Matrix,
    build_context,
)
from webquarry._read.main_content.features import Lifts


@dataclass(frozen=True)
class Trees:
    """A sum of trees over the rows of a feature matrix."""

    forest: Forest
    scale: float  # divisor of a leaf
    bias: float

    def predict(self, matrix: Matrix) -> list[float]:
        """Return the probability of each block."""
        return self.forest.predict(matrix, self.scale, self.bias)


@dataclass(frozen=True)
class Probabilities:
    """The probability of each block to belong to the main content."""

    first: Sequence[float]  # by the block itself and the page
    final: Sequence[float]  # by the first probabilities of the blocks around it, too


@dataclass(frozen=True)
class Model:
    """Two stages of trees, the second of which sees the first probabilities of other blocks."""

    first: Trees
    second: Trees
    lifts: Lifts

    def predict(self, features: Features) -> Probabilities:
        """Return the probabilities of a page's blocks."""
        first = self.first.predict(features.matrix)
        second = self.second.predict(build_context(features, first))
        return Probabilities(first, blend(first, second))


def blend(first: Iterable[float], second: Iterable[float]) -> list[float]:
    """Return probabilities whose log odds are the means of those of both stages."""
    blended: list[float] = []
    for one, other in zip(first, second, strict=True):
        wanted, unwanted = sqrt(one * other), sqrt((1.0 - one) * (1.0 - other))
        blended.append(wanted / (wanted + unwanted))
    return blended


def load_model(text: str) -> Model:
    """Return a model from its JSON."""
    data = json.loads(text)
    lifts = Lifts(data["class_lifts"], data["word_lifts"], data["long_word_lifts"])
    first = parse_trees(data["first"], FEATURE_NAMES)
    return Model(first, parse_trees(data["second"], CONTEXT_NAMES), lifts)


def parse_trees(data: Mapping[str, Any], names: Sequence[str]) -> Trees:
    """Return trees from their JSON, which has names in place of rows of the matrix."""
    rows = [names.index(name) for name in data["features"]]
    splits = [tree["splits"] for tree in data["trees"]]
    features = [[rows[number] for number, _ in level] for level in zip(*splits, strict=True)]
    borders = [[border for _, border in level] for level in zip(*splits, strict=True)]
    leaves = [leaf for tree in data["trees"] for leaf in tree["leaves"]]
    return Trees(Forest(features, borders, leaves), data["leaf_scale"], data["bias"])


@cache
def load_shipped_model() -> Model:
    """Return the model of the package; loaded with the first page."""
    folder = resources.files("webquarry") / "data" / "extraction"
    return load_model((folder / "model.json").read_text("utf-8"))
