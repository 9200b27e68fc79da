"""What each element inherits, repeats and is named."""

from __future__ import annotations

from webquarry.read.html.parse import parse_html
from webquarry.read.main_content.blocks import Flow, build_flow
from webquarry.read.main_content.boxes import (
    CLUSTER,
    DEEP,
    HIGHEST,
    JUMP,
    LOWEST,
    OWN,
    SIBLINGS,
    UNIT,
    describe_boxes,
)
from webquarry.read.main_content.lifts import Lookup
from webquarry.read.main_content.words import split_names

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


def test_a_jump_leads_past_boxes_that_hold_the_same_blocks() -> None:
    flow, table, _ = described("<div><div><section><p>a</p></section></div></div><p>b</p>")

    assert flow.tags == ["html", "body", "div", "div", "section", "p", "p"]
    assert table[JUMP] == [0, 0, 1, 1, 1, 1, 1]


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
