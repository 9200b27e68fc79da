"""Which tables are kept whole."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.rules.tables import add_tables, find_data_tables

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


POST = (
    "<table><tr><td>#{0}<td>Monday<tr><td><div>Ada</div><div>Member</div><div>Joined: 2014</div>"
    "<div>Posts: 1,500</div><td><p>How do I get there?</p><p>Thanks.</p><div>Report</div></table>"
)


def test_a_post_that_is_laid_out_by_a_table_is_no_data() -> None:
    found = flow("".join(POST.format(number) for number in range(3)))

    assert add_tables(found, [6]) == [6]


def test_a_cell_may_have_several_paragraphs_in_a_table_of_data() -> None:
    found = flow(f"<table>{TIMES}<tr><td>Port<td><p>08:01</p><p>or later</p><td>13:01</table>")

    assert add_tables(found, []) == list(range(10))


WEEKDAYS = "".join(f"<th>{day}" for day in "MTWTFSS")


def list_days(first: int, last: int) -> str:
    """The weeks of a month as rows."""
    rows = ""
    for start in range(first, last + 1, 7):
        rows += "<tr>" + "".join(f"<td>{day}" for day in range(start, min(start + 7, last + 1)))
    return rows


def test_the_calendar_of_a_blog_is_no_data() -> None:
    month = f"<table><caption>May</caption><tr>{WEEKDAYS}{list_days(1, 31)}</table>"

    assert add_tables(flow(month), []) == []


def test_a_ranking_is_no_calendar() -> None:
    rows = "".join(f"<tr><td>{place}<td>Boat<td>{90 - place} points" for place in range(1, 32))

    assert len(add_tables(flow(f"<table>{rows}</table>"), [])) == 93


def test_of_tables_in_each_other_only_the_inner_one_holds_data() -> None:
    found = flow(f"<table><tr><td>Left<td><table>{TIMES}</table><tr><td>One<td>Two</table>")

    assert [found.first[table] for table in find_data_tables(found)] == [1]
    assert add_tables(found, []) == [1, 2, 3, 4, 5, 6]


def write_role_table(*rows: str, role: str = "table") -> str:
    written = []
    for row in rows:
        cells = "".join(f"<div role=cell>{cell}</div>" for cell in row.split())
        written.append(f"<div role=row>{cells}</div>")
    return f"<div role={role}>{''.join(written)}</div>"


@pytest.mark.parametrize("role", ["table", "grid"])
def test_boxes_that_are_a_table_by_their_roles_are_kept_whole(role: str) -> None:
    found = flow(f"<p>Before.</p>{write_role_table('Boat Crew', 'Alma 4', 'Berta 7', role=role)}")

    assert add_tables(found, [0]) == list(range(7))


@pytest.mark.parametrize(
    "body",
    [
        write_role_table("Boat Crew"),
        write_role_table("Boat", "Alma", "Berta"),
        f"<aside>{write_role_table('Boat Crew', 'Alma 4')}</aside>",
        write_role_table("Boat Crew", "Alma 4").replace("role=row", ""),
    ],
)
def test_roles_that_make_no_table_of_data_keep_nothing(body: str) -> None:
    assert add_tables(flow(f"<p>Before.</p>{body}"), [0]) == [0]
