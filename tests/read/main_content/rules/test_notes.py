"""Notes whose marks are kept."""

from __future__ import annotations

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.rules.notes import find_notes


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def test_a_note_brings_the_heading_right_before_it() -> None:
    found = flow("<p>Text</p><h2>Notes</h2><ol><li id=a>One</li><li id=b>Two</li></ol>")

    assert find_notes(found, {"a"}, {0}) == {1, 2}
    assert find_notes(found, {"b"}, {0}) == {3}
    assert find_notes(found, {"a", "b"}, {0, 1, 2}) == {3}


def test_a_part_of_the_page_is_no_note() -> None:
    found = flow(f"<p>Text</p><div id=a><p>{'A long story. ' * 300}</p></div>")

    assert find_notes(found, {"a"}, {0}) == set()
