"""Lists of terms are kept whole."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.facts.definitions import add_definitions

PAIRS = ["<dt>Family<dd>Alosidae", "<dt>Length<dd>83 cm", "<dt>Habitat<dd>Rivers"]
PLAIN = f"<dl>{''.join(PAIRS)}</dl>"
IN_BOXES = f"<dl>{''.join(f'<div>{pair}</div>' for pair in PAIRS)}</dl>"
NEWS = "<dl>" + "<dt>1 May<dd><a href=/n>The mill opens</a>" * 3 + "</dl>"


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body><main>{body}</main></body>"))


def add_to(found: Flow, kept: list[int], chance: float = 0.25) -> list[int]:
    values = [chance] * len(found.texts)
    return add_definitions(found, Chances(values, values), kept)


@pytest.mark.parametrize("body", [PLAIN, IN_BOXES])
def test_the_last_pair_comes_with_the_first_ones(body: str) -> None:
    assert add_to(flow(body), [0, 1, 2, 3]) == list(range(6))


@pytest.mark.parametrize("body", [PLAIN, IN_BOXES])
def test_a_list_right_behind_the_text_is_kept(body: str) -> None:
    assert add_to(flow(f"<p>It lives in rivers.</p>{body}"), [0]) == list(range(7))


@pytest.mark.parametrize("chance", [0.05, 0.15])
def test_a_list_behind_the_text_that_is_rather_unlikely_stays_out(chance: float) -> None:
    assert add_to(flow(f"<p>It lives in rivers.</p>{PLAIN}"), [0], chance) == [0]


def test_a_list_in_another_box_stays_out() -> None:
    assert add_to(flow(f"<p>It lives in rivers.</p><div>{PLAIN}</div>"), [0]) == [0]


def test_linked_titles_come_with_their_dates() -> None:
    assert add_to(flow(NEWS), [0, 2, 4]) == list(range(6))


def test_links_beside_other_sayings_stay_out() -> None:
    body = f"<dl>{''.join(PAIRS)}<dt>More<dd><a href=/m>All fish</a></dl>"

    assert add_to(flow(body), list(range(7))) == list(range(7))


@pytest.mark.parametrize("saying", ["A text of its own. " * 20, "<p hidden>Not seen.</p>"])
def test_long_or_hidden_sayings_are_not_added(saying: str) -> None:
    assert add_to(flow(f"<dl>{''.join(PAIRS)}<dt>Tides<dd>{saying}</dl>"), list(range(6))) == [
        *range(6),
        *([] if "text" in saying else [6]),
    ]


def test_a_saying_of_many_pieces_is_not_added() -> None:
    body = f"<dl>{''.join(PAIRS)}<dt>Tides<dd>{'<p>low' * 21}</dl>"

    assert 7 not in add_to(flow(body), list(range(6)))
