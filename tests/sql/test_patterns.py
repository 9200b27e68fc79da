"""Acceptance test 2: the tables of safe and unsafe statements in docs/sql.md say what DuckDB really
does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import webquarry.sql
from tests.sql.conftest import Connection, rows
from webquarry.ask.models import ModelReply
from webquarry.sql import asking
from webquarry.sql.lint import find_warnings

PAGE = (Path(__file__).parents[2] / "docs" / "sql.md").read_text("utf-8")
LINE = re.compile(
    r"(?m)^\| `((?:SELECT|WITH|CREATE)[^`]*)` \| (at most )?([\d,]+) \|(?: (yes|no) \|)?"
)
PATTERNS = [
    (statement, bool(bound), int(count.replace(",", "")), warned == "yes")
    for statement, bound, count, warned in LINE.findall(PAGE)
]


class Counter:
    """Replaces the engine and counts the rows that DuckDB passes."""

    rows = 0

    def answers(self, batch: Any, *rest: Any) -> list[ModelReply]:
        self.rows += batch.num_rows
        return [ModelReply("some", value={"city": "Rome"})] * int(batch.num_rows)


@pytest.fixture(scope="module")
def counted() -> Iterator[tuple[Connection, Counter]]:
    counter, patch = Counter(), pytest.MonkeyPatch()
    patch.setattr(asking, "ask_rows", counter.answers)
    patch.setenv(
        "WEBQUARRY_STATE_FOLDER", "/nonexistent"
    )  # nothing is kept, because nothing is asked
    connection = duckdb.connect()
    rows(connection, "SET threads = 2")
    webquarry.sql.install(connection, api_key="invalid-key")
    rows(connection, "CREATE TEMP MACRO f(x) AS stps_ask_ai(x, 'question')")
    rows(connection, "CREATE TABLE t AS SELECT range AS x, range % 10 AS k FROM range(10000)")
    rows(connection, "CREATE TABLE s AS SELECT range AS k FROM range(10)")
    yield connection, counter
    connection.close()
    patch.undo()


def test_page_has_both_tables() -> None:
    assert sum(1 for _, _, count, _ in PATTERNS if count <= 10) >= 15
    assert sum(1 for *_, warned in PATTERNS if warned) >= 8


@pytest.mark.parametrize(
    ("statement", "bound", "count", "warned"), PATTERNS, ids=[one[0] for one in PATTERNS]
)
def test_02_statement_asks_about_the_documented_number_of_rows(
    counted: tuple[Connection, Counter], statement: str, bound: bool, count: int, warned: bool
) -> None:
    connection, counter = counted
    counter.rows = 0

    rows(connection, statement)

    assert counter.rows <= count if bound else counter.rows == count


@pytest.mark.parametrize(
    ("statement", "bound", "count", "warned"), PATTERNS, ids=[one[0] for one in PATTERNS]
)
def test_warnings_match_the_documentation(
    counted: tuple[Connection, Counter], statement: str, bound: bool, count: int, warned: bool
) -> None:
    connection, counter = counted
    counter.rows = 0
    spelled = re.sub(r"\bf\(([\w.]+)\)", r"stps_ask_ai(\1, 'question')", statement)

    assert bool(find_warnings(connection, spelled)) == warned
    assert counter.rows == 0


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("SELECT ask(x, 'q').answer AS a FROM t ORDER BY x LIMIT 5", "Limit in a subquery"),
        (
            "CREATE TABLE r2 AS SELECT x, ask(x, 'q') AS a FROM t ORDER BY x LIMIT 5",
            "Limit in a subquery",
        ),
        (
            "COPY (SELECT ask(x, 'q') AS a FROM t ORDER BY x LIMIT 5) TO 'nowhere.csv'",
            "Limit in a subquery",
        ),
        ("SELECT * FROM asked ORDER BY x LIMIT 5", "Limit in a subquery"),
        ("SELECT k FROM t GROUP BY k HAVING ask(k, 'q').answer = 'yes'", "Group in a CTE"),
        (
            "SELECT x FROM t WHERE ask(x, 'q').answer = 'yes' LIMIT 1",
            "Limit the rows in a subquery first",
        ),
    ],
)
def test_warning_suggests_another_statement(
    counted: tuple[Connection, Counter], statement: str, advice: str
) -> None:
    connection, _ = counted
    rows(
        connection, "CREATE OR REPLACE TEMP VIEW asked AS SELECT x, stps_ask_ai(x, 'q') AS a FROM t"
    )

    assert [advice in str(warning) for warning in find_warnings(connection, statement)] == [True]


@pytest.mark.parametrize(
    "statement", ["SELECT ask('a', 'b')", "SELECT 1", "SELECT ask(", "FROM t ORDER BY x LIMIT 5"]
)
def test_other_statements_have_no_warning(
    counted: tuple[Connection, Counter], statement: str
) -> None:
    assert find_warnings(counted[0], statement) == []
