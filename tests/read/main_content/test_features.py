"""The feature matrix: consistency for any page, and rejected input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.boxes import FIRST, LAST, LEVEL, PARENT, UNIT, Boxes
from webquarry._read.main_content.context import build_context
from webquarry._read.main_content.features import ROW, Features, build_features
from webquarry._read.main_content.lifts import Lifts

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
    """Return the features of a page; None if it has no text."""
    flow = build_flow(parse_html(f"<title>An old tale</title>{html}"))
    if not flow.texts:
        return None
    return build_features(flow, LIFTS)


def assert_consistent(html: str) -> None:
    features = describe(html)
    if features is None:
        return
    rows = np.asarray(features.matrix)
    assert np.isfinite(rows).all()
    lengths = [len(text) for text in features.flow.texts]
    assert rows[ROW["chars"]].tolist() == lengths
    before = np.cumsum([0, *lengths])[:-1] / sum(lengths)
    assert rows[ROW["chars_before"]] == pytest.approx(before)
    assert rows[ROW["previous_chars"]].tolist() == [0, *lengths[:-1]]
    assert rows[ROW["next_chars"]].tolist() == [*lengths[1:], 0]
    assert ((rows[ROW["density"]] >= 0) & (rows[ROW["density"]] <= 1)).all()

    context = build_context(features, np.linspace(0.02, 0.97, len(lengths)))
    assert np.isfinite(np.asarray(context)).all()


@given(st.lists(PIECES, max_size=40).map("".join))
@example(f"<h2>Comments</h2><p>{LONG}</p></html>behind everything<p>{LONG}</p>")
@example(f"<ul><li>{LONG}<li><a href=x>{LONG}</a><li>old</ul><h1>An old tale</h1><p>{LONG}")
@settings(max_examples=200)
def test_features_of_any_markup_are_finite_and_consistent(html: str) -> None:
    assert_consistent(html)


@pytest.mark.parametrize(
    "html",
    ["<div>" * 1_500 + "deep", "<p>a</p>" * 15_000, "<div class=x>" * 900 + "a<p>b</p>" * 900],
    ids=["deep", "many", "deep and many"],
)
def test_features_of_extreme_pages_are_finite_and_consistent(html: str) -> None:
    assert_consistent(html)


@pytest.mark.parametrize(
    ("row", "number"), [(PARENT, 5), (UNIT, 9), (FIRST, -1), (LAST, 99), (LEVEL, 7)]
)
def test_a_table_with_invalid_numbers_is_rejected(row: int, number: int) -> None:
    features = describe(f"<h1>old</h1><p>{LONG}</p>")
    assert features is not None
    table = np.array(features.boxes.table)
    table[row, 1] = number
    boxes = Boxes(table, features.boxes.names)

    with pytest.raises(ValueError, match="there"):
        Features(features.flow, features.counts, boxes)


def test_probabilities_of_another_page_are_rejected() -> None:
    features = describe(f"<h1>old</h1><p>{LONG}</p>")
    assert features is not None

    with pytest.raises(ValueError, match="another page"):
        build_context(features, np.array([0.5, 0.5, 0.5]))
