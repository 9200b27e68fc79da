"""SQL functions for DuckDB: search, read and ask from a query.

    import duckdb, webquarry.sql
    con = duckdb.connect()
    webquarry.sql.install(con)
    con.sql("SELECT * FROM web_search('duckdb extensions', n := 5)")

`install` works on any connection; `open` gives a session of its own with progress, warnings and an
exact bill for each statement. docs/sql.md is the guide.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webquarry.settings import Settings
from webquarry.sql.session import SqlResult as Result
from webquarry.sql.session import SqlSession as Session
from webquarry.sql.types import require_libraries

__all__ = ["Result", "Session", "install", "open"]


def install(
    connection: Any,
    *,
    api_key: str | None = None,
    brave_api_key: str | None = None,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
) -> Session:
    """Add our functions to a DuckDB connection and its database; return a session on it.

    Keys that are given here take precedence over those of the environment. Repeated calls change
    nothing else.
    """
    require_libraries()
    return Session(
        connection, api_key=api_key, brave_api_key=brave_api_key, settings=settings, environ=environ
    )


def open(
    database: str | Path = ":memory:",
    *,
    read_only: bool = False,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
) -> Session:
    """Open a session on a database file, or in memory; close it, or use it as a context manager."""
    require_libraries()
    return Session.open(database, read_only=read_only, settings=settings, environ=environ)
