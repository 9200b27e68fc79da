"""Symmetric trees and a small net: features in, the chance of each block to be kept out.

All splits of one level of a symmetric tree are the same, so a leaf is found by as many comparisons
as the tree is deep, each of them made for all blocks and all trees at once. Trees learn from single
blocks. The net is one hidden layer beside a straight sum; it has learned from whole pages what a
block is worth among the others.
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

from webquarry.read.main_content.context import (
    CARRIED,
    CONTEXT_NAMES,
    SURE,
    build_context,
    log_odds,
)
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
_NET_SHARE = 0.5  # of what the net says, beside both
_FARTHEST = 4.0  # from the middle of an input, in its usual distances

# What the net looks at. Numbers that may be a hundred times as large on one page as on another come
# first, because they are bent. Tags are names, and what the second matrix carries over from the
# first stands there already.
WIDE_INPUTS = """
    repeats echoes chars words links siblings previous_chars next_chars window_chars heading_level
    since_heading from_comment_heading from_h1 unit_links unit_blocks unit_images unit_siblings
    unit_place cluster_mean deep_mean cluster_count deep_count mass40_distance mass60_distance
    from_anchor page_chars page_blocks page_good page_longest page_prices page_images page_h1
    page_mass
""".split()  # noqa: SIM905
_LEFT_OUT = {*WIDE_INPUTS, "tag", "previous_tag", "next_tag"}
_ALL_NAMES = (*NAMES, *CONTEXT_NAMES)
_OTHERS = [name for name in NAMES if name not in _LEFT_OUT]
_OTHERS += [name for name in CONTEXT_NAMES if name not in {*_LEFT_OUT, *CARRIED}]
NET_INPUTS = (*WIDE_INPUTS, *_OTHERS)
_NET_ROWS = [_ALL_NAMES.index(name) for name in NET_INPUTS]


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


def list_net_inputs(matrix: Array, context: Array) -> _Singles:
    """What the net looks at, a row for each of `NET_INPUTS`, from the rows of both matrices."""
    rows = np.concatenate((matrix, context))
    return rows.take(_NET_ROWS, 0).astype(np.float32)


def scale_net_inputs(rows: _Singles, middle: _Singles, scale: _Singles) -> _Singles:
    """The inputs as distances from what is usual, none of them far away."""
    scaled = np.array(rows, np.float32, order="C")
    scaled -= middle[:, None]
    scaled /= scale[:, None]
    wide = scaled[: len(WIDE_INPUTS)]
    wide *= 2 / (1 + np.abs(wide))
    return np.clip(scaled, -_FARTHEST, _FARTHEST, out=scaled)


@dataclass(frozen=True)
class Net:
    """A hidden layer and a straight sum over `NET_INPUTS`."""

    middle: _Singles  # an entry an input
    scale: _Singles
    weights: _Singles  # units x inputs
    offsets: _Singles  # an entry a unit
    outputs: _Singles
    straight: _Singles  # an entry an input
    bias: float

    def judge(self, matrix: Array, context: Array) -> Array:
        """How much more or less likely each block is wanted than the trees say, as log odds."""
        return self.judge_inputs(list_net_inputs(matrix, context))

    def judge_inputs(self, inputs: _Singles) -> Array:
        """The same for a row for each of `NET_INPUTS`."""
        scaled = scale_net_inputs(inputs, self.middle, self.scale)
        if compiled is None:
            return self.sum_units(scaled)
        total = np.zeros(scaled.shape[1])
        layers = (self.weights, self.offsets, self.outputs, self.straight)
        compiled.sum_of_units(scaled, *layers, total)
        return total + self.bias

    def sum_units(self, scaled: _Singles) -> Array:
        """What comes out for scaled inputs, in numpy and in the order of the compiled way."""
        units, inputs = self.weights.shape
        hidden = np.repeat(self.offsets[:, None], scaled.shape[1], axis=1)
        straight = np.zeros(scaled.shape[1], np.float32)
        for number in range(inputs):
            hidden += self.weights[:, number, None] * scaled[number]
            straight += self.straight[number] * scaled[number]
        hidden /= 1 + np.abs(hidden)
        total: Array = np.zeros(scaled.shape[1])
        for number in range(units):
            total += self.outputs[number] * hidden[number]
        return total + straight + self.bias


@dataclass(frozen=True)
class Chances:
    """The chance of each block to be kept."""

    first: Array  # by the block itself and the page
    final: Array  # by what was thought of the blocks around it, too


@dataclass(frozen=True)
class Model:
    """Two sets of trees, the second of which sees what the first thought of the blocks around, and
    a net that sees what both see.
    """

    first: Trees
    second: Trees
    net: Net
    lifts: Lifts

    def chances(self, features: Features) -> Chances:
        """The chance of each block to be kept."""
        first = self.first.chances(features.matrix)
        context = build_context(features, first)
        second = self.second.chances(context)
        return Chances(first, blend(first, second, self.net.judge(features.matrix, context)))


def blend(first: Array, second: Array, net: Array) -> Array:
    """All opinions as one: the mean of the log odds of both sets of trees, and what the net adds to
    it.
    """
    if compiled is not None:
        blended = np.empty(len(first))
        one, other = np.ascontiguousarray(first), np.ascontiguousarray(second)
        more = np.ascontiguousarray(net)
        compiled.blend_chances(one, other, more, _SECOND_SHARE, _NET_SHARE, SURE, blended)
        return blended
    odds = (1 - _SECOND_SHARE) * log_odds(first) + _SECOND_SHARE * log_odds(second)
    return _to_chances(odds + _NET_SHARE * net)


def _to_chances(log_odds: Array) -> Array:
    chances: Array = 1.0 / (1.0 + np.exp(-log_odds))
    return chances


def load_model(text: str) -> Model:
    """A model from its JSON."""
    data = json.loads(text)
    lifts = Lifts(data["class_lifts"], data["word_lifts"], data["long_word_lifts"])
    first = _parse_trees(data["first"], NAMES)
    second = _parse_trees(data["second"], CONTEXT_NAMES)
    return Model(first, second, _parse_net(data["net"]), lifts)


def _parse_net(data: Mapping[str, Any]) -> Net:
    """A net whose inputs are in the order of `NET_INPUTS`, from one that knows them by name."""
    places = [data["inputs"].index(name) for name in NET_INPUTS]
    by_input = {}
    for part in ("middle", "scale", "weights", "straight"):
        values = np.array(data[part], np.float32)
        by_input[part] = np.ascontiguousarray(values[..., places])
    return Net(
        **by_input,
        offsets=np.array(data["offsets"], np.float32),
        outputs=np.array(data["outputs"], np.float32),
        bias=data["bias"],
    )


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
