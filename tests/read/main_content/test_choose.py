"""Probabilities -> kept blocks: the threshold first, then the rules in order."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Probabilities
from webquarry._read.main_content.rules_text import drop_copies
from webquarry._read.main_content.select import RULES, choose

LONG = "This sentence is long enough to be recognised when it comes again somewhere else."
COPIES = f"<div><p>{LONG}</p></div><section><p>{LONG}</p></section>"


def parse(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def repeat(*values: float) -> Probabilities:
    """Return the same probabilities for both stages."""
    return Probabilities(values, values)


def test_there_are_at_most_twelve_rules() -> None:
    assert len(RULES) <= 12


def test_blocks_below_the_threshold_are_dropped() -> None:
    flow = parse(f"<p>{LONG}</p><p>Another one.</p>")

    assert choose(flow, repeat(0.9, 0.1), [14.0, 2.0]) == [0]


@pytest.mark.parametrize(("first", "final"), [(0.8, 0.2), (0.2, 0.6)])
def test_rules_use_the_higher_probability_of_both_stages(first: float, final: float) -> None:
    flow = parse(f"<div><p>{LONG}</p><p>The end.</p></div>")
    probabilities = Probabilities([0.99, first], [0.99, final])

    assert choose(flow, probabilities, [14.0, 2.0]) == [0, 1]


def test_rules_complete_what_earlier_rules_keep() -> None:
    table = "<table><tr><td>Mill<td>07:21<tr><td>Church<td>07:34</table>"
    flow = parse(f"<p>{LONG}</p><h2>Departures</h2>{table}")

    kept = choose(flow, repeat(0.99, *[0.15] * 5), [14.0, *[1.0] * 5])

    assert kept == list(range(6))


def test_a_rule_can_be_left_out() -> None:
    flow, words = parse(COPIES), [14.0, 14.0]
    rules = [rule for rule in RULES if rule is not drop_copies]

    assert choose(flow, repeat(0.9, 0.9), words) == [0]
    assert choose(flow, repeat(0.9, 0.9), words, rules) == [0, 1]
