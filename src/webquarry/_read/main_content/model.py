"""The probability of each block of a page to belong to the main content.

Nearly all features are relative to the page: shares of its text and of its paragraphs, distances in
blocks. Compiled code (`native/features.pxi`) computes their matrix. The trees are symmetric: all
nodes of a level ask the same question, so that a leaf is a number whose bits are the answers.
Trained by `scripts/train_extraction.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from webquarry._native import (
    CONTEXT_NAMES,
    FEATURE_NAMES,
    Features,
    Forest,
    Matrix,
    WordSearch,
    WordTable,
    build_context,
)
from webquarry._read.main_content.blocks import Flow

_COMMENTS = """
    comment comments commentaires kommentare kommentar comentarios commenti komentarze comentários
    reacties replies responses reviews 评论 コメント комментарии комментариев
""".split()  # noqa: SIM905
_QUOTES = "’“”"
_SEPARATORS = "".join(chr(code) for code in range(1, 128) if not chr(code).isalnum())
_LETTERS = bytes.maketrans(
    (_SEPARATORS + ascii_uppercase).encode(), (" " * len(_SEPARATORS) + ascii_lowercase).encode()
)


@dataclass(frozen=True)
class Lifts:
    """How much words speak for or against a block, learned from pages."""

    classes: Mapping[str, float]
    words: Mapping[str, float]  # of short blocks
    long_words: Mapping[str, float]

    @cached_property
    def name_table(self) -> WordTable:
        """The table of the words in classes and ids."""
        return WordTable(self.classes)

    @cached_property
    def word_table(self) -> WordTable:
        """Both tables of words in texts, and the words that announce comments."""
        return WordTable(self.words, self.long_words, dict.fromkeys(_COMMENTS, 1.0))


def build_features(flow: Flow, lifts: Lifts) -> Features:
    """Compute all features of the blocks of a page."""
    title = None
    if flow.title:
        title = WordTable(dict.fromkeys(split_words(flow.title), 1.0))
    topic = WordSearch(flow.topic)
    return Features(flow.walk, lifts.name_table, lifts.word_table, title, topic, flow.is_article)


def split_words(text: str) -> list[str]:
    """Split a text as the compiled code does: only ASCII letters are converted to lower case."""
    for quote in _QUOTES:
        text = text.replace(quote, " ")
    return text.encode("utf-8").translate(_LETTERS).decode("utf-8").split()


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
    folder = Path(__file__).parents[2] / "data" / "extraction"
    return load_model((folder / "model.json").read_text("utf-8"))
