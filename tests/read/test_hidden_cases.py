"""Some 730 pages in `hidden/` on which Chromium decided what is painted: what it does not paint is
in neither form of the text, what it paints is in both.

`make painted` asks Chromium again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.painted.cases import Case, read_cases

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.markdown.convert import to_markdown

FOLDER = Path(__file__).parent / "hidden"
CASES = list(read_cases(FOLDER))
BASE = "https://example.org/"
# A dialog is never the point of a page, even where it is open.
NOT_MAIN_CONTENT = {"elements: dialog that is open", "elements: dialog that a style shows"}

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_the_whole_page_is_what_a_person_sees_or_can_open(case: Case) -> None:
    text = to_markdown(parse_html(case.html), BASE).text

    assert [word for word in case.painted + case.opened if word not in text] == []
    assert [word for word in case.hidden if word in text] == []


@each_case
def test_main_content_holds_exactly_the_painted_text(case: Case) -> None:
    document = parse_html(case.html)
    text = render_selection(document, select_main_content(document), BASE).text

    if case.name not in NOT_MAIN_CONTENT:
        assert [word for word in case.painted if word not in text] == []
    assert [word for word in case.hidden if word in text] == []


def test_half_of_the_cases_are_of_something_that_must_stay() -> None:
    must_stay = [case for case in CASES if {*case.painted, *case.opened} - {"KEEP1", "KEEP2"}]

    assert len({case.name for case in CASES}) == len(CASES)
    assert len(CASES) >= 200
    assert len(must_stay) >= 0.5 * len(CASES)
