"""On short pages more is kept."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.short_pages import fill_short_page

GUIDE = "<h1>Guide</h1><p>A small library.</p><h2>Use</h2><pre>import tide; tide.now()</pre>"


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def judge(*values: float) -> Chances:
    return Chances(values, values)


def test_what_is_possible_in_the_box_of_a_short_text_is_kept() -> None:
    page = flow(f"<div><p>Menu</p></div><main>{GUIDE}</main><p>Footer</p>")

    assert fill_short_page(page, judge(0.3, 0.6, 0.9, 0.3, 0.3, 0.3), [1, 2]) == [1, 2, 3, 4]


def test_of_a_long_page_nothing_is_added() -> None:
    page = flow(f"<main>{GUIDE}</main><p>{'Another text. ' * 200}</p>")

    assert fill_short_page(page, judge(0.6, 0.9, 0.3, 0.3, 0.1), [0, 1]) == [0, 1]


@pytest.mark.parametrize(
    "rest",
    [
        "<p>A sentence that is most unlikely to belong here.</p>",
        "<aside><p>A sentence that stands beside the text, and is likely.</p></aside>",
        "<p hidden>A sentence that nobody can see, and is likely to belong.</p>",
        "<p><a href=/>Some words that are nothing but a link, and are likely.</a></p>",
    ],
)
def test_what_is_unlikely_set_aside_hidden_or_a_link_stays_out(rest: str) -> None:
    chance = 0.1 if "unlikely" in rest else 0.45

    page = flow(f"<main><h1>Guide</h1><p>A library.</p>{rest}</main>")

    assert fill_short_page(page, judge(0.6, 0.9, chance), [0, 1]) == [0, 1]


def test_where_most_is_kept_nothing_is_missing() -> None:
    page = flow("<main><h1>Guide</h1><p>A small library for tides.</p><p>Share</p></main>")

    assert fill_short_page(page, judge(0.6, 0.9, 0.4), [0, 1]) == [0, 1]


def test_the_whole_page_is_no_box_around_a_text() -> None:
    page = flow(f"{GUIDE}<p>Sign up for the letter</p>")

    assert fill_short_page(page, judge(0.6, 0.9, 0.1, 0.1, 0.4), [0, 1]) == [0, 1]
