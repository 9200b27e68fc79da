"""Acceptance tests 8 to 13: what comes in, what comes out, what goes wrong."""

from __future__ import annotations

import importlib.util
import json
import logging
from pathlib import Path
from typing import Any

import duckdb
import pytest

import webquarry.sql
from tests.model_servers import MODEL_KEY, SEARCH_KEY, FakeServers, error_reply
from tests.sql.conftest import Connection, rows, value
from webquarry.errors import MissingExtra
from webquarry.sql import Session

EVERYWHERE = pytest.mark.parametrize("where", ["connection", "cursor"])


def at(connection: Connection, where: str) -> Connection:
    return connection if where == "connection" else connection.cursor()


@EVERYWHERE
@pytest.mark.parametrize(
    "call",
    [
        "stps_ask_ai(NULL, 'q')",
        "stps_ask_ai('c', NULL)",
        "ask(NULL, 'q')",
        "ask('c', NULL)",
        "stps_ask_ai_address(NULL)",
        "stps_ask_ai_gender(NULL)",
    ],
)
def test_08_null_in_is_null_out_without_a_call(
    connection: Connection, servers: FakeServers, where: str, call: str
) -> None:
    assert value(at(connection, where), f"SELECT {call}") is None
    assert servers.messages == 0


@EVERYWHERE
def test_08_two_three_and_four_arguments_by_place(
    connection: Connection, servers: FakeServers, where: str
) -> None:
    one = at(connection, where)
    rows(one, "SELECT stps_ask_ai('c', 'q1')")
    rows(one, "SELECT stps_ask_ai('c', 'q2', 'claude-haiku-4-5')")
    rows(one, "SELECT stps_ask_ai('c', 'q3', 'claude-haiku-4-5', 77)")

    asked = [(body["model"], body["max_tokens"]) for body in servers.bodies]
    assert asked == [
        ("claude-sonnet-5-5", 1000),
        ("claude-haiku-4-5", 1000),
        ("claude-haiku-4-5", 77),
    ]


@EVERYWHERE
def test_08_model_and_max_tokens_count_for_each_row(
    connection: Connection, servers: FakeServers, where: str
) -> None:
    values = "(VALUES ('claude-haiku-4-5', 10), ('claude-opus-5', 20), (NULL, NULL)) AS t(m, n)"
    rows(at(connection, where), f"SELECT stps_ask_ai('c', 'q', m, n) FROM {values}")

    asked = {(body["model"], body["max_tokens"]) for body in servers.bodies}
    assert asked == {("claude-haiku-4-5", 10), ("claude-opus-5", 20), ("claude-sonnet-5-5", 1000)}


@EVERYWHERE
@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ("42", "42"),
        ("1.5::DOUBLE", "1.5"),
        ("true", "true"),
        ("DATE '2026-01-02'", "2026-01-02"),
        ("2.50", "2.50"),
    ],
)
def test_08_context_that_is_no_text_is_accepted(
    connection: Connection, where: str, literal: str, text: str
) -> None:
    found = value(at(connection, where), f"SELECT stps_ask_ai({literal}, 'q')")

    assert found == f"Answer to: Context: {text}\n\nQuestion: q"


def test_08_prepared_statement_asks_when_it_is_executed(
    connection: Connection, servers: FakeServers
) -> None:
    rows(connection, "PREPARE p AS SELECT stps_ask_ai(?, 'q')")
    assert servers.messages == 0
    assert value(connection, "EXECUTE p('x')") == "Answer to: Context: x\n\nQuestion: q"
    assert (
        value(connection, "SELECT ask(?, 'q').answer", "x")
        == "Answer to: Context: x\n\nQuestion: q"
    )


@EVERYWHERE
@pytest.mark.parametrize(
    "call",
    [
        "ask('c', 'q', modle := 'claude-haiku-4-5')",
        "ask('c', 'q', {modle: 'claude-haiku-4-5'})",
        "stps_ask_ai('c', 'q', max_tokns := 50)",
        "web_search('c', m := 3)",
        "web_search('c', {m: 3})",
        "stps_ask_ai('c')",
        "stps_ask_ai('c', 'q', 'm', 1, 2)",
    ],
)
def test_09_misspelt_argument_is_an_error_on_the_connection_and_on_a_cursor(
    connection: Connection, servers: FakeServers, where: str, call: str
) -> None:
    with pytest.raises((duckdb.BinderException, duckdb.InvalidInputException)):
        rows(at(connection, where), f"SELECT {call}")
    assert servers.messages == servers.searches == 0


def test_09_options_come_by_name_or_everywhere_as_a_struct(
    connection: Connection, servers: FakeServers
) -> None:
    packed = "SELECT ask('c', 'q', {model: 'claude-haiku-4-5', max_tokens: 9}).answer"
    assert rows(connection.cursor(), packed) == rows(connection, packed)
    rows(connection, "SELECT ask('c', 'q2', model := 'claude-haiku-4-5', max_tokens := 9)")

    assert [(body["model"], body["max_tokens"]) for body in servers.bodies] == [
        ("claude-haiku-4-5", 9)
    ] * 2


@EVERYWHERE
def test_10_question_that_searches_is_two_messages_and_one_search(
    connection: Connection, servers: FakeServers, where: str
) -> None:
    found = value(at(connection, where), "SELECT ask('Bitcoin', 'price? [search]')")

    assert (servers.messages, servers.searches) == (2, 1)
    assert found["searched"] is True
    assert found["sources"][0] == {"title": "Bitcoin (1)", "url": "https://site1.example/"}
    assert len(found["sources"]) == 5
    assert found["usage"]["calls"] == 2
    assert found["error"] is None
    assert "Finding 1 on Bitcoin" in json.dumps(servers.bodies[1]["messages"][-1])


