"""Errors of single rows: surrogates, invalid options, missing and rejected keys."""

from __future__ import annotations

from pathlib import Path

import pytest

import webquarry.sql
from tests.model_servers import FakeReply, FakeServers
from webquarry.errors import AuthFailure, LimitReached
from webquarry.sql import Session
from webquarry.sql.progress import format_line, summarize

HALF = "half \ud83d a letter"


def open_without_key(servers: FakeServers, home: Path, **environ: str) -> Session:
    given = {"HOME": str(home), "ANTHROPIC_BASE_URL": servers.url, "NO_PROXY": "127.0.0.1"}
    return webquarry.sql.open(environ=given | environ)


@pytest.mark.parametrize("call", ["stps_ask_ai(x, 'q')", "ask(x, 'q').answer"])
def test_lone_surrogates_in_answers_are_replaced(
    servers: FakeServers, session: Session, call: str
) -> None:
    servers.answer = lambda question, model: HALF if "2" in question else "whole"
    statement = f"SELECT {call} FROM (SELECT range AS x FROM range(4))"
    expected = [("whole",), ("whole",), ("half \ufffd a letter",), ("whole",)]

    assert session.sql(statement).rows == expected
    assert session.sql(statement).rows == expected, "and kept"
    assert servers.messages == 4


def test_lone_surrogates_in_typed_answers_and_errors_are_replaced(
    servers: FakeServers, session: Session
) -> None:
    servers.answer = lambda question, model: '{"a": "\\ud800!"}'
    typed = session.sql("""SELECT ask('x', 'q', schema := '{"a": "VARCHAR"}').answer.a""").rows
    body = {
        "content": [],
        "stop_reason": "refusal",
        "stop_details": {"explanation": HALF},
        "usage": {},
    }
    servers.rule = lambda asked: FakeReply(body)
    refused = session.sql("SELECT stps_ask_ai('y', 'q')").rows

    assert typed == [("\ufffd!",)]
    assert "half \ufffd a letter" in refused[0][0]


@pytest.mark.parametrize("odd", ["0", "-1", "999999999"])
def test_invalid_max_tokens_fails_only_its_row(
    servers: FakeServers, session: Session, odd: str
) -> None:
    rows = f"(VALUES ('a', 100), ('b', {odd}), ('c', 50)) AS t(x, n)"
    texts = session.sql(f"SELECT stps_ask_ai(x, 'q', NULL, n) FROM {rows}").rows
    structs = session.sql(f"SELECT ask(x, 'q', max_tokens := n) FROM {rows}").rows

    assert [text.startswith("ERROR: `max_tokens` must be") for (text,) in texts] == [
        False,
        True,
        False,
    ]
    assert [one["error"] is not None for (one,) in structs] == [False, True, False]
    assert structs[1][0]["error"]["code"] == "bad_input"
    assert servers.messages == 2


def test_malformed_reply_fails_only_its_row(servers: FakeServers, session: Session) -> None:
    odd = {"content": [{"type": "tool_use", "name": ["web_search"], "input": 7}], "usage": []}
    servers.rule = lambda body: (
        FakeReply(odd | {"stop_reason": ["tool_use"]}) if "odd" in str(body) else None
    )
    texts = session.sql("SELECT stps_ask_ai(x, 'q') FROM (VALUES ('a'), ('odd')) AS t(x)").rows

    assert [text.startswith("ERROR: ") for (text,) in texts] == [False, True]


# Keys


def test_refused_key_is_one_error_of_ask_and_the_text_of_every_row_of_stps(
    servers: FakeServers, tmp_path: Path
) -> None:
    wrong = {"ANTHROPIC_API_KEY": "sk-ant-wrong-0001", "ask_concurrency": "4"}
    with open_without_key(servers, tmp_path, **wrong) as session:
        with pytest.raises(AuthFailure, match="did not accept the key"):
            session.sql("SELECT ask(range, 'q') FROM range(300)")
        assert servers.messages <= 8
        servers.messages = 0
        result = session.sql("SELECT stps_ask_ai(range, 'q') FROM range(300)")

    assert servers.messages <= 8
    assert all(text.startswith("ERROR: The Anthropic API did not") for (text,) in result.rows)
    assert "300 failed (The Anthropic API did not accept the key" in summarize(result.progress)


