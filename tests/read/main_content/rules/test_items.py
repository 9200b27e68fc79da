"""A list of which a good part is kept is kept whole."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.items import add_items

LINKED = "<a href=/w2>Kelp forests</a>"


def flow(*items: str) -> Flow:
    entries = "".join(f"<li>{item}</li>" for item in items)
    return build_flow(parse_html(f"<body><div><ul>{entries}</ul></div></body>"))


def add_to(found: Flow, kept: list[int], chance: float = 0.1) -> list[int]:
    values = [chance] * len(found.texts)
    return add_items(found, Chances(values, values), kept)


def test_the_linked_items_of_a_list_come_along() -> None:
    assert add_to(flow("Week 1: plankton", LINKED, LINKED), [0]) == [0, 1, 2]
    assert add_to(flow("Week 1: plankton", "Week 2: algae", LINKED, "Exam"), [0, 1]) == [0, 1, 2, 3]


def test_an_item_may_hold_more_than_its_text() -> None:
    found = flow("<div><p>Week 1</p></div>", LINKED)

    assert add_to(found, [0]) == [0, 1]


@pytest.mark.parametrize(
    "other", [f"<aside>{LINKED}</aside>", f"<form>{LINKED}</form>", "long " * 60]
)
def test_what_is_set_aside_or_long_stays_out(other: str) -> None:
    assert add_to(flow("Week 1: plankton", other), [0]) == [0]


def test_what_is_most_unlikely_stays_out() -> None:
    assert add_to(flow("Week 1: plankton", LINKED), [0], chance=0.01) == [0]


def test_a_list_of_which_little_is_kept_stays_as_it_is() -> None:
    assert add_to(flow("Week 1: plankton", LINKED, LINKED, LINKED), [0]) == [0]