def failing(body: dict[str, Any]) -> Any:
    """The model takes offence at one row, for good."""
    return (
        error_reply(400, "bad row") if "Context: 77\n" in body["messages"][0]["content"] else None
    )


@EVERYWHERE
def test_11_ask_has_an_error_column(
    connection: Connection, servers: FakeServers, where: str
) -> None:
    servers.rule = failing

    found = rows(at(connection, where), "SELECT ask(range, 'q') FROM range(76, 79)")

    answers = [one["answer"] for (one,) in found]
    errors = [one["error"] for (one,) in found]
    assert [answer is None for answer in answers] == [False, True, False]
    assert [error is None for error in errors] == [True, False, True]
    assert set(errors[1]) == {"code", "message", "retryable"}


@EVERYWHERE
def test_11_on_error_text_and_fail(
    connection: Connection, servers: FakeServers, where: str
) -> None:
    servers.rule = failing
    one = at(connection, where)
    way = "on_error := '{}'" if where == "connection" else "{{on_error: '{}'}}"

    text = rows(one, f"SELECT ask(range, 'q', {way.format('text')}).answer FROM range(76, 79)")
    assert text[1][0].startswith("ERROR: ")
    with pytest.raises(
        duckdb.InvalidInputException, match=r"Row 2 of 3 failed: .*2 answers are stored"
    ):
        rows(one, f"SELECT ask(range, 'q', {way.format('fail')}) FROM range(76, 79)")
    with pytest.raises(duckdb.InvalidInputException, match="on_error takes"):
        rows(one, f"SELECT ask(1, 'q', {way.format('ignore')})")


def test_11_on_error_can_be_set_for_all(connection: Connection, servers: FakeServers) -> None:
    servers.rule = failing
    rows(connection, "SELECT webquarry_set('on_error', 'column')")

    assert value(connection, "SELECT stps_ask_ai(77, 'q')") is None


TYPED = (
    '{"ceo": "VARCHAR", "founded": "INTEGER", "offices": "VARCHAR[]", '
    '"parent": {"name": "VARCHAR"}}'
)


def test_schema_makes_a_struct_on_the_connection_and_json_on_a_cursor(
    connection: Connection, servers: FakeServers
) -> None:
    typed = {"ceo": "Ann", "founded": 1999, "offices": ["Rome"], "parent": {"name": "Umbrella"}}
    servers.answer = lambda question, model: json.dumps(typed)

    assert value(connection, f"SELECT ask('Acme', 'q', schema := '{TYPED}').answer") == typed
    assert (
        value(connection, f"SELECT ask('Acme', 'q', schema := '{TYPED}').answer.founded + 1")
        == 2000
    )
    on_cursor = value(connection.cursor(), f"SELECT ask('Acme', 'q', {{schema: '{TYPED}'}}).answer")
    assert json.loads(on_cursor) == typed
    assert servers.messages == 1


def test_schema_that_cannot_be_used_is_an_error_before_anything_is_paid(
    connection: Connection, servers: FakeServers
) -> None:
    with pytest.raises(duckdb.InvalidInputException, match="schema"):
        rows(connection.cursor(), "SELECT ask('Acme', 'q', {schema: 'ceo'})")
    assert servers.messages == 0


@pytest.mark.parametrize("blank", ["", "  "])
def test_blank_question_is_refused_without_a_call(
    connection: Connection, servers: FakeServers, blank: str
) -> None:
    said = value(connection, f"SELECT stps_ask_ai('context', '{blank}')")

    assert said == "ERROR: The question is blank. Say what to ask."
    assert servers.messages == 0


@pytest.mark.parametrize("function", ["stps_set_api_key", "stps_set_brave_api_key"])
def test_blank_key_is_an_error(connection: Connection, function: str) -> None:
    with pytest.raises(duckdb.InvalidInputException, match="blank, and nothing was changed"):
        rows(connection, f"SELECT {function}('')")


def test_13_keys_appear_in_no_error_log_ledger_or_file(
    servers: FakeServers, environ: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "sk-ant-wrong-key-0000000000"
    caplog.set_level(logging.DEBUG)
    connection = duckdb.connect(str(tmp_path / "data.db"))
    session = webquarry.sql.install(connection, environ=environ)
    said = [
        *rows(connection, f"SELECT stps_set_api_key('{wrong}'), stps_set_brave_api_key('{wrong}')"),
        *rows(connection, "SELECT stps_ask_ai('a', 'b [search]')"),
        *rows(
            connection,
            f"SELECT stps_set_api_key('{MODEL_KEY}'), stps_set_brave_api_key('{SEARCH_KEY}')",
        ),
        *rows(connection, "SELECT ask('a', 'b [search]')"),
        *rows(connection, "FROM webquarry_usage()"),
    ]
    assert said[1][0].startswith("ERROR: ")
    connection.close()
    shown = f"{said} {caplog.text} {session!r} {vars(session)}"
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 2
    for key in (wrong, MODEL_KEY, SEARCH_KEY):
        assert key not in shown
        assert not any(key.encode() in content for content in files)


def test_without_duckdb_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="'sql'"):
        webquarry.sql.open()


def test_genders_are_male_female_or_unknown(session: Session, servers: FakeServers) -> None:
    servers.answer = lambda question, model: (
        "Female." if "Anna" in question else "MALE" if "Otto" in question else "?"
    )

    found = session.sql(
        "SELECT stps_ask_ai_gender(n) FROM (VALUES ('Anna Smith'), ('Otto'), ('Xq'), (' ')) AS t(n)"
    ).rows

    assert found == [("female",), ("male",), ("unknown",), (None,)]
    assert servers.searches == 0
