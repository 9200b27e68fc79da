"""Data tables are kept completely."""

from __future__ import annotations

import pytest

from tests.read.main_content.applying import apply, parse
from webquarry._read.main_content.rules_tables import add_tables

TIMES = "<tr><td>Mill<td>07:21<td>12:21<tr><td>Church<td>07:34<td>12:34"
LINKED = "<tr><th>Boat<th>Crew<tr><td><a href=/a>Alma</a><td>4<tr><td><a href=/b>Berta</a><td>7"
HEADLINES = "".join(
    f"<tr><td>0{hour}:15<td><a href=/{hour}>The harbour opens at {hour} on Sundays</a>"
    for hour in range(6)
)


@pytest.mark.parametrize("rows", [TIMES, LINKED])
@pytest.mark.parametrize("kept", [[0], [0, 3]])
def test_data_table_is_selected_completely(rows: str, kept: list[int]) -> None:
    flow = parse(f"<p>Before.</p><table>{rows}</table><p>Behind.</p>")

    assert apply(add_tables, flow, kept) == list(range(7))


def test_caption_of_a_data_table_is_selected() -> None:
    flow = parse(f"<table><caption>Departures</caption>{TIMES}</table>")

    assert apply(add_tables, flow, []) == list(range(7))


@pytest.mark.parametrize(
    "layout",
    [
        "<p>No table.</p>",
        f"<table><tr><td>{'A long text. ' * 150}<td>News<tr><td>One<td>Two</table>",
        f"<table><tr><td>{'Texts of a page. ' * 15}<td>News<tr><td>{'More. ' * 60}<td>x</table>",
        "<table><tr><td>Only one row<td>Two</table>",
        "<table><tr><td>One<tr><td>cell<tr><td>a row</table>",
        "<table><tr><td><ul><li>Home<li>News</ul><td>Menu<tr><td><ul><li>A<li>B</ul><td>x</table>",
        f"<aside><table>{TIMES}</table></aside>",
        f"<div hidden><table>{TIMES}</table></div>",
    ],
)
def test_layout_tables_and_tables_in_an_aside_are_left_to_the_model(layout: str) -> None:
    assert apply(add_tables, parse(f"<p>Before.</p>{layout}"), [0]) == [0]


def test_post_in_a_layout_table_is_not_a_data_table() -> None:
    post = (
        "<table><tr><td>#1<td>Monday<tr><td><div>Ada</div><div>Member</div><div>Joined: 2014</div>"
        "<div>Posts: 1,500</div><td><p>How do I get there?</p><p>Thanks.</p><div>Report</div>"
        "</table>"
    )

    assert apply(add_tables, parse(post * 3), [6]) == [6]


def test_a_cell_of_a_data_table_may_have_several_paragraphs() -> None:
    rows = f"{TIMES}<tr><td>Port<td><p>08:01</p><p>or later</p><td>13:01"

    assert apply(add_tables, parse(f"<table>{rows}</table>"), []) == list(range(10))


@pytest.mark.parametrize(
    ("rows", "probability", "is_kept"),
    [
        (HEADLINES, 0.05, False),
        (HEADLINES, 0.15, True),
        (f"<tr><th>Time<th>Title{HEADLINES}", 0.05, True),
        (HEADLINES.replace("<a href", "<b data-x").replace("</a>", "</b>"), 0.05, True),
    ],
    ids=["headlines", "likely", "with a header row", "without links"],
)
def test_unlikely_grid_of_links_is_left_to_the_model(
    rows: str, probability: float, is_kept: bool
) -> None:
    flow = parse(f"<table>{rows}</table>")

    kept = apply(add_tables, flow, [], probability)

    assert kept == (list(range(len(flow.texts))) if is_kept else [])


def test_calendar_is_not_a_data_table() -> None:
    weeks = ""
    for start in range(1, 32, 7):
        weeks += "<tr>" + "".join(f"<td>{day}" for day in range(start, min(start + 7, 32)))
    weekdays = "".join(f"<th>{day}" for day in "MTWTFSS")

    assert apply(add_tables, parse(f"<table><tr>{weekdays}{weeks}</table>"), []) == []


def test_numbered_ranking_is_not_a_calendar() -> None:
    rows = "".join(f"<tr><td>{place}<td>Boat<td>{90 - place} points" for place in range(1, 32))

    assert len(apply(add_tables, parse(f"<table>{rows}</table>"), [])) == 93


def test_only_the_innermost_of_nested_tables_is_a_data_table() -> None:
    flow = parse(f"<table><tr><td>Left<td><table>{TIMES}</table><tr><td>One<td>Two</table>")

    assert apply(add_tables, flow, []) == [1, 2, 3, 4, 5, 6]


def write_role_table(*rows: str, role: str = "table") -> str:
    written = []
    for row in rows:
        cells = "".join(f"<div role=cell>{cell}</div>" for cell in row.split())
        written.append(f"<div role=row>{cells}</div>")
    return f"<div role={role}>{''.join(written)}</div>"


@pytest.mark.parametrize("role", ["table", "grid"])
def test_table_by_aria_roles_is_selected_completely(role: str) -> None:
    flow = parse(f"<p>Before.</p>{write_role_table('Boat Crew', 'Alma 4', 'Berta 7', role=role)}")

    assert apply(add_tables, flow, [0]) == list(range(7))


@pytest.mark.parametrize(
    "body",
    [
        write_role_table("Boat Crew"),
        write_role_table("Boat", "Alma", "Berta"),
        f"<aside>{write_role_table('Boat Crew', 'Alma 4')}</aside>",
        write_role_table("Boat Crew", "Alma 4").replace("role=row", ""),
    ],
)
def test_other_aria_roles_are_left_to_the_model(body: str) -> None:
    assert apply(add_tables, parse(f"<p>Before.</p>{body}"), [0]) == [0]