# Limits


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t AS SELECT range AS x FROM range(10000)")
    return session


TOP = "SELECT stps_ask_ai(x, 'q') FROM t ORDER BY x LIMIT 5"


@pytest.mark.parametrize(
    "statement",
    [
        TOP,
        "CREATE TABLE r AS SELECT ask(x, 'q') AS a FROM t ORDER BY x DESC LIMIT 5",
        "SELECT stps_ask_ai(x, 'q') FROM t LIMIT 5 OFFSET 10",
        "SELECT stps_ask_ai_gender(x::VARCHAR) FROM t LIMIT 1%",
    ],
)
def test_statement_that_discards_many_paid_rows_is_refused(
    servers: FakeServers, table: Session, statement: str
) -> None:
    with pytest.raises(LimitReached, match=r"max_discarded_rows\) is 100") as caught:
        table.sql(statement)
    assert "subquery" in caught.value.suggested_action
    assert servers.messages == 0


def test_limit_that_is_a_parameter_is_seen(servers: FakeServers, table: Session) -> None:
    with pytest.raises(LimitReached, match="max_discarded_rows"):
        table.sql("SELECT stps_ask_ai(x, 'q') FROM t ORDER BY x LIMIT ?", [5])
    assert len(table.sql("SELECT stps_ask_ai(x, 'q') FROM t LIMIT ?", [5]).rows) == 5
    assert servers.messages == 5


def test_few_rows_are_only_warned_of_and_a_limit_can_be_raised(
    servers: FakeServers, session: Session
) -> None:
    session.sql("CREATE TABLE t AS SELECT range AS x FROM range(300)")
    session.sql("CREATE TABLE few AS SELECT range AS x FROM range(50)")
    assert session.sql("SELECT stps_ask_ai(x, 'q') FROM few ORDER BY x LIMIT 5").warnings
    with pytest.raises(LimitReached):
        session.sql(TOP)
    session.sql("SELECT webquarry_set('max_discarded_rows', 'none')")

    assert len(session.sql(TOP).rows) == 5
    assert servers.messages == 300


def test_dry_run_is_not_refused(servers: FakeServers, table: Session) -> None:
    table.sql("SELECT webquarry_set('dry_run', 'on')")

    assert table.sql(TOP).progress.planned == 10_000
    assert servers.messages == 0


def test_limit_of_a_day_holds_for_stps_too(servers: FakeServers, environ: dict[str, str]) -> None:
    limited = environ | {"WEBQUARRY_ASK_MAX_USD_PER_DAY": "0.00001"}
    with (
        webquarry.sql.open(environ=limited) as session,
        pytest.raises(LimitReached, match="max_usd_per_day"),
    ):
        session.sql("SELECT stps_ask_ai('a', 'b')")
    with webquarry.sql.open(environ=environ) as session:
        statement = session._instance.statements
        with statement.enter(None) as scope:
            held = scope.get_statement(session._instance.engine, own_limits=True)
            assert (held.limits.max_usd_per_day, held.limits.max_rows) == (50, None)
    assert servers.messages == 0


# What a statement says at its end


def test_summary_has_the_reasons_of_failures(servers: FakeServers, session: Session) -> None:
    rows = "(VALUES ('[refuse] a'), ('[refuse] b'), ('[fail]'), ('fine')) AS t(x)"
    session.sql("SELECT webquarry_set('concurrency', '1')")
    progress = session.sql(f"SELECT stps_ask_ai(x, 'q') FROM {rows}").progress
    line = summarize(progress)

    assert "3 failed (2 x The model declined to answer (cyber)" in line
    assert "1 x The model's provider answered HTTP 500" in line
    assert "3 failed," in format_line(progress)


def test_summary_counts_rows_without_a_wanted_search(
    servers: FakeServers, environ: dict[str, str]
) -> None:
    servers.search_status = 500
    with webquarry.sql.open(environ=environ | {"retries": "0"}) as session:
        rows = "(VALUES ('[search] a'), ('[search] b'), ('fine')) AS t(x)"
        result = session.sql(f"SELECT ask(x, 'q') FROM {rows}")

    assert "2 answered without a search, which failed" in summarize(result.progress)
    failed = [one["search_failed"] for (one,) in result.rows]
    assert ["500" in (text or "") for text in failed] == [True, True, False]
