"""Rows of labels and values are kept whole."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.facts.rows import add_rows

FIELDS = [("Family", "Alosidae"), ("Length", "83 cm"), ("Habitat", "Rivers"), ("Diet", "Plankton")]


def flow(fields: list[tuple[str, str]], row: str = "div class=field") -> Flow:
    rows = [f"<{row}><div>{label}</div><div>{value}</div></div>" for label, value in fields]
    return build_flow(parse_html(f"<body><div>{''.join(rows)}</div></body>"))


def add_to(found: Flow, kept: list[int], chance: float = 0.2) -> list[int]:
    values = [chance] * len(found.texts)
    return add_rows(found, Chances(values, values), kept)


def test_the_last_rows_of_a_list_come_with_the_first() -> None:
    assert add_to(flow(FIELDS), [0, 1, 2, 3]) == list(range(8))


def test_a_number_comes_with_what_it_counts() -> None:
    tiles = [("1,204", "kilometres cleared"), ("38", "weirs removed"), ("91%", "come again")]

    assert add_to(flow(tiles), [1, 3, 5]) == list(range(6))


@pytest.mark.parametrize(
    "value", ["<a href=/>Read more</a>", "<aside>Ad</aside>", "<p hidden>x</p>"]
)
def test_links_and_what_is_set_aside_or_hidden_stay_out(value: str) -> None:
    assert add_to(flow([*FIELDS, ("Status", value)]), list(range(8))) == list(range(9))


def test_a_list_of_which_little_is_kept_stays_as_it_is() -> None:
    assert add_to(flow(FIELDS), [0]) == [0]


def test_two_boxes_are_no_list() -> None:
    assert add_to(flow(FIELDS[:2]), [0, 1]) == [0, 1]


def test_long_texts_are_no_rows() -> None:
    long = [(label, "They swim up the river in May. " * 5) for label, _ in FIELDS]

    assert add_to(flow(long), [1, 3, 5]) == [1, 3, 5]


def test_what_is_most_unlikely_stays_out() -> None:
    assert add_to(flow(FIELDS), [0, 2, 4], chance=0.05) == [0, 2, 4]
