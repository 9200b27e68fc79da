"""Symmetric trees evaluated in numpy."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from webquarry.read.html import parse_html
from webquarry.read.main_content.blocks import flow_of
from webquarry.read.main_content.context import CARRIED
from webquarry.read.main_content.features import features_of
from webquarry.read.main_content.model import Trees, shipped_model


def tree(trees: int = 1) -> Trees:
    """Trees of depth two over the features a and b: bit 0 is a > 1, bit 1 is b > 2."""
    return Trees(
        names=["a", "b"],
        features=np.array([[0] * trees, [1] * trees], np.intp),
        borders=np.array([[1.0] * trees, [2.0] * trees], np.float32),
        leaves=np.array([0.0, 1.0, 2.0, 3.0] * trees, np.float32),
        bias=0.5,
    )


@pytest.mark.parametrize(("a", "b", "leaf"), [(0, 0, 0.0), (2, 0, 1.0), (0, 3, 2.0), (2, 3, 3.0), (1, 2, 0.0)])
def test_a_leaf_is_found_by_the_splits_that_are_passed(a: float, b: float, leaf: float) -> None:
    chance = tree().chances({"a": np.array([a]), "b": np.array([b])})

    assert chance[0] == pytest.approx(1 / (1 + math.exp(-(leaf + 0.5))))


def test_trees_add_up() -> None:
    chance = tree(3).chances({"a": np.array([2.0]), "b": np.array([0.0])})

    assert chance[0] == pytest.approx(1 / (1 + math.exp(-3.5)))


def test_the_shipped_model_asks_only_for_features_that_exist() -> None:
    model = shipped_model()
    flow = flow_of(parse_html("<body><h1>Title</h1><p>Some text.</p></body>"))
    features = features_of(flow, model.lifts)

    assert set(model.first.names) <= set(features.columns)
    assert set(CARRIED) <= set(features.columns)
    assert np.isfinite(model.chances(features)).all()


def test_chances_do_not_depend_on_how_many_blocks_are_judged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = flow_of(
        parse_html("<body>" + "".join(f"<p>Paragraph number {n}, with some text in it.</p>" for n in range(50)))
    )
    model = shipped_model()
    whole = model.chances(features_of(flow, model.lifts))
    monkeypatch.setattr("webquarry.read.main_content.model._CHUNK", 1)

    assert json.dumps(whole.tolist()) == json.dumps(model.chances(features_of(flow, model.lifts)).tolist())
