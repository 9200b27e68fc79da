"""Parts of the extraction that are left out to see what they are worth."""

from __future__ import annotations

import pytest
from scripts.extraction.ablation import GROUPS, RULES, group_members, leave_out_rule

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.choose import choose
from webquarry._read.main_content.feature_names import NAMES
from webquarry._read.main_content.model import Chances

LONG = "This sentence is long enough to be recognised when it comes again somewhere else."


def test_without_a_group_every_feature_is_used() -> None:
    assert group_members(None, NAMES) == []


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_some_of_the_features_and_never_most(group: str) -> None:
    assert 0 < len(group_members(group, NAMES)) < len(NAMES) / 2


def test_a_group_holds_what_its_name_says() -> None:
    assert {NAMES[number] for number in group_members("anchor", NAMES)} == {
        "from_anchor",
        "common_share",
        "common_paragraphs",
        "common_steps",
    }


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_back_when_the_look_without_it_is_over(rule: str) -> None:
    flow = build_flow(
        parse_html(f"<body><div><p>{LONG}</p></div><section><p>{LONG}</p></section></body>")
    )
    both, words = [0.9, 0.9], [14.0, 14.0]
    chances = Chances(both, both)

    with leave_out_rule(rule):
        without = choose(flow, chances, words)

    assert without == ([0, 1] if rule == "copies" else [0])
    assert choose(flow, chances, words) == [0]
