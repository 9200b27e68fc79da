"""Symmetric trees evaluated in numpy."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from webquarry.read.html import parse_html
from webquarry.read.main_content.blocks import flow_of
from webquarry.read.main_content.context import context_of
from webquarry.read.main_content.features import NAMES, features_of
from webquarry.read.main_content.model import Trees, shipped_model

PAGE = (
    "<html><head><title>Tides</title></head><body><main><h1>Tides</h1>"
    f"<p>{'a' * 89}.</p></main><div><a href=/x>More</a></div></body></html>"
)


def tree(trees: int = 1) -> Trees:
    """Trees of depth two over two rows a and b: bit 0 is a > 1, bit 1 is b > 2."""
    return Trees(
        features=np.array([[0] * trees, [1] * trees], np.intp),
        borders=np.array([[1.0] * trees, [2.0] * trees], np.float32),
        leaves=np.array([0.0, 1.0, 2.0, 3.0] * trees, np.float32),
        bias=0.5,
    )


@pytest.mark.parametrize(("a", "b", "leaf"), [(0, 0, 0.0), (2, 0, 1.0), (0, 3, 2.0), (2, 3, 3.0), (1, 2, 0.0)])
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
    model = shipped_model()
    features = features_of(flow_of(parse_html(f"<body>{body}</body>")), model.lifts)

    assert features.matrix.shape == (len(NAMES), len(features.words))
    assert np.isfinite(features.matrix).all()
    assert np.isfinite(context_of(features, np.full(len(features.words), 0.5))).all()
    assert np.isfinite(model.chances(features)).all()


def test_features_that_the_model_asks_for_by_name_are_found_in_their_rows() -> None:
    features = features_of(flow_of(parse_html(PAGE)), shipped_model().lifts)
    rows = features.columns

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


def test_chances_do_not_depend_on_how_many_blocks_are_judged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = flow_of(
        parse_html("<body>" + "".join(f"<p>Paragraph number {n}, with some text in it.</p>" for n in range(50)))
    )
    model = shipped_model()
    whole = model.chances(features_of(flow, model.lifts))
    monkeypatch.setattr("webquarry.read.main_content.model._CHUNK", 1)

    assert json.dumps(whole.tolist()) == json.dumps(model.chances(features_of(flow, model.lifts)).tolist())
