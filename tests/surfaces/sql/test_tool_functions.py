"""Tools as SQL functions: made from their signatures, as scalars and as tables."""

from __future__ import annotations

import duckdb
import pytest

from tests.surfaces.sql.conftest import Connection, rows, value
from webquarry.sql import Session
from webquarry.surfaces.library import find_tool
from webquarry.surfaces.sql.functions.tool_functions import OFFERED, get_parameters
from webquarry.surfaces.sql.functions.types import (
    build_arrow_type,
    build_json_structure,
    build_sql_type,
    fit_value,
    infer_type,
)
from webquarry.testing.model_and_search import FakeServers


@pytest.mark.parametrize("name", OFFERED)
def test_every_parameter_of_a_tool_is_one_of_its_function(
    connection: Connection, name: str
) -> None:
    wanted = {one.name for one in get_parameters(find_tool(name))}
    listed = rows(
        connection,
        "SELECT parameters FROM duckdb_functions() WHERE database_name = 'temp' AND "
        "function_name = ?",
        name,
    )

    assert len(listed) == 2  # a scalar and a table
    for (parameters,) in listed:
        assert wanted <= set(parameters)
    assert len(wanted) == len(find_tool(name).parameters["properties"])


def test_a_search_is_a_table_with_a_row_for_each_result(
    connection: Connection, servers: FakeServers
) -> None:
    found = rows(connection, "SELECT title, url, snippet, error FROM web_search('otters', n := 3)")

    assert found[0] == ("otters (1)", "https://site1.example/", "Finding 1 on otters.", None)
    assert len(found) == 3


def test_a_search_joins_laterally_and_asks_once_for_each_query(
    connection: Connection, servers: FakeServers
) -> None:
    topics = "(VALUES ('otters'), ('herons'), ('otters'), (NULL)) AS t(q)"
    found = rows(connection, f"SELECT t.q, w.title FROM {topics}, web_search(t.q, n := 2) AS w")

    assert sorted(found) == sorted(
        [("otters", "otters (1)"), ("otters", "otters (2)")] * 2
        + [("herons", "herons (1)"), ("herons", "herons (2)")]
    )
    assert servers.searches == 2


def test_a_scalar_search_is_the_whole_answer(connection: Connection) -> None:
    assert value(connection, "SELECT web_search('otters', n := 2).result_count") == 2
    assert (
        value(connection, "SELECT web_search('otters', {n: 2}).results[2].url")
        == "https://site2.example/"
    )
    assert value(connection, "SELECT web_search(NULL)") is None


@pytest.mark.parametrize(
    "call", ["web_fetch('http://127.0.0.1/')", "scrape_page('http://127.0.0.1/')"]
)
def test_a_page_that_cannot_be_read_is_an_error_field_in_a_scalar_and_an_error_in_a_table(
    connection: Connection, call: str
) -> None:
    for one in (connection, connection.cursor()):
        error = value(one, f"SELECT {call}.error")
        assert error["code"] == "blocked"
    with pytest.raises(duckdb.InvalidInputException, match=r"private|loopback|not public|127"):
        rows(connection, f"FROM {call}")
    shown = rows(connection, f"SELECT error.code, content FROM {call[:-1]}, on_error := 'column')")
    assert shown == [("blocked", None)]


@pytest.mark.parametrize(
    "options", ["question := 'who?', max_tokens := 500", "{question: 'who?', max_tokens: 500}"]
)
def test_a_question_with_a_budget_can_be_asked_of_a_page(
    connection: Connection, options: str
) -> None:
    call = f"SELECT scrape_page('http://127.0.0.1/', {options})"

    assert value(connection, f"{call}.error.code") == "blocked"
    assert value(connection, f"{call}.passages[1].cursor") is None


def test_a_bad_argument_is_told_as_the_tool_tells_it(connection: Connection) -> None:
    assert "'num_results'" in value(
        connection, "SELECT web_search('otters', n := 99).error.message"
    )


def test_a_page_is_read_once_in_a_statement(session: Session, servers: FakeServers) -> None:
    twice = (
        "SELECT web_search('a').result_count, web_search('a').query, web_search(x) "
        "FROM (VALUES ('a'), ('a')) AS t(x)"
    )
    session.sql(twice)

    assert servers.searches == 1


def test_a_type_is_one_thing_in_three_languages() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
            "d": {"type": "object", "additionalProperties": True},
        },
        "$defs": {"Part": {"type": "object", "properties": {"x": {"type": "number"}}}},
    }
    value_type = infer_type(schema)

    assert value_type == {"a": "VARCHAR", "b": "BIGINT", "c": [{"x": "DOUBLE"}], "d": "VARCHAR"}
    assert (
        build_sql_type(value_type)
        == 'STRUCT("a" VARCHAR, "b" BIGINT, "c" STRUCT("x" DOUBLE)[], "d" VARCHAR)'
    )
    assert (
        build_json_structure(value_type)
        == '{"a": "VARCHAR", "b": "BIGINT", "c": [{"x": "DOUBLE"}], "d": "VARCHAR"}'
    )
    assert (
        str(build_arrow_type(value_type))
        == "struct<a: string, b: int64, c: list<item: struct<x: double>>, d: string>"
    )
    assert fit_value({"a": "t", "c": [{"x": 1.0, "y": 2}], "d": {"k": 1}}, value_type) == {
        "a": "t",
        "b": None,
        "c": [{"x": 1.0}],
        "d": '{"k": 1}',
    }
