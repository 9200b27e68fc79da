"""Tools as SQL functions: made from their signatures, as scalars and as tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

import webquarry.sql
from tests.model_servers import FakeServers
from tests.sql.conftest import Connection, rows, value
from webquarry.api import find_tool
from webquarry.sql import Session
from webquarry.sql.tool_functions import OFFERED, get_parameters
from webquarry.sql.types import (
    fit_value,
)

PAPERS = "tidal energy storage"


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


def test_search_is_a_table_with_a_row_for_each_result(
    connection: Connection, servers: FakeServers
) -> None:
    found = rows(connection, "SELECT title, url, snippet, error FROM web_search('otters', n := 3)")

    assert found[0] == ("otters (1)", "https://site1.example/", "Finding 1 on otters.", None)
    assert len(found) == 3


def test_search_joins_laterally_and_asks_once_for_each_query(
    connection: Connection, servers: FakeServers
) -> None:
    topics = "(VALUES ('otters'), ('herons'), ('otters'), (NULL)) AS t(q)"
    found = rows(connection, f"SELECT t.q, w.title FROM {topics}, web_search(t.q, n := 2) AS w")

    assert sorted(found) == sorted(
        [("otters", "otters (1)"), ("otters", "otters (2)")] * 2
        + [("herons", "herons (1)"), ("herons", "herons (2)")]
    )
    assert servers.searches == 2


def test_scalar_search_is_the_whole_answer(connection: Connection) -> None:
    assert value(connection, "SELECT web_search('otters', n := 2).result_count") == 2
    assert (
        value(connection, "SELECT web_search('otters', {n: 2}).results[2].url")
        == "https://site2.example/"
    )
    assert value(connection, "SELECT web_search(NULL)") is None


@pytest.mark.parametrize(
    "call", ["web_fetch('http://127.0.0.1/')", "scrape_page('http://127.0.0.1/')"]
)
def test_page_that_cannot_be_read_is_an_error_field_in_a_scalar_and_an_error_in_a_table(
    connection: Connection, call: str
) -> None:
    for one in (connection, connection.cursor()):
        error = value(one, f"SELECT {call}.error")
        assert error["code"] == "blocked"
    with pytest.raises(duckdb.InvalidInputException, match=r"private|loopback|not public|127"):
        rows(connection, f"FROM {call}")
    shown = rows(connection, f"SELECT error.code, content FROM {call[:-1]}, on_error := 'column')")
    assert shown == [("blocked", None)]


def test_page_is_read_once_in_a_statement(session: Session, servers: FakeServers) -> None:
    twice = (
        "SELECT web_search('a').result_count, web_search('a').query, web_search(x) "
        "FROM (VALUES ('a'), ('a')) AS t(x)"
    )
    session.sql(twice)

    assert servers.searches == 1


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Session]:
    """A session on the recorded web."""
    environ = {"WEBQUARRY_REPLAY": "demo", "BRAVE_API_KEY": "demo", "HOME": str(tmp_path)}
    with webquarry.sql.open(environ=environ) as session:
        yield session


def test_papers_are_a_table_with_a_row_for_each(recorded: Session) -> None:
    found = recorded.sql(
        f"SELECT title, authors[1], year, doi, error FROM academic_search('{PAPERS}', n := 2)"
    )
    whole = recorded.sql(f"SELECT academic_search('{PAPERS}', n := 2).papers[1].title")

    assert len(found.rows) == 2
    assert found.types == ("VARCHAR", "VARCHAR", "BIGINT", "VARCHAR", found.types[4])
    assert found.rows[0][0] == whole.rows[0][0]
    assert found.rows[0][4] is None


def test_patents_are_a_table_and_no_query_is_no_rows(recorded: Session) -> None:
    query = "tidal turbine folding blades"
    found = recorded.sql(f"SELECT title, number, url, error FROM patent_search('{query}', n := 2)")
    one = recorded.sql("SELECT number FROM patent_search('US 10,999,999 B2')")
    none = "SELECT p.number FROM (VALUES (NULL::VARCHAR)) AS t(q), patent_search(t.q) AS p"

    assert found.rows
    assert all(row[1] and row[3] is None for row in found.rows)
    assert one.rows == [("US10999999B2",)]
    assert recorded.sql("SELECT patent_search(NULL)").rows == [(None,)]
    assert recorded.sql(none).rows == []
    refused = recorded.sql("SELECT patent_search('', {year_from: 2020}).error.message")
    assert "query, an assignee or an inventor" in refused.rows[0][0]


def test_search_can_be_read_at_once(recorded: Session) -> None:
    query = "search_and_scrape('tidal energy storage', n := 2)"
    found = recorded.sql(f"SELECT url, title, published_at, length(content) > 100 FROM {query}")
    short = recorded.sql(f"SELECT content FROM {query[:-1]}, include_sources := false)")
    whole = recorded.sql(f"SELECT {query}.sources[1].url, length({query}.combined_content) > 100")

    assert [row[3] for row in found.rows] == [True, True]
    assert short.rows == [(None,), (None,)]
    assert whole.rows == [(found.rows[0][0], True)]


def test_title_of_a_page_is_a_column(recorded: Session) -> None:
    url = "https://tidelines.example/2026/09/storing-the-tide"
    (row,) = recorded.sql(f"SELECT title, citation.metadata.title FROM scrape_page('{url}')").rows

    assert row[0] == row[1]
    assert row[0].startswith("Storing the tide")
    scalar = recorded.sql(f"SELECT scrape_page('{url}').title")
    assert scalar.rows == [(row[0],)]


def test_when_something_was_published_is_a_timestamp(recorded: Session) -> None:
    found = recorded.sql(
        "SELECT published_at FROM web_search('tidal energy storage') "
        "WHERE published_at >= TIMESTAMP '2026-09-01' ORDER BY published_at DESC"
    )

    assert found.types == ("TIMESTAMP",)
    assert found.rows[0] == (datetime(2026, 10, 28, 20, 41),)
    assert len(found.rows) >= 2


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-09-14", datetime(2026, 9, 14)),
        ("2026-09-14T06:00:00Z", datetime(2026, 9, 14, 6)),
        ("2026-09-14T06:00:00.123456+02:00", datetime(2026, 9, 14, 4, 0, 0, 123456)),
        ("Mon, 14 Sep 2026 06:00:00 GMT", datetime(2026, 9, 14, 6)),
        ("2026-09", None),
        ("two days ago", None),
        ("9999-12-31T23:59:59-12:00", None),
        (17, None),
    ],
)
def test_moment_is_read_in_utc_and_never_guessed(written: object, moment: object) -> None:
    assert fit_value({"published_at": written}, {"published_at": "TIMESTAMP"}) == {
        "published_at": moment
    }
