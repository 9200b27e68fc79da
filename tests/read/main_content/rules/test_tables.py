"""Which tables are kept whole."""

from __future__ import annotations

import pytest

from webquarry.read.html.parse import parse_html
from webquarry.read.main_content.blocks import Flow, build_flow
from webquarry.read.main_content.rules.tables import add_tables, find_data_tables

TIMES = "<tr><td>Mill<td>07:21<td>12:21<tr><td>Church<td>07:34<td>12:34"
LINKED = "<tr><th>Boat<th>Crew<tr><td><a href=/a>Alma</a><td>4<tr><td><a href=/b>Berta</a><td>7"


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


@pytest.mark.parametrize("rows", [TIMES, LINKED])
def test_a_data_table_is_whole_whatever_was_kept_of_it(rows: str) -> None:
    found = flow(f"<p>Before.</p><table>{rows}</table><p>Behind.</p>")

    assert add_tables(found, [0]) == list(range(7))
    assert add_tables(found, [0, 3]) == list(range(7))


def test_the_caption_of_a_data_table_comes_with_it() -> None:
    found = flow(f"<table><caption>Departures</caption>{TIMES}</table>")

    assert add_tables(found, []) == list(range(7))


def test_a_page_without_tables_is_left_as_it_is() -> None:
    assert add_tables(flow("<p>One</p><p>Two</p>"), [1]) == [1]


@pytest.mark.parametrize(
    "layout",
    [
        f"<table><tr><td>{'A long text. ' * 150}<td>News<tr><td>One<td>Two</table>",
        f"<table><tr><td>{'Texts of a page. ' * 15}<td>News<tr><td>{'More. ' * 60}<td>x</table>",
        "<table><tr><td>Only one row<td>Two</table>",
        "<table><tr><td>One<tr><td>cell<tr><td>a row</table>",
        "<table><tr><td><ul><li>Home<li>News</ul><td>Menu<tr><td><ul><li>A<li>B</ul><td>x</table>",
        f"<aside><table>{TIMES}</table></aside>",
        f"<div hidden><table>{TIMES}</table></div>",
    ],
)
def test_a_table_that_lays_out_the_page_or_is_set_aside_is_left_to_its_chances(layout: str) -> None:
    found = flow(f"<p>Before.</p>{layout}")

    assert add_tables(found, [0]) == [0]


def test_of_tables_in_each_other_only_the_inner_one_holds_data() -> None:
    found = flow(f"<table><tr><td>Left<td><table>{TIMES}</table><tr><td>One<td>Two</table>")

    assert [found.first[table] for table in find_data_tables(found)] == [1]
    assert add_tables(found, []) == [1, 2, 3, 4, 5, 6]
