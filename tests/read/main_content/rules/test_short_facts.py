"""Dates and prices come along with the units that they belong to."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.short_facts import add_short_facts


def flow(*facts: str, around: str = "div") -> Flow:
    units = [
        f"<{around} class=unit><div>{fact}</div><p>Live music at the quay</p></{around}>"
        for fact in facts
    ]
    return build_flow(parse_html(f"<body><div>{''.join(units)}</div></body>"))


def add_to(found: Flow, kept: list[int], chance: float = 0.1) -> list[str]:
    values = [chance] * len(found.texts)
    return [found.texts[index] for index in add_short_facts(found, Chances(values, values), kept)]


@pytest.mark.parametrize(
    "fact",
    ["21 Nov", "28. Februar", "May 3, 2026", "2026-05-03", "3.5.2026", "20:15", "2026年5月3日",
     "€ 12.50", "12,50 €", "$9"],
)  # fmt: skip
def test_the_dates_and_prices_of_kept_units_come_along(fact: str) -> None:
    found = flow(fact, fact)

    assert add_to(found, [1, 3]) == [fact, "Live music at the quay", fact, "Live music at the quay"]


@pytest.mark.parametrize("fact", ["+46 905 10 11", "(0113) 496-0000", "hello@brand.example"])
def test_how_to_reach_somebody_comes_along_though_it_is_a_link(fact: str) -> None:
    found = flow(f"<a href=/>{fact}</a>", f"<a href=/>{fact}</a>")

    assert add_to(found, [1, 3]) == [fact, "Live music at the quay"] * 2


@pytest.mark.parametrize("line", ["Sponsored", "4 of 5", "852", "<a href=/>21 Nov</a>"])
def test_other_short_lines_stay_out(line: str) -> None:
    assert add_to(flow(line, line), [1, 3]) == ["Live music at the quay", "Live music at the quay"]


def test_a_single_box_is_no_unit() -> None:
    assert add_to(flow("21 Nov"), [1]) == ["Live music at the quay"]


def test_units_of_which_little_is_kept_stay_as_they_are() -> None:
    found = flow(
        "21 Nov, the second of three evenings here", "28 Nov, the last of three evenings here"
    )

    assert add_to(found, [1, 3]) == ["Live music at the quay", "Live music at the quay"]


def test_what_is_most_unlikely_stays_out() -> None:
    assert add_to(flow("21 Nov", "28 Nov"), [1, 3], chance=0.01) == [
        "Live music at the quay",
        "Live music at the quay",
    ]


def test_what_is_set_aside_stays_out() -> None:
    found = flow("<aside>21 Nov</aside>", "<aside>28 Nov</aside>")

    assert add_to(found, [1, 3]) == ["Live music at the quay", "Live music at the quay"]
