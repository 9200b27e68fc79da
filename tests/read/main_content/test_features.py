"""Features that numpy makes and those that are compiled: the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content import context
from webquarry._read.main_content import features as plain
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.boxes import (
    FIRST,
    LAST,
    LEVEL,
    PARENT,
    UNIT,
    Boxes,
    describe_boxes,
    describe_in_numpy,
)
from webquarry._read.main_content.context import CONTEXT_NAMES, build_context
from webquarry._read.main_content.feature_names import NAMES
from webquarry._read.main_content.features import Features, build_features
from webquarry._read.main_content.lifts import Lifts

compiled = pytest.importorskip(
    "webquarry._read.main_content._features", reason="the compiled features were not built"
)
compiled_context = pytest.importorskip(
    "webquarry._read.main_content._context", reason="the compiled context was not built"
)

PAGES = sorted((Path(__file__).parent.parent.parent).rglob("*.html"))
LIFTS = Lifts({"post": 0.5, "share": -0.25}, {"old": 0.125, "share": -0.5}, {"tale": 0.75})
LONG = "An old tale of the harbour, told again and again by all the keepers of its lights. "
TAGS = ("p", "div", "ul", "li", "h1", "h2", "a", "article", "main", "aside", "td", "tr", "table")
PIECES = st.one_of(
    st.builds("<{}>".format, st.sampled_from(TAGS)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.builds("<div class='{}'>".format, st.sampled_from(["post", "shareBar x", "post-2"])),
    st.sampled_from(
        [LONG, LONG * 3, "old ", "Comments", "<a href=x>", "<img>", "$5", "and…", "海"]
    ),
)


def describe(html: str) -> Features | None:
    """The features of a page; None for one without text."""
    flow = build_flow(parse_html(f"<title>An old tale</title>{html}"))
    if not flow.texts:
        return None
    return build_features(flow, LIFTS)


def assert_same_numbers(html: str) -> None:
    features = describe(html)
    if features is None:
        return
    expected = features.page.build_matrix()
    for name, row, expected_row in zip(NAMES, np.asarray(features.matrix), expected, strict=True):
        assert np.allclose(row, expected_row, rtol=1e-12, atol=1e-12), name

    chances = np.linspace(0.02, 0.97, len(features.words))
    rows = np.asarray(build_context(features, chances))
    expected = context.build_in_numpy(features, chances)
    for name, row, expected_row in zip(CONTEXT_NAMES, rows, expected, strict=True):
        assert np.allclose(row, expected_row, rtol=1e-12, atol=1e-12), name
    assert np.isfinite(rows).all()

    boxes = describe_boxes(features.flow, LIFTS.name_lookup)
    expected_boxes = describe_in_numpy(features.flow, LIFTS.name_lookup)
    table = np.asarray(boxes.table)
    assert table[: UNIT + 2].tolist() == expected_boxes.table[: UNIT + 2].tolist()
    assert np.allclose(boxes.names, expected_boxes.names, rtol=1e-12, atol=1e-12)


def test_every_row_is_filled_by_what_is_compiled() -> None:
    assert vars(plain)["fill_features"] is compiled.fill_features
    assert (*compiled_context.FILLED, *context.CARRIED) == CONTEXT_NAMES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_both_ways_give_the_same_for_a_page(page: Path) -> None:
    assert_same_numbers(page.read_text("utf-8", "replace"))


@given(st.lists(PIECES, max_size=40).map("".join))
@example(f"<h2>Comments</h2><p>{LONG}</p></html>behind everything<p>{LONG}</p>")
@example(f"<ul><li>{LONG}<li><a href=x>{LONG}</a><li>old</ul><h1>An old tale</h1><p>{LONG}")
@settings(max_examples=200)
def test_both_ways_give_the_same_for_any_soup_of_tags(html: str) -> None:
    assert_same_numbers(html)


@pytest.mark.parametrize(
    "html",
    ["<div>" * 1_500 + "deep", "<p>a</p>" * 15_000, "<div class=x>" * 900 + "a<p>b</p>" * 900],
    ids=["deep", "many", "deep and many"],
)
def test_both_ways_give_the_same_at_the_limits(html: str) -> None:
    assert_same_numbers(html)


@pytest.mark.parametrize(
    ("row", "number"), [(PARENT, 5), (UNIT, 9), (FIRST, -1), (LAST, 99), (LEVEL, 7)]
)
def test_a_table_whose_numbers_lead_nowhere_is_refused(row: int, number: int) -> None:
    features = describe(f"<h1>old</h1><p>{LONG}</p>")
    assert features is not None
    table = np.array(features.boxes.table)
    table[row, 1] = number
    boxes = Boxes(table, features.boxes.names)

    with pytest.raises(ValueError, match="there"):
        Features(features.flow, features.counts, boxes)


def test_chances_of_another_page_are_refused() -> None:
    features = describe(f"<h1>old</h1><p>{LONG}</p>")
    assert features is not None

    with pytest.raises(ValueError, match="another page"):
        build_context(features, np.array([0.5, 0.5, 0.5]))
