"""Acceptance tests 14 to 20: Ctrl-C, timeouts, failures in the middle, threads, installing, leaving
nothing behind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy

import webquarry.sql
from tests.model_servers import MODEL_KEY, FakeServers, error_reply
from tests.sql.conftest import Connection, rows, value
from webquarry.errors import Cancelled
from webquarry.sql import Session

ROOT = Path(__file__).parents[2]


CASES = ("1:plain", "2:session", "8:plain")  # threads, and the way the statement is run


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of each statement, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "tests.sql.interrupted",
        str(tmp_path_factory.mktemp("home")),
        *CASES,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("case", CASES)
def test_14_ctrl_c_ends_a_paid_statement_and_starts_no_further_call(
    interrupted: dict[str, Any], case: str
) -> None:
    """The model would take a minute for each chunk; without the wakeup descriptor none of them
    would be cut short.
    """
    said = interrupted[case]

    assert said["seconds"] < 30  # about one on a quiet machine
    assert said["after"] <= 16  # those under way when it was pressed
    assert said["usable"].startswith("Answer to")
    assert said["raised"] == "KeyboardInterrupt" if case.endswith("session") else said["raised"]


def paused(servers: FakeServers, count: int) -> threading.Event:
    """The model answers `count` questions and then thinks for a minute; the event is set when it
    does.
    """
    thinking = threading.Event()

    def rule(body: dict[str, Any]) -> None:
        if servers.answered >= count:
            servers.latency = 60.0
            thinking.set()

    servers.rule = rule
    return thinking


def test_15_cancelled_statement_is_paid_for_only_once(
    session: Session, servers: FakeServers
) -> None:
    session.sql("SELECT webquarry_set('concurrency', '4')")
    thinking = paused(servers, 10)

    def stop() -> None:
        thinking.wait()
        session.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()

    with pytest.raises(Cancelled):
        session.sql("SELECT stps_ask_ai(range, 'q') FROM range(40)")

    stopper.join()
    kept = servers.answered
    assert 10 <= kept < 40
    servers.latency, servers.rule, servers.messages = 0.0, None, 0
    assert len(session.sql("SELECT stps_ask_ai(range, 'q') FROM range(40)").rows) == 40
    assert servers.messages == 40 - kept


def test_15_timeout_is_a_cancellation(session: Session, servers: FakeServers) -> None:
    servers.latency = 60.0

    with pytest.raises(Cancelled):
        session.sql("SELECT stps_ask_ai('a', 'q')", timeout=0.2)
    servers.latency = 0.0
    assert session.sql("SELECT stps_ask_ai('a', 'q')").rows == [
        ("Answer to: Context: a\n\nQuestion: q",)
    ]


def test_16_failure_in_the_middle_loses_nothing_that_was_paid_for(
    connection: Connection, servers: FakeServers
) -> None:
    rows(connection, "SET threads = 1")
    rows(
        connection,
        "CREATE TABLE five AS SELECT range AS x, (range // 2048) * 10 + range % 10 AS q FROM "
        "range(10240)",
    )
    servers.rule = lambda body: (
        error_reply(400, "no") if "Context: 25\n" in body["messages"][0]["content"] else None
    )

    with pytest.raises(duckdb.InvalidInputException, match="failed"):
        rows(
            connection,
            "CREATE TABLE done AS SELECT ask(q, 'x', on_error := 'fail').answer AS a FROM five",
        )
    assert servers.messages == 30
    servers.rule = None
    rows(
        connection,
        "CREATE TABLE done AS SELECT ask(q, 'x', on_error := 'fail').answer AS a FROM five",
    )
    assert value(connection, "SELECT count(DISTINCT a) FROM done") == 50
    assert servers.messages == 30 + 21


def test_18_installing_twice_changes_nothing(
    connection: Connection, environ: dict[str, str], servers: FakeServers
) -> None:
    rows(connection, "SELECT stps_set_model('claude-haiku-4-5')")
    webquarry.sql.install(connection, environ=environ)
    webquarry.sql.install(connection.cursor(), environ=environ)

    assert value(connection, "SELECT stps_get_model()") == "claude-haiku-4-5"
    assert value(connection, "SELECT stps_ask_ai('a', 'b')").startswith("Answer to")


def test_18_read_only_file_has_all_functions(environ: dict[str, str], tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "data.db")).close()
    with webquarry.sql.open(tmp_path / "data.db", read_only=True, environ=environ) as session:
        assert session.sql("SELECT ask('a', 'b').answer").rows[0][0].startswith("Answer to")
        assert session.sql("SELECT url FROM web_search('a', n := 1)").rows == [
            ("https://site1.example/",)
        ]


def test_18_two_databases_share_neither_key_nor_options_nor_memo(
    servers: FakeServers, tmp_path: Path
) -> None:
    def open_at(name: str) -> Session:
        return webquarry.sql.open(
            environ={"HOME": str(tmp_path / name), "ANTHROPIC_BASE_URL": servers.url}
        )

    with open_at("one") as one, open_at("two") as two:
        one.sql(f"SELECT stps_set_api_key('{MODEL_KEY}')")
        one.sql("SELECT stps_set_model('claude-haiku-4-5'), webquarry_set('max_rows', '5')")
        one.sql("SELECT stps_ask_ai('a', 'b')")
        with pytest.raises(webquarry.AuthFailure):
            two.sql("SELECT ask('a', 'b')")
        two.sql(f"SELECT stps_set_api_key('{MODEL_KEY}')")
        assert two.sql("SELECT stps_get_model()").rows == [("claude-sonnet-5-5",)]
        assert len(two.sql("SELECT ask(range, 'b') FROM range(9)").rows) == 9
        two.sql("SELECT stps_ask_ai('a', 'b')")
    assert servers.messages == 11


def test_18_two_connections_to_one_file_are_one_database(
    environ: dict[str, str], tmp_path: Path
) -> None:
    """The first connection registered the functions; closing it must not take them from the
    second.
    """
    first, second = (duckdb.connect(str(tmp_path / "data.db")) for _ in range(2))
    webquarry.sql.install(first, environ=environ)
    webquarry.sql.install(second, environ=environ)
    rows(first, "SELECT stps_set_model('claude-haiku-4-5')")
    first.close()

    assert value(second, "SELECT stps_get_model()") == "claude-haiku-4-5"
    assert value(second, "SELECT ask('a', 'b').answer").startswith("Answer to")
    second.close()


def test_19_cursors_see_every_scalar_function(connection: Connection, servers: FakeServers) -> None:
    cursor = connection.cursor()

    assert value(cursor, "SELECT ask('a', 'b').answer").startswith("Answer to")
    assert value(cursor, "SELECT web_search('a').results[1].url") == "https://site1.example/"
    assert value(cursor, "SELECT len(webquarry_usage())") >= 1


def test_19_sqlalchemy_works_through_a_connect_event(
    environ: dict[str, str], servers: FakeServers, tmp_path: Path
) -> None:
    engine = sqlalchemy.create_engine(f"duckdb:///{tmp_path / 'data.db'}")

    @sqlalchemy.event.listens_for(engine, "connect")
    def _install(connection: Any, record: Any) -> None:
        webquarry.sql.install(connection, environ=environ)

    for _ in range(2):
        with engine.connect() as connection:
            found = connection.execute(
                sqlalchemy.text("SELECT ask(:c, 'b', max_tokens := 9).answer"), {"c": "a"}
            )
            assert found.scalar() == "Answer to: Context: a\n\nQuestion: b"
            assert connection.execute(
                sqlalchemy.text("SELECT url FROM web_search('a', n := 1)")
            ).scalar()
        engine.dispose()


def names() -> set[str]:
    return {thread.name for thread in threading.enumerate() if not thread.name.startswith("Dummy")}


def test_20_close_leaves_no_thread(servers: FakeServers, environ: dict[str, str]) -> None:
    before = names()
    connection = duckdb.connect()
    webquarry.sql.install(connection, environ=environ)
    rows(connection, "SELECT stps_ask_ai('a', 'b [search]'), web_search('a')")
    assert names() > before

    connection.close()

    assert names() == before


@pytest.mark.slow
def test_20_end_of_the_process_prints_no_leak_report(servers: FakeServers, tmp_path: Path) -> None:
    code = (
        "import duckdb, webquarry.sql\nconnection = "
        "duckdb.connect()\nwebquarry.sql.install(connection)\n"
        "connection.execute('SET enable_progress_bar = false').fetchall()\n"
        "print(connection.execute(\"SELECT stps_ask_ai('a', 'b')\").fetchall())\n"
    )
    environ = dict(os.environ) | servers.environ | {"HOME": str(tmp_path)}
    closed, left_open = (
        subprocess.Popen(
            [sys.executable, "-c", code + ending],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environ,
        )
        for ending in ("connection.close()", "pass")
    )
    for process in (closed, left_open):
        out, errors = process.communicate(timeout=120)
        assert out.startswith("[('Answer to")
        assert errors == ""
        assert process.returncode == 0


def test_installing_over_a_foreign_function_names_it(environ: dict[str, str]) -> None:
    connection = duckdb.connect()
    connection.create_function("stps_ask_ai", lambda text: text, ["VARCHAR"], "VARCHAR")

    with pytest.raises(webquarry.BadInput, match="stps_ask_ai"):
        webquarry.sql.install(connection, environ=environ)
    connection.close()


def test_18_installing_inside_a_transaction_is_refused_and_leaves_it_alone(
    environ: dict[str, str],
) -> None:
    connection = duckdb.connect()
    rows(connection, "CREATE TABLE t (x INTEGER)")
    rows(connection, "BEGIN")
    rows(connection, "INSERT INTO t VALUES (1)")

    with pytest.raises(webquarry.BadInput, match="open transaction"):
        webquarry.sql.install(connection, environ=environ)
    rows(connection, "COMMIT")
    webquarry.sql.install(connection, environ=environ)
    assert rows(connection, "SELECT x, stps_get_model() FROM t") == [(1, "claude-sonnet-5-5")]
    connection.close()


def test_error_of_ours_comes_back_as_itself_from_a_session(session: Session) -> None:
    with pytest.raises(webquarry.BadInput, match="There is no option 'max_row'"):
        session.sql("SELECT webquarry_set('max_row', '5')")
    with pytest.raises(duckdb.CatalogException):
        session.sql("FROM nowhere")


def test_aborted_transaction_can_be_rolled_back_in_a_session(session: Session) -> None:
    session.sql("BEGIN")
    with pytest.raises(duckdb.Error):
        session.sql("SELECT nothing_of_that_name")

    session.sql("ROLLBACK")

    assert session.sql("SELECT 1").rows == [(1,)]


@pytest.mark.parametrize(
    "statement", ["EXPLAIN SELECT ask('a', 'b')", "PREPARE p AS SELECT ask('a', 'b')"]
)
def test_looking_for_warnings_does_not_abort_a_transaction(
    session: Session, servers: FakeServers, statement: str
) -> None:
    session.sql("BEGIN")
    session.sql(statement)

    assert session.sql("SELECT 1").rows == [(1,)]
    assert servers.messages == 0
