"""The bill in SQL, the setters of options and keys, and the errors of schemas."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import webquarry.sql
from tests.model_servers import FakeServers
from webquarry.errors import BadInput
from webquarry.sql import Session
from webquarry.sql.rendering import render


def bill(session: Session) -> list[dict[str, Any]]:
    result = session.sql("FROM webquarry_usage()")
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


def total(session: Session) -> dict[str, Any]:
    result = session.sql("FROM webquarry_usage_total()")
    (row,) = result.rows
    return dict(zip(result.columns, row, strict=True))


def test_statement_has_its_time_and_its_first_words(session: Session) -> None:
    session.sql("SELECT\n  stps_ask_ai('Acme', 'What is it?')" + " -- and so on" * 20)
    (row,) = bill(session)

    assert row["sql"].startswith("SELECT stps_ask_ai('Acme', 'What is it?') -- and")
    assert len(row["sql"]) <= 120
    now = datetime.now(UTC).replace(tzinfo=None)
    assert now - timedelta(minutes=5) < row["begun_at"] <= now


def test_key_in_the_text_of_a_statement_is_not_stored(
    servers: FakeServers, environ: dict[str, str], tmp_path: Path
) -> None:
    key = "BSA-secret-0001"
    with webquarry.sql.open(environ=environ) as session:
        session.sql(f"SELECT stps_set_brave_api_key('{key}'), stps_ask_ai('a', 'b')")
        said = str(bill(session))

    assert "stps_set_brave_api_key" in said
    assert key not in said
    files = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"stps_set_brave" not in files, "the words are encrypted"


def test_stored_answers_of_another_process_count_as_hits(environ: dict[str, str]) -> None:
    """Another process sees what is in the record file, and so does a session of its own."""
    statement = "SELECT stps_ask_ai(range % 2, 'q') FROM range(10)"
    with webquarry.sql.open(environ=environ) as session:
        session.sql(statement)
        session.sql(statement)
    with webquarry.sql.open(environ=environ) as session:
        newest, oldest = bill(session)

    assert (oldest["questions"], oldest["calls"], oldest["hits"]) == (2, 2, 8)
    assert (newest["questions"], newest["calls"], newest["hits"]) == (0, 0, 10)
    assert newest["sql"] == statement


def test_total_is_the_sum_of_all_and_counts_nothing_twice(session: Session) -> None:
    session.sql("SELECT ask(range, 'q', model := 'claude-haiku-4-5') FROM range(3)")
    session.sql(
        "SELECT stps_ask_ai(x, 'q', m) FROM (VALUES (1, 'claude-haiku-4-5'), (1, NULL)) t(x, m)"
    )
    session.sql("SELECT ask(range, 'q', model := 'claude-haiku-4-5') FROM range(3)")
    whole, parts = total(session), bill(session)

    assert (whole["questions"], whole["calls"], whole["hits"]) == (4, 4, 4)
    assert whole["usd"] == pytest.approx(sum(part["usd"] for part in parts))
    assert whole["hits"] == sum(part["hits"] for part in parts)


# Setters


@pytest.mark.parametrize("name", ["max_rows", "model"])
def test_null_is_no_value_of_an_option(session: Session, name: str) -> None:
    before = session._instance.engine.options.get(name)
    with pytest.raises(BadInput, match=f"{name} was given NULL") as caught:
        session.sql(f"SELECT webquarry_set('{name}', NULL)")

    assert "'none'" in caught.value.suggested_action
    assert session._instance.engine.options.get(name) == before


@pytest.mark.parametrize(
    ("setter", "variable"),
    [
        ("stps_set_google_api_key", "GOOGLE_SEARCH_API_KEY"),
        ("stps_set_brave_api_key", "BRAVE_API_KEY"),
        ("stps_set_api_key", "ANTHROPIC_API_KEY"),
    ],
)
def test_warning_of_a_key_set_in_sql_names_the_variable(
    session: Session, caplog: pytest.LogCaptureFixture, setter: str, variable: str
) -> None:
    caplog.set_level(logging.WARNING)
    session.sql(f"SELECT {setter}('key-0000001')")
    (warning,) = [one.getMessage() for one in caplog.records if "query log" in one.getMessage()]

    assert variable in warning
    assert ("ANTHROPIC" in warning) == (variable == "ANTHROPIC_API_KEY")


# Schemas


@pytest.mark.parametrize("schema", ["nonsense", '{"a": "MONEY"}'])
@pytest.mark.parametrize(
    "statement",
    ["SELECT ask('a', 'b', schema := $${}$$)", "FROM ask_table('t', 'a', 'b', schema := $${}$$)"],
)
def test_wrong_schema_gets_a_sentence(
    servers: FakeServers, session: Session, statement: str, schema: str
) -> None:
    session.sql("CREATE TABLE t AS SELECT 1 AS x")
    with pytest.raises(BadInput, match="The schema cannot be used") as caught:
        session.sql(statement.replace("{}", schema, 1))

    assert '{"ceo": "VARCHAR"' in caught.value.suggested_action
    assert servers.messages == 0


def test_decimal_is_a_number_in_a_schema_and_in_json(
    servers: FakeServers, session: Session
) -> None:
    servers.answer = lambda question, model: '{"price": 12.5, "most": 7}'
    result = session.sql(
        """SELECT ask('a', 'b', schema := '{"price": "DECIMAL(10,2)", "most": "DECIMAL"}').answer"""
    )
    form = servers.bodies[0]["output_config"]["format"]["schema"]["properties"]["price"]

    assert form["anyOf"][0] == {"type": "number"}
    assert json.loads(render(result, "json")) == [{result.columns[0]: {"price": 12.5, "most": 7}}]
