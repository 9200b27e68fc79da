"""Acceptance tests 1 to 7: what a statement pays for. Asserted is what the servers were asked,
never a time.
"""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import pytest

from tests.model_servers import FakeServers
from tests.sql.conftest import Connection, rows, value
from webquarry.errors import LimitReached
from webquarry.sql import Session

ADDRESS = (
    '{"city": "Osterby", "postal_code": "12345", "street_name": "Mill Lane", "street_nr": "7"}'
)


@pytest.fixture
def table(connection: Connection) -> Connection:
    rows(connection, "CREATE TABLE t AS SELECT range AS x FROM range(5000)")
    return connection


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT stps_ask_ai(x, 'q') FROM t LIMIT 5",
        "SELECT ask(x, 'q').answer FROM t LIMIT 5",
        "SELECT stps_ask_ai(x, 'q') FROM (SELECT x FROM t ORDER BY x DESC LIMIT 5)",
        "SELECT a FROM (SELECT x, ask(x, 'q') AS a FROM t) LIMIT 5",
    ],
)
def test_01_limit_of_five_is_five_calls(
    table: Connection, servers: FakeServers, statement: str
) -> None:
    assert len(rows(table, statement)) == 5
    assert servers.messages == 5


@pytest.mark.parametrize(
    "statement",
    [
        "EXPLAIN SELECT ask('a', 'q')",
        "EXPLAIN SELECT stps_ask_ai(x, 'q') FROM t",
        "PREPARE p AS SELECT ask('a', 'q')",
        "DESCRIBE SELECT ask('a', 'q')",
        "DESCRIBE FROM ask_table('t', x, 'q')",
        "SELECT count(*) FROM (SELECT x, stps_ask_ai(x, 'q') AS a FROM t)",
    ],
)
def test_03_explain_prepare_describe_and_count_pay_nothing(
    table: Connection, servers: FakeServers, statement: str
) -> None:
    rows(table, statement)

    assert servers.messages == 0


@pytest.mark.parametrize("command", ["EXPLAIN", "PREPARE p AS", "DESCRIBE"])
@pytest.mark.parametrize("call", ["ask('a', 'q')", "stps_ask_ai('a', 'q')"])
def test_03_on_a_cursor_constants_are_not_asked_about_when_planning(
    connection: Connection, servers: FakeServers, command: str, call: str
) -> None:
    rows(connection.cursor(), f"{command} SELECT {call}")

    assert servers.messages == 0


def test_04_ten_thousand_rows_with_a_hundred_prompts_are_a_hundred_calls(
    connection: Connection, servers: FakeServers
) -> None:
    statement = "SELECT count(stps_ask_ai(range % 100, 'q')) FROM range(10000)"

    assert value(connection, statement) == 10_000
    assert servers.messages == 100
    assert value(connection, statement) == 10_000
    assert servers.messages == 100


