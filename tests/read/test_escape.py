"""Text that was escaped reads, once rendered, as it was before."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from webquarry._read.text.escape import escape, escape_heading, escape_line_starts

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LINES = st.text(st.sampled_from("ab1 *_`[]()<>&;#+-=.!~|\\/:\"'{}\u00e9"), max_size=30)


def rendered(markdown: str) -> str:
    return html.unescape(re.sub(r"</?p>\n?", "", PARSER.render(markdown))).strip()


@given(LINES)
@example("2*3*4*")
@example("__init__")
@example("&copy; &#35;")
@example("\\*a\\")
@example("a_b_ c")
@settings(max_examples=200, deadline=None)
def test_a_line_renders_as_it_was(text: str) -> None:
    text = " ".join(text.split())

    assert rendered(escape_line_starts(escape(text))) == text


@given(st.lists(LINES, min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_lines_stay_one_paragraph(texts: list[str]) -> None:
    lines = [line for line in (" ".join(text.split()) for text in texts) if line]

    assert rendered(escape_line_starts("\n".join(map(escape, lines)))) == "\n".join(lines)


@given(LINES)
@settings(max_examples=200, deadline=None)
def test_a_heading_renders_as_it_was(text: str) -> None:
    text = " ".join(text.split())

    assert re.sub(r"</?h2>", "", rendered("## " + escape_heading(escape(text)))) == text


@pytest.mark.parametrize(
    "text",
    ["snake_case", "a < b", "a * b", "AT&T", "C:\\dir", "50% (of it)", "a - b", "x = y", "1.5"],
)
def test_ordinary_text_gets_no_escapes(text: str) -> None:
    assert escape_line_starts(escape(text)) == text
