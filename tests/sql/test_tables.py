"""Tables of the SQL shell: they fit the terminal, whatever is in them."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from webquarry.ask.models import Progress
from webquarry.sql.rendering import render
from webquarry.sql.session import SqlResult

URL = "https://wiki.openwaters.example/wiki/Tidal_energy_storage?with=a+very+long+query"
WORDS = "the tide turns four times a day and a battery fills the gap at slack water " * 5
KANJI = "\u6f6e\u6c50\u767a\u96fb\u306e\u8caf\u8535" * 20


def result_of(*columns: tuple[str, str, Any]) -> SqlResult:
    """Two rows of the same values."""
    names, types, values = zip(*columns, strict=True)
    return SqlResult(names, types, [values, values], Progress())


RESULTS = {
    "narrow": result_of(("a", "INTEGER", 1), ("b", "VARCHAR", "x")),
    "one long text": result_of(("answer", "VARCHAR", WORDS)),
    "a text and numbers": result_of(
        ("n", "BIGINT", 123456789012), ("text", "VARCHAR", WORDS), ("usd", "DOUBLE", 0.25)
    ),
    "a search": result_of(
        ("title", "VARCHAR", WORDS[:70]),
        ("url", "VARCHAR", URL),
        ("snippet", "VARCHAR", WORDS),
        ("display_link", "VARCHAR", "wiki.openwaters.example"),
        ("source_reputation", "STRUCT(tier VARCHAR)", {"tier": "mixed"}),
        ("claim_signal", "VARCHAR", None),
        ("published_at", "TIMESTAMP", "2026-10-28 20:41:00"),
        ("error", "STRUCT(code VARCHAR)", None),
    ),
    "wide characters": result_of(("a", "VARCHAR", KANJI), ("b", "VARCHAR", KANJI)),
    "many columns": result_of(*[(f"column_{n}", "VARCHAR", "v" * n) for n in range(1, 40)]),
    "a long name": result_of(("n" * 200, "VARCHAR", "x"), ("b", "VARCHAR", WORDS)),
    "many numbers": result_of(*[(f"n{n}", "BIGINT", 10**12) for n in range(12)]),
}


@pytest.mark.parametrize("width", [20, 60, 80, 120])
@pytest.mark.parametrize("name", RESULTS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = render(RESULTS[name], "table", width).splitlines()

    assert [line for line in lines if cell_len(line) > width] == []
    assert lines[-1] == "(2 rows)"


def test_widest_columns_are_cut_and_numbers_are_not() -> None:
    shown = render(RESULTS["a text and numbers"], "table", 60)

    assert shown.splitlines()[2].startswith(" 123456789012 | the tide turns")
    assert "\u2026 | 0.25" in shown
    longer = render(RESULTS["a text and numbers"], "table", 120).splitlines()[2]
    assert cell_len(longer) == 119  # the rule below the names has one more


def test_rows_of_too_many_columns_are_records_that_say_more() -> None:
    lines = render(RESULTS["a search"], "table", 60).splitlines()

    assert lines[0] == "-[ 1 ]" + "-" * 54
    assert lines[1].startswith(" title             | the tide turns four times")
    assert lines[2].startswith("                   | ")
    assert any(line == " claim_signal      | NULL" for line in lines)
    assert any(line == " published_at      | 2026-10-28 20:41:00" for line in lines)
    shown = "".join(line.partition(" | ")[2] for line in lines if "|" in line)
    assert URL in shown.replace(" ", "")


def test_csv_json_and_markdown_are_never_cut() -> None:
    for style in ("csv", "json", "markdown"):
        assert render(RESULTS["a search"], style, 60) == render(RESULTS["a search"], style)
        assert WORDS.strip() in render(RESULTS["a search"], style, 60)
