"""Fake servers for the model and the search engine, a home of its own, and a database that has our
functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import webquarry.sql
from tests.model_servers import FakeServers
from webquarry.sql import Session

Connection = Any  # DuckDB's stubs know less than the module


@pytest.fixture
def servers() -> Iterator[FakeServers]:
    with FakeServers() as servers:
        yield servers


@pytest.fixture
def environ(servers: FakeServers, tmp_path: Path) -> dict[str, str]:
    return servers.environ | {"HOME": str(tmp_path)}


@pytest.fixture
def session(environ: dict[str, str]) -> Iterator[Session]:
    with webquarry.sql.open(environ=environ) as session:
        yield session


@pytest.fixture
def connection(environ: dict[str, str]) -> Iterator[Connection]:
    """A plain connection, as a user has it."""
    connection = duckdb.connect()
    webquarry.sql.install(connection, environ=environ)
    yield connection
    connection.close()


def rows(connection: Connection, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = connection.execute(
        statement, list(parameters) or None
    ).fetchall()
    return found


def value(connection: Connection, statement: str, *parameters: Any) -> Any:
    return rows(connection, statement, *parameters)[0][0]
