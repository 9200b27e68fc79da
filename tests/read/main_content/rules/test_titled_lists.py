"""The list that the title of a page names."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.rules.units import add_units

PEOPLE = ("Ada Holt", "Ben Ruiz", "Cy Young", "Dee Park")
AROUND = "<p>Something else that stands around the page, and is not kept of it.</p>" * 4
TEAM = "".join(
    f"<li><a href=/{name}><div>{name}</div><div>Keeper of boats</div></a></li>" for name in PEOPLE
)
ARCHIVE = "".join(
    f"<div class=entry>{day} May 2026 <a href=/{day}>Gauges on the river {day}</a></div>"
    for day in range(1, 9)
)
MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in PEOPLE)
DROPDOWN = "".join(
    f"<li><a href=/{name}>{name}</a><ul><li><a href=/>Below {name}</a></li></ul></li>"
    for name in PEOPLE
)


def flow(body: str, head: str = "") -> Flow:
    page = f"<html><head>{head}</head><body>{AROUND}<div>{body}</div>{AROUND}</body></html>"
    return build_flow(parse_html(page))


def test_the_people_of_a_team_are_kept_below_its_title() -> None:
    assert add_units(flow(f"<h1>Team</h1><ul>{TEAM}</ul>"), [4]) == list(range(4, 13))


def test_the_entries_of_an_archive_are_kept_where_less_is_kept_besides_them() -> None:
    found = flow(f"<h1>Press</h1><p>All of it.</p><div>{ARCHIVE}</div>")

    assert add_units(found, [0, 4, 5]) == [0, *range(4, 14)]


@pytest.mark.parametrize("menu", [MENU, DROPDOWN])
def test_a_menu_below_the_name_of_a_site_stays_out(menu: str) -> None:
    assert add_units(flow(f"<h1>Harbour</h1><ul>{menu}</ul>"), [4]) == [4]


def test_a_list_beside_a_text_that_says_more_stays_out() -> None:
    found = flow(f"<h1>Team</h1><p>{'We mend boats. ' * 12}</p><ul>{TEAM}</ul>")

    assert add_units(found, [4, 5]) == [4, 5]


@pytest.mark.parametrize(
    "body",
    [
        f"<h1>Team</h1>{'<p>Text.</p>' * 9}<ul>{TEAM}</ul>",  # far from the title
        f"<div><h1>Team</h1><p>Text.</p></div><ul>{TEAM}</ul>",  # in another box
        f"<h1>Team</h1><ul>{TEAM}</ul><h1>And more</h1>",  # one title of several
        f"<h1>Team</h1><ul hidden>{TEAM}</ul>",
    ],
)
def test_a_list_that_the_title_does_not_name_stays_out(body: str) -> None:
    assert add_units(flow(body), [4]) == [4]


def test_an_article_is_no_list() -> None:
    article = '<meta property="og:type" content="article">'

    assert add_units(flow(f"<h1>Team</h1><ul>{TEAM}</ul>", head=article), [4]) == [4]
