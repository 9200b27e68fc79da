"""Symmetric trees and a small net: features in, the chance of each block to be kept out.

All splits of one level of a symmetric tree are the same, so a leaf is found by as many comparisons
as the tree is deep, each of them made for all blocks and all trees at once. Trees learn from single
blocks. The net is one hidden layer beside a straight sum; it has learned from whole pages what a
block is worth among the others.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from webquarry._read.main_content.arrays.buffers import Rows, make_row, pack_integers, pack_singles
from webquarry._read.main_content.context import (
    CARRIED,
    CONTEXT_NAMES,
    SURE,
    build_context,
    log_odds,
)
from webquarry._read.main_content.feature_names import NAMES
from webquarry._read.main_content.features import Features
from webquarry._read.main_content.lifts import Array, Ints, Lifts

try:
    from webquarry._read.main_content import _trees as compiled
except ImportError:  # not built: numpy does it
    compiled = None  # type: ignore[assignment]
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    from webquarry._read.main_content.arrays.late_numpy import np

_Singles: TypeAlias = "NDArray[np.float32]"
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

    features: Rows  # depth x trees
    borders: Rows  # depth x trees, in single precision
    leaves: Any  # trees x leaves, flat, as whole numbers of 16 bits
    scale: float  # what a leaf is divided by
    bias: float

    @cached_property
    def forest(self) -> compiled.Forest:
        """The trees as they are asked most quickly."""
        return compiled.Forest(self.features, self.borders, self.leaves)

    def chances(self, rows: Rows) -> Rows:
        """The chance of each block, for a matrix with a row a feature."""
        if compiled is None:
            sums = self.sum_leaves(np.asarray(rows, np.float32))
            return _to_chances(sums / self.scale + self.bias)
        chances = make_row(rows.shape[1])
        self.forest.find_chances(rows, self.scale, self.bias, chances)
        return chances

    def sum_leaves(self, matrix: _Singles) -> Ints:
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

    def _sum_chunk(self, matrix: _Singles) -> Ints:
        features, borders = np.asarray(self.features), np.asarray(self.borders)
        depth, trees = features.shape
        shape = (trees, matrix.shape[1])
        leaf = np.zeros(shape, np.uint8)
        is_above = np.empty(shape, np.bool_)
        values = np.empty(shape, np.float32)
        for level in reversed(range(depth)):
            # any mode but "raise" spares a copy
            matrix.take(features[level], 0, out=values, mode="clip")
            np.greater(values, borders[level][:, None], out=is_above)
            leaf += leaf
            leaf |= is_above.view(np.uint8)
        first_leaf = np.arange(trees, dtype=np.intp) << depth
        chosen = np.asarray(self.leaves).take(leaf + first_leaf[:, None])
        sums: Ints = chosen.sum(axis=0, dtype=np.intp)
        return sums


def list_net_inputs(matrix: Rows, context: Rows) -> _Singles:
    """What the net looks at, a row for each of `NET_INPUTS`, from the rows of both matrices."""
    rows = np.concatenate((np.asarray(matrix), np.asarray(context)))
    return rows.take(_NET_ROWS, 0).astype(np.float32)


def scale_net_inputs(rows: _Singles, middle: Rows, scale: Rows) -> _Singles:
    """The inputs as distances from what is usual, none of them far away."""
    scaled = np.array(rows, np.float32, order="C")
    scaled -= np.asarray(middle)[:, None]
    scaled /= np.asarray(scale)[:, None]
    wide = scaled[: len(WIDE_INPUTS)]
    wide *= 2 / (1 + np.abs(wide))
    return np.clip(scaled, -_FARTHEST, _FARTHEST, out=scaled)


@dataclass(frozen=True)
class Net:
    """A hidden layer and a straight sum over `NET_INPUTS`, all in single precision."""

    middle: Rows  # an entry an input
    scale: Rows
    weights: Rows  # units x inputs
    offsets: Rows  # an entry a unit
    outputs: Rows
    straight: Rows  # an entry an input
    bias: float

    @cached_property
    def layers(self) -> compiled.Layers:
        """The net as it is asked most quickly."""
        parts = (self.weights, self.offsets, self.outputs, self.straight)
        return compiled.Layers(self.middle, self.scale, *parts, len(WIDE_INPUTS), _FARTHEST)

    def judge(self, matrix: Rows, context: Rows) -> Rows:
        """How much more or less likely each block is wanted than the trees say, as log odds."""
        if compiled is None:
            return self.judge_inputs(list_net_inputs(matrix, context))
        total = make_row(matrix.shape[1])
        self.layers.judge(matrix, context, _NET_ROWS, self.bias, total)
        return total

    def judge_inputs(self, inputs: _Singles) -> Array:
        """The same for a row for each of `NET_INPUTS`, in numpy and in the order of the compiled
        way.
        """
        scaled = scale_net_inputs(inputs, self.middle, self.scale)
        weights, straight_weights = np.asarray(self.weights), np.asarray(self.straight)
        hidden = np.repeat(np.asarray(self.offsets)[:, None], scaled.shape[1], axis=1)
        straight = np.zeros(scaled.shape[1], np.float32)
        for number, row in enumerate(scaled):
            hidden += weights[:, number, None] * row
            straight += straight_weights[number] * row
        hidden /= 1 + np.abs(hidden)
        total: Array = np.zeros(scaled.shape[1])
        for output, unit in zip(np.asarray(self.outputs), hidden, strict=True):
            total += output * unit
        return total + straight + self.bias


@dataclass(frozen=True)
class Chances:
    """The chance of each block to be kept."""

    first: Sequence[float]  # by the block itself and the page
    final: Sequence[float]  # by what was thought of the blocks around it, too


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
        final = blend(first, second, self.net.judge(features.matrix, context))
        return Chances(first.tolist(), final.tolist())


def blend(first: Rows, second: Rows, net: Rows) -> Rows:
    """All opinions as one: the mean of the log odds of both sets of trees, and what the net adds to
    it.
    """
    if compiled is not None:
        blended = make_row(len(first))
        compiled.blend_chances(first, second, net, _SECOND_SHARE, _NET_SHARE, SURE, blended)
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
    for part in ("middle", "scale", "straight"):
        by_input[part] = array("f", [data[part][place] for place in places])
    weights = [[row[place] for place in places] for row in data["weights"]]
    return Net(
        **by_input,
        weights=pack_singles(weights),
        offsets=array("f", data["offsets"]),
        outputs=array("f", data["outputs"]),
        bias=data["bias"],
    )


def _parse_trees(data: Mapping[str, Any], names: Sequence[str]) -> Trees:
    """Trees whose splits ask for rows of a matrix, from those whose splits ask for names."""
    rows = [names.index(name) for name in data["features"]]
    features, borders, leaves = [], [], array("h")
    for tree in data["trees"]:
        splits = tree["splits"]
        features.append([rows[number] for number, _ in splits])
        borders.append([border for _, border in splits])
        leaves.extend(tree["leaves"])
    return Trees(
        features=pack_integers(list(zip(*features, strict=True))),
        borders=pack_singles(list(zip(*borders, strict=True))),
        leaves=leaves,
        scale=data["leaf_scale"],
        bias=data["bias"],
    )


@cache
def load_shipped_model() -> Model:
    """The model that comes with the package; read when the first page is."""
    folder = resources.files("webquarry") / "data" / "extraction"
    return load_model((folder / "model.json").read_text("utf-8"))
