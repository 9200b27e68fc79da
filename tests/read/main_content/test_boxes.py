"""Names, repeated siblings and similar elements."""

from __future__ import annotations

import numpy as np
import pytest

from webquarry._native import link_boxes
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.boxes import (
    CLUSTER,
    DEEP,
    HIGHEST,
    LOWEST,
    OWN,
    SIBLINGS,
    UNIT,
    describe_boxes,
)
from webquarry._read.main_content.lifts import Lookup
from webquarry._read.main_content.words import split_names

LOOKUP = Lookup.build({"post": 0.5, "share": -0.25, "body": 0.125})


def described(body: str) -> tuple[Flow, list[list[int]], list[list[float]]]:
    flow = build_flow(parse_html(f"<html><body>{body}</body></html>"))
    boxes = describe_boxes(flow, LOOKUP)
    return flow, boxes.table.tolist(), boxes.names.tolist()


def test_names_are_split_at_capitals_and_non_letters() -> None:
    assert split_names("postBody post-12 Share_bar") == ["post", "body", "post", "share", "bar"]


def test_names_are_scored_by_class_and_id_with_the_extremes_of_ancestors() -> None:
    flow, _, names = described(
        '<div class="post-1" id="body"><p>a</p><p class="share">b</p></div><p>c</p>'
    )

    assert flow.tags == ["html", "body", "div", "p", "p", "p"]
    assert names[OWN] == [0, 0, 0.625, 0, -0.25, 0]
    assert names[LOWEST] == [0, 0, 0, 0, -0.25, 0]
    assert names[HIGHEST] == [0, 0, 0.5, 0.5, 0.5, 0]


def test_three_similar_siblings_are_units_of_their_descendants() -> None:
    flow, table, _ = described(
        '<ul><li class="a-1"><p>x</p><li class="a-2"><p>y</p><li class="a-3"><p>z</p></ul>'
    )

    assert flow.tags == ["html", "body", "ul", "li", "p", "li", "p", "li", "p"]
    assert table[SIBLINGS] == [1, 1, 1, 3, 1, 3, 1, 3, 1]
    assert table[UNIT] == [-1, -1, -1, 3, 3, 5, 5, 7, 7]


def test_similar_elements_have_similar_parents_and_grandparents() -> None:
    _, table, _ = described(
        "<main><div><p>a</p></div></main><aside><div><p>b</p></div></aside><p>c</p>"
    )
    first, second, third = 4, 7, 8

    assert table[CLUSTER][first] == table[CLUSTER][second] != table[CLUSTER][third]
    assert table[DEEP][first] != table[DEEP][second]


def test_an_inconsistent_table_is_rejected() -> None:
    table = np.zeros((DEEP + 1, 2), np.intp)
    table[0] = [-1, 1]

    with pytest.raises(ValueError, match="parent"):
        link_boxes(table, np.zeros(2, np.intp), np.zeros((3, 2)), 3)
    with pytest.raises(ValueError, match="fit"):
        link_boxes(table, np.zeros(1, np.intp), np.zeros((3, 2)), 3)