def test_04_four_cursors_that_ask_the_same_at_once_share_the_calls(
    connection: Connection, servers: FakeServers
) -> None:
    servers.latency = 0.2
    cursors = [connection.cursor() for _ in range(4)]
    counted: list[int] = []
    statement = "SELECT count(stps_ask_ai(range, 'q')) FROM range(64)"
    threads = [
        threading.Thread(target=lambda one=cursor: counted.append(value(one, statement)))
        for cursor in cursors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert counted == [64] * 4
    assert servers.messages == 64


@pytest.mark.parametrize(
    "fields",
    [
        "(stps_ask_ai_address(c)).city, (stps_ask_ai_address(c)).postal_code, "
        "(stps_ask_ai_address(c)).street_name, (stps_ask_ai_address(c)).street_nr",
        "unnest(stps_ask_ai_address(c))",
    ],
)
def test_05_fields_of_an_address_are_one_question_for_each_company(
    connection: Connection, servers: FakeServers, fields: str
) -> None:
    servers.answer = lambda question, model: ADDRESS

    found = rows(connection, f"SELECT {fields} FROM (VALUES ('Acme'), ('Bolt'), ('Acme')) AS t(c)")

    assert found == [("Osterby", "12345", "Mill Lane", "7")] * 3
    assert servers.messages == 2


def test_05_address_that_fails_is_asked_for_once_in_a_statement(
    connection: Connection, servers: FakeServers
) -> None:
    servers.answer = lambda question, model: "no address"

    assert rows(connection, "SELECT unnest(stps_ask_ai_address('Acme'))") == [(None,) * 4]
    once = servers.messages
    assert rows(connection, "SELECT stps_ask_ai_address('Bolt')") == [(None,)]
    assert servers.messages == 2 * once


def test_06_ask_table_counts_before_it_pays(connection: Connection, servers: FakeServers) -> None:
    rows(connection, "CREATE TABLE big AS SELECT range AS x FROM range(50000)")

    with pytest.raises(
        duckdb.InvalidInputException, match=r"50,000 questions.*max_rows.*1,000; nothing was spent"
    ):
        rows(connection, "FROM ask_table('big', x, 'q')")
    assert servers.messages == 0


def test_06_ask_table_within_its_limit_asks_every_row(
    connection: Connection, servers: FakeServers
) -> None:
    rows(connection, "CREATE TABLE few AS SELECT range AS x, 'c' || range AS name FROM range(5)")

    found = rows(
        connection, "SELECT x, name, answer, error FROM ask_table('few', name, 'who is ' || name)"
    )

    assert found[0] == (0, "c0", "Answer to: Context: c0\n\nQuestion: who is c0", None)
    assert servers.messages == 5


def test_06_ask_table_takes_a_cte_and_options(connection: Connection, servers: FakeServers) -> None:
    servers.answer = lambda question, model: '{"size": 3}'

    found = rows(
        connection,
        "WITH few AS (SELECT 'c' || range AS name FROM range(2)) SELECT answer.size + 1 "
        """FROM ask_table('few', name, 'size?', schema := '{"size": "INTEGER"}', """
        "model := 'claude-haiku-4-5')",
    )

    assert found == [(4,), (4,)]
    assert {body["model"] for body in servers.bodies} == {"claude-haiku-4-5"}


def test_06_ask_table_that_may_cost_more_than_the_limit_spends_nothing(
    connection: Connection, servers: FakeServers
) -> None:
    rows(connection, "SELECT webquarry_set('max_usd', '0.01')")
    rows(connection, "CREATE TABLE few AS SELECT range AS x FROM range(5)")

    with pytest.raises(
        duckdb.InvalidInputException, match=r"5 questions .* may cost up to .*max_usd is \$0.01"
    ):
        rows(connection, "FROM ask_table('few', x, 'q')")
    assert servers.messages == 0


def test_06_max_usd_is_never_exceeded(session: Session, servers: FakeServers) -> None:
    session.sql("SELECT webquarry_set('max_usd', '0.1')")
    servers.answer = lambda question, model: "word " * 800  # a thousand tokens

    with pytest.raises(LimitReached, match="max_usd"):
        session.sql("SELECT count(ask(range, 'q').answer) FROM range(100)")
    spent = sum(one["usd"] + one["uncertain_usd"] for one in session.usage())
    assert 0 < spent <= 0.1
    assert 0 < servers.messages < 100


def test_06_scalar_ask_stops_at_its_row_limit(connection: Connection, servers: FakeServers) -> None:
    rows(connection, "SELECT webquarry_set('max_rows', '50')")

    with pytest.raises(duckdb.InvalidInputException, match=r"max_rows\) is 50"):
        rows(connection, "SELECT ask(range, 'q') FROM range(100)")
    assert servers.messages <= 50


def test_06_row_limit_is_for_each_statement(connection: Connection, servers: FakeServers) -> None:
    rows(connection, "SELECT webquarry_set('max_rows', '50')")

    for start in (0, 100, 200):
        rows(connection, f"SELECT ask(range + {start}, 'q') FROM range(40)")
    assert servers.messages == 120


def test_06_stps_functions_have_no_row_limit_unless_the_user_sets_one(
    session: Session, servers: FakeServers
) -> None:
    session._instance.engine.options.max_rows = 20  # as if our default were that small

    assert len(session.sql("SELECT stps_ask_ai(range, 'q') FROM range(30)").rows) == 30
    with pytest.raises(LimitReached, match="max_rows"):
        session.sql("SELECT ask(range, 'another') FROM range(30)")
    session.sql("SELECT webquarry_set('max_rows', '25')")
    with pytest.raises(LimitReached, match="max_rows"):
        session.sql("SELECT stps_ask_ai(range, 'a third') FROM range(30)")
    assert servers.messages == 30


def test_07_dry_run_pays_nothing_and_predicts_the_real_run(
    session: Session, servers: FakeServers
) -> None:
    statement = "SELECT ask(range % 7, 'q').answer FROM range(20)"
    session.sql("SELECT webquarry_set('dry_run', 'on')")

    planned = session.sql(statement)

    assert servers.messages == 0
    assert planned.rows == [(None,)] * 20
    session.sql("SELECT webquarry_set('dry_run', 'off')")
    session.sql(statement)
    assert servers.messages == planned.progress.planned == 7


def test_bill_names_questions_calls_searches_and_money(
    session: Session, servers: FakeServers
) -> None:
    session.sql("CREATE TABLE t AS SELECT range AS x FROM range(5)")

    result = session.sql("SELECT stps_ask_ai(x, 'q [search]') FROM t")
    bill = session.sql("SELECT questions, calls, searches, usd FROM webquarry_usage()").rows

    assert (servers.messages, servers.searches) == (10, 5)
    assert bill[0][:3] == (5, 10, 5)
    assert bill[0][3] == pytest.approx(result.progress.usage.usd)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO r SELECT x, {f} FROM t",
        "UPDATE r SET a = {f}",
        "DELETE FROM r WHERE {f} = 'no'",
        "COPY (SELECT {f} FROM t) TO '{folder}/out.csv'",
        "EXPLAIN ANALYZE SELECT {f} FROM t",
        "SUMMARIZE SELECT {f} AS a FROM t",
        "SELECT {f} FROM t UNION SELECT {f} FROM t",
        "WITH c AS NOT MATERIALIZED (SELECT {f} AS a FROM t) SELECT * FROM c, c AS d",
        "SELECT {f}, lag({f}) OVER (ORDER BY x) FROM t",
        "SELECT a FROM t, LATERAL (SELECT {f} AS a)",
        "SELECT list_transform(list(x), lambda x: {f}) FROM t",
    ],
)
def test_every_kind_of_statement_pays_once_for_each_question_and_nothing_the_second_time(
    connection: Connection, servers: FakeServers, tmp_path: Path, statement: str
) -> None:
    connection.execute("CREATE TABLE t AS SELECT range AS x FROM range(10)").fetchall()
    connection.execute("CREATE TABLE r AS SELECT x, '' AS a FROM t").fetchall()
    text = statement.format(f="stps_ask_ai(x, 'what?')", folder=tmp_path)

    rows(connection, text)
    first = servers.messages
    rows(connection, text)

    assert (first, servers.messages) == (10, 10)


def test_prepared_statement_pays_only_for_new_rows(
    connection: Connection, servers: FakeServers
) -> None:
    connection.execute("CREATE TABLE t AS SELECT range AS x FROM range(10)").fetchall()
    connection.execute("PREPARE p AS SELECT stps_ask_ai(x, 'what?') FROM t WHERE x < $1").fetchall()
    counts = []
    for most in (4, 6, 6):
        rows(connection, f"EXECUTE p({most})")
        counts.append(servers.messages)

    assert counts == [4, 6, 6]
