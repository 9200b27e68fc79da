"""Symmetric trees and a net, evaluated in numpy and compiled."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content import model
from webquarry._read.main_content.arrays.buffers import take_row
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.context import CONTEXT_NAMES, build_context
from webquarry._read.main_content.feature_names import NAMES, ROW
from webquarry._read.main_content.features import build_features
from webquarry._read.main_content.model import (
    NET_INPUTS,
    Net,
    Trees,
    list_net_inputs,
    load_model,
    load_shipped_model,
    scale_net_inputs,
)

PAGE = (
    "<html><head><title>Tides</title></head><body><main><h1>Tides</h1>"
    f"<p>{'a' * 89}.</p></main><div><a href=/x>More</a></div></body></html>"
)


def tree(trees: int = 1) -> Trees:
    """Trees of depth two over two rows a and b: bit 0 is a > 1, bit 1 is b > 2."""
    return Trees(
        features=np.array([[0] * trees, [1] * trees], np.intp),
        borders=np.array([[1.0] * trees, [2.0] * trees], np.float32),
        leaves=np.array([0, 10, 20, 30] * trees, np.int16),
        scale=10.0,
        bias=0.5,
    )


@pytest.mark.parametrize(
    ("a", "b", "leaf"), [(0, 0, 0.0), (2, 0, 1.0), (0, 3, 2.0), (2, 3, 3.0), (1, 2, 0.0)]
)
def test_a_leaf_is_found_by_the_splits_that_are_passed(a: float, b: float, leaf: float) -> None:
    chance = tree().chances(np.array([[a], [b]], float))

    assert chance[0] == pytest.approx(1 / (1 + math.exp(-(leaf + 0.5))))


def test_trees_add_up() -> None:
    chance = tree(3).chances(np.array([[2.0], [0.0]]))

    assert chance[0] == pytest.approx(1 / (1 + math.exp(-3.5)))


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Title</h1><p>Some text.</p>",
        "<p>x</p>",
        "<h2>A</h2>" * 3,
        "<ul><li>one<li>two<li>three</ul><table><tr><td>a<td>b</table>",
        "<a href=/x>one</a>",
    ],
)
def test_every_feature_of_a_small_page_is_a_number(body: str) -> None:
    model = load_shipped_model()
    features = build_features(build_flow(parse_html(f"<body>{body}</body>")), model.lifts)

    assert features.matrix.shape == (len(NAMES), len(features.words))
    context = build_context(features, np.full(len(features.words), 0.5))
    assert np.isfinite(np.asarray(features.matrix)).all()
    assert np.isfinite(np.asarray(context)).all()
    assert np.isfinite(model.chances(features).final).all()


def test_features_that_the_model_asks_for_by_name_are_found_in_their_rows() -> None:
    features = build_features(build_flow(parse_html(PAGE)), load_shipped_model().lifts)
    rows = {name: take_row(features.matrix, row) for name, row in ROW.items()}

    assert rows["chars"].tolist() == [5.0, 90.0, 4.0]
    assert rows["density"].tolist() == [0.0, 0.0, 1.0]
    assert rows["heading_level"].tolist() == [1.0, 1.0, 1.0]
    assert rows["since_heading"].tolist() == [0.0, 1.0, 2.0]
    assert rows["title_share"].tolist() == [1.0, 0.0, 0.0]
    assert rows["from_anchor"].tolist() == [0.0, 1.0, 2.0]
    assert rows["mass60_in"].tolist() == [0.0, 1.0, 0.0]
    assert rows["mass60_distance"].tolist() == [-1.0, 0.0, 1.0]
    assert rows["in_main"].tolist() == [1.0, 1.0, 0.0]
    assert rows["page_in_main"].tolist() == pytest.approx([95 / 99] * 3)
    assert rows["previous_chars"].tolist() == [0.0, 5.0, 90.0]
    assert rows["next_density"].tolist() == [0.0, 1.0, 1.0]
    assert rows["cluster_paragraphs"].tolist() == [0.0, 1.0, 0.0]


def test_chances_do_not_depend_on_how_many_blocks_are_judged_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    flow = build_flow(
        parse_html(
            "<body>"
            + "".join(f"<p>Paragraph number {n}, with some text in it.</p>" for n in range(50))
        )
    )
    model = load_shipped_model()
    whole = model.chances(build_features(flow, model.lifts)).final
    monkeypatch.setattr("webquarry._read.main_content.model._CHUNK", 1)

    assert whole == model.chances(build_features(flow, model.lifts)).final


@given(st.integers(0, 1_200), st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_compiled_trees_come_to_the_same_sum(blocks: int, trees: int, seed: int) -> None:
    pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled trees were not built"
    )
    dice = np.random.default_rng(seed)
    rows, depth = 9, int(dice.choice([1, 2, 4, 5, 5, 5, 8]))
    matrix = dice.normal(size=(rows, blocks)).round(1)  # so that some are as large as a border
    matrix[dice.random(matrix.shape) < 0.05] = np.nan
    model = Trees(
        features=dice.integers(0, rows, (depth, trees)).astype(np.intp),
        borders=dice.normal(size=(depth, trees)).round(1).astype(np.float32),
        leaves=dice.integers(-(2**15), 2**15, trees << depth).astype(np.int16),
        scale=10_000.0,
        bias=0.0,
    )
    sums = np.zeros(blocks, np.intc)

    model.forest.sum_leaves(matrix, sums)

    in_numpy = model.sum_leaves(matrix.astype(np.float32)) if blocks else sums
    assert sums.tolist() == in_numpy.tolist()


def test_both_opinions_become_one_in_numpy_as_in_what_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled trees were not built"
    )
    shipped = load_shipped_model()
    features = build_features(build_flow(parse_html(PAGE)), shipped.lifts)
    chances = shipped.chances(features)
    monkeypatch.setattr(model, "compiled", None)
    in_numpy = shipped.chances(features)

    assert chances.first == pytest.approx(in_numpy.first, rel=1e-12)
    assert chances.final == pytest.approx(in_numpy.final, rel=1e-12)


@pytest.mark.parametrize(("feature", "leaves"), [(9, 2), (-1, 2), (0, 3)])
def test_trees_that_do_not_fit_together_are_refused(feature: int, leaves: int) -> None:
    compiled = pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled trees were not built"
    )
    borders, own_leaves = np.zeros((1, 1), np.float32), np.zeros(leaves, np.int16)

    def ask() -> None:
        forest = compiled.Forest(np.array([[feature]]), borders, own_leaves)
        forest.sum_leaves(np.zeros((9, 4)), np.zeros(4, np.intc))

    with pytest.raises(ValueError, match="tree"):
        ask()


def test_trees_with_more_borders_than_are_told_apart_are_refused() -> None:
    compiled = pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled trees were not built"
    )
    trees = 128
    borders = np.arange(trees, dtype=np.float32).reshape(1, trees)

    with pytest.raises(ValueError, match="too many"):
        compiled.Forest(np.zeros((1, trees), np.intp), borders, np.zeros(2 * trees, np.int16))


def make_net(units: int, inputs: int, seed: int) -> Net:
    """A net of random numbers."""
    dice = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return dice.normal(size=shape).astype(np.float32)

    return Net(
        middle=draw(inputs),
        scale=np.abs(draw(inputs)) + np.float32(0.1),
        weights=draw(units, inputs),
        offsets=draw(units),
        outputs=draw(units),
        straight=draw(inputs),
        bias=0.25,
    )


@given(st.integers(1, 300), st.integers(0, 9), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_a_compiled_net_comes_to_the_same_sum(blocks: int, units: int, seed: int) -> None:
    pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled net was not built"
    )
    net = make_net(units, len(NET_INPUTS), seed)
    dice = np.random.default_rng(seed)
    matrix = dice.normal(scale=3.0, size=(len(NAMES), blocks))
    context = dice.normal(size=(len(CONTEXT_NAMES), blocks))

    judged = np.asarray(net.judge(matrix, context))

    # where a processor multiplies and adds in one step, the last bits differ
    in_numpy = net.judge_inputs(list_net_inputs(matrix, context))
    assert judged == pytest.approx(in_numpy, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("part", ["middle", "scale", "offsets", "outputs", "straight"])
def test_a_net_whose_parts_do_not_fit_together_is_refused(part: str) -> None:
    pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled net was not built"
    )
    net = make_net(3, 5, 1)
    broken = replace(net, **{part: getattr(net, part)[:-1].copy()})

    with pytest.raises(ValueError, match="net"):
        broken.layers  # noqa: B018


def test_a_net_that_is_asked_about_other_blocks_refuses() -> None:
    pytest.importorskip(
        "webquarry._read.main_content._trees", reason="the compiled net was not built"
    )
    net = make_net(3, len(NET_INPUTS), 1)

    with pytest.raises(ValueError, match="net"):
        net.judge(np.zeros((len(NAMES), 4)), np.zeros((len(CONTEXT_NAMES), 3)))
    with pytest.raises(ValueError, match="net"):
        net.judge(np.zeros((3, 4)), np.zeros((3, 4)))


def test_no_input_of_the_net_is_far_from_what_is_usual() -> None:
    net = make_net(1, len(NET_INPUTS), 3)
    rows = np.full((len(NET_INPUTS), 2), 1e9, np.float32)
    rows[:, 1] = -1e9

    scaled = scale_net_inputs(rows, net.middle, net.scale)

    assert np.abs(scaled).max() <= 4


def test_a_net_knows_its_inputs_by_name() -> None:
    path = resources.files("webquarry") / "data" / "extraction" / "model.json"
    data = json.loads(path.read_text("utf-8"))
    net = data["net"]
    for part in ("inputs", "middle", "scale", "straight"):
        net[part].reverse()
    for row in net["weights"]:
        row.reverse()
    shipped = load_shipped_model()
    features = build_features(build_flow(parse_html(PAGE)), shipped.lifts)

    turned = load_model(json.dumps(data))

    assert sorted(net["inputs"]) == sorted(NET_INPUTS)
    assert turned.chances(features).final == shipped.chances(features).final
