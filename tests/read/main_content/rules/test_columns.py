"""Tables of one column come with the text before them."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.facts.columns import add_columns

NAMES = "<table><tr><th>Name<tr><td>Ada Holt<tr><td>Ben Ruiz</table>"


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body><main>{body}</main></body>"))


def add_to(found: Flow, chance: float = 0.25) -> list[int]:
    values = [chance] * len(found.texts)
    return add_columns(found, Chances(values, values), [0])


def test_names_below_each_other_are_kept_with_the_text_before_them() -> None:
    assert add_to(flow(f"<p>Our members.</p>{NAMES}")) == [0, 1, 2, 3]


def test_code_with_one_line_a_row_is_kept_with_the_text_before_it() -> None:
    lines = ["def area(r):", "  return 3.14 * r ** 2", "print(area(2))"]
    rows = "".join(f"<tr><td data-line=1></td><td>{line}</td></tr>" for line in lines)

    assert add_to(flow(f"<p>Like this:</p><table>{rows}</table>")) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "body",
    [
        f"<p>Our members.</p><div>{NAMES}</div>",
        f"<p>Our members.</p><aside>{NAMES}</aside>",
        f"<p>Our members.</p>{NAMES.replace('<table', '<table hidden')}",
        f"<p>Our members.</p>{NAMES.replace('Ada Holt', '<a href=/>Ada Holt, treasurer</a>')}",
        f"<p>Our members.</p>{NAMES.replace('Ada Holt', 'Ada Holt<td>Treasurer')}",
        f"<p>Our members.</p>{NAMES.replace('Ada Holt', 'She writes about rivers. ' * 20)}",
        "<p>Our members.</p><table><tr><td>Ada Holt<tr><td>Ben Ruiz</table>",
    ],
    ids=["another box", "aside", "hidden", "links", "two columns", "long", "two rows"],
)
def test_other_tables_stay_out(body: str) -> None:
    assert add_to(flow(body)) == [0]


def test_a_table_that_is_rather_unlikely_stays_out() -> None:
    assert add_to(flow(f"<p>Our members.</p>{NAMES}"), 0.1) == [0]
