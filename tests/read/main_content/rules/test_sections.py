"""What stands under a heading comes along where the heading surely belongs to the page."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.sections import add_sections

PAGE = (
    "<div><p>A geologist returns to the town of her childhood.</p><h2>Cast</h2>"
    "<ul><li><a href=/1>Mara Voss</a> Lena</li><li><a href=/2>Yuki Tan</a> Sato</li></ul>"
    "<h2>More films</h2><p>Another one</p></div><p>Imprint</p>"
)
HEADING = 1
CHANCES = (0.9, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1)


def flow(body: str, head: str = "") -> Flow:
    return build_flow(parse_html(f"<head>{head}</head><body>{body}</body>"))


def judge(values: tuple[float, ...]) -> Chances:
    return Chances(values, values)


def test_a_list_comes_along_with_its_name() -> None:
    assert add_sections(flow(PAGE), judge(CHANCES), [0, HEADING]) == [0, 1, 2, 3]


def test_the_section_of_a_doubtful_heading_stays_out() -> None:
    doubtful = (0.9, 0.4, *CHANCES[2:])
    assert add_sections(flow(PAGE), judge(doubtful), [0, HEADING]) == [0, HEADING]


def test_where_something_of_a_section_is_kept_the_rest_stays_as_it_is() -> None:
    assert add_sections(flow(PAGE), judge(CHANCES), [0, HEADING, 2]) == [0, HEADING, 2]


def test_the_last_section_ends_with_the_box_that_it_stands_in() -> None:
    last = (0.9, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1)
    assert add_sections(flow(PAGE), judge(last), [0, 4]) == [0, 4, 5]


@pytest.mark.parametrize(
    "page",
    [
        PAGE.replace("<ul>", "<aside><ul>").replace("</ul>", "</ul></aside>"),
        PAGE.replace("<ul>", "<form><ul>").replace("</ul>", "</ul></form>"),
        PAGE.replace("<li>", "<li hidden>"),
        PAGE.replace("<div>", "").replace("</div>", ""),
        PAGE.replace("<h2>Cast", "</div><div><h2>Cast"),
        PAGE.replace("Sato", "Sato " * 400),
    ],
)
def test_what_is_set_aside_or_hidden_or_long_does_not_come_along(page: str) -> None:
    found = flow(page)
    kept = [0, HEADING]
    assert found.texts[HEADING] == "Cast"
    assert add_sections(found, judge((0.9, 0.8, *[0.1] * (len(found.texts) - 2))), kept) == kept


def test_lists_at_the_end_of_an_article_are_not_its_own() -> None:
    article = flow(PAGE, '<meta property="og:type" content="article">')
    assert add_sections(article, judge(CHANCES), [0, HEADING]) == [0, HEADING]
