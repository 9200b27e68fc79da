"""Halves of pairs that come with the other half."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.rules.pairs import add_pairs


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


GLOSSARY = "<dl><dt>Neap</dt><dd>A weak tide.</dd><dt>Spring</dt><dd>A strong one.</dd></dl>"
IN_BOXES = "<dl><div><dt>Neap<dd>A weak tide.</div><div><dt>Spring<dd>A strong one.</div></dl>"


@pytest.mark.parametrize("body", [GLOSSARY, IN_BOXES])
@pytest.mark.parametrize(("kept", "filled"), [([0], [0, 1]), ([1], [0, 1]), ([3], [2, 3])])
def test_a_term_and_what_is_said_of_it_come_together(
    body: str, kept: list[int], filled: list[int]
) -> None:
    assert add_pairs(flow(body), kept) == filled


@pytest.mark.parametrize(
    "saying", ["A text of its own. " * 40, "<a href=/a>Tide tables</a>", "<p hidden>Not seen.</p>"]
)
def test_a_term_alone_brings_neither_a_text_of_its_own_nor_links_nor_hidden_text(
    saying: str,
) -> None:
    assert add_pairs(flow(f"<dl><dt>Tides<dd>{saying}</dl>"), [0]) == [0]


def test_the_head_of_a_row_comes_with_its_cells() -> None:
    rows = f"<tr><th>Weight<td>910 kg<tr><th>Remarks<td>{'A long text. ' * 150}"

    assert add_pairs(flow(f"<table>{rows}</table>"), [1]) == [0, 1]
