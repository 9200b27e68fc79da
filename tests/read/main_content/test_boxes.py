"""What each element inherits, repeats and is named."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    relate_boxes,
)
from webquarry._read.main_content.lifts import Lookup
from webquarry._read.main_content.words import split_names

LOOKUP = Lookup.build({"post": 0.5, "share": -0.25, "body": 0.125})


def described(body: str) -> tuple[Flow, list[list[int]], list[list[float]]]:
    flow = build_flow(parse_html(f"<html><body>{body}</body></html>"))
    boxes = describe_boxes(flow, LOOKUP)
    return flow, boxes.table.tolist(), boxes.names.tolist()


def test_names_are_cut_at_capitals_and_at_everything_that_is_no_letter() -> None:
    assert split_names("postBody post-12 Share_bar") == ["post", "body", "post", "share", "bar"]


def test_an_element_is_named_by_class_and_id_and_inherits_the_extremes_of_those_around_it() -> None:
    flow, _, names = described(
        '<div class="post-1" id="body"><p>a</p><p class="share">b</p></div><p>c</p>'
    )

    assert flow.tags == ["html", "body", "div", "p", "p", "p"]
    assert names[OWN] == [0, 0, 0.625, 0, -0.25, 0]
    assert names[LOWEST] == [0, 0, 0, 0, -0.25, 0]
    assert names[HIGHEST] == [0, 0, 0.5, 0.5, 0.5, 0]


def test_three_siblings_alike_are_units_and_what_is_in_them_belongs_to_the_nearest() -> None:
    flow, table, _ = described(
        '<ul><li class="a-1"><p>x</p><li class="a-2"><p>y</p><li class="a-3"><p>z</p></ul>'
    )

    assert flow.tags == ["html", "body", "ul", "li", "p", "li", "p", "li", "p"]
    assert table[SIBLINGS] == [1, 1, 1, 3, 1, 3, 1, 3, 1]
    assert table[UNIT] == [-1, -1, -1, 3, 3, 5, 5, 7, 7]


def test_elements_are_alike_by_tag_and_class_with_those_of_their_parents_and_grandparents() -> None:
    _, table, _ = described(
        "<main><div><p>a</p></div></main><aside><div><p>b</p></div></aside><p>c</p>"
    )
    first, second, third = 4, 7, 8

    assert table[CLUSTER][first] == table[CLUSTER][second] != table[CLUSTER][third]
    assert table[DEEP][first] != table[DEEP][second]


@st.composite
def draw_tables(draw: st.DrawFn) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """Parents, kinds, and the first block and the one behind the last, of some elements."""
    size = draw(st.integers(1, 30))
    parents = [-1, *(draw(st.integers(-1, box)) for box in range(size - 1))]
    kinds = draw(st.lists(st.integers(0, min(size - 1, 3)), min_size=size, max_size=size))
    ranges = draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(3, 4)), min_size=size, max_size=size)
    )
    return parents, kinds, ranges


@given(draw_tables())
def test_numpy_and_the_compiled_way_relate_the_same(
    drawn: tuple[list[int], list[int], list[tuple[int, int]]],
) -> None:
    compiled = pytest.importorskip("webquarry._read.main_content._boxes", reason="it was not built")
    parents, kinds, ranges = drawn
    size = len(parents)
    table = np.zeros((DEEP + 1, size), np.intp)
    table[:3] = [parents, [first for first, _ in ranges], [last for _, last in ranges]]
    names = np.array([[0.1 * kind - 0.1 for kind in kinds]] * 3)
    other_table, other_names = table.copy(), names.copy()
    relate_boxes(table, np.array(kinds, np.intp), names)
    compiled.link_boxes(other_table, np.array(kinds, np.intp), other_names, 3)

    assert other_table[:CLUSTER].tolist() == table[:CLUSTER].tolist()
    assert other_names.tolist() == names.tolist()
    for row in (CLUSTER, DEEP):  # the numbers are others, but the same elements share one
        pairs = set(zip(table[row].tolist(), other_table[row].tolist(), strict=True))
        assert len(pairs) == len(set(table[row].tolist())) == len(set(other_table[row].tolist()))


def test_a_table_that_is_none_is_refused() -> None:
    compiled = pytest.importorskip("webquarry._read.main_content._boxes", reason="it was not built")
    table = np.zeros((DEEP + 1, 2), np.intp)
    table[0] = [-1, 1]

    with pytest.raises(ValueError, match="parent"):
        compiled.link_boxes(table, np.zeros(2, np.intp), np.zeros((3, 2)), 3)
    with pytest.raises(ValueError, match="fit"):
        compiled.link_boxes(table, np.zeros(1, np.intp), np.zeros((3, 2)), 3)
