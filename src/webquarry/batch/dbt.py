"""A plugin of dbt-duckdb: our SQL functions in every model, and the bill in the log of the run.

    # profiles.yml
    plugins:
      - module: webquarry.batch.dbt

A dbt model that asks and is a view is rejected: the run would ask nothing, and every reader of the
view would pay, on each read.
"""

from __future__ import annotations

import logging
import re
from typing import Any

from dbt.adapters.duckdb.environments import local
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

from webquarry.sql.asking import paid_names
from webquarry.sql.install import install
from webquarry.sql.instance import Instance

log = logging.getLogger(__name__)
_CALLED = re.compile(r"(\w+)\s*\(")
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)
_VIEW = re.compile(r"(?i)\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?view\s+(\S+)")


class Plugin(BasePlugin):  # type: ignore[misc]
    """The plugin, opened by dbt-duckdb for each run."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Watch the statements: dbt-duckdb passes only connections to a plugin."""
        self.instance: Instance | None = None
        if not hasattr(local, "DuckDBCursorWrapper"):
            log.warning("this release of dbt-duckdb shows no statements: views are not rejected")
            return
        plain = local.DuckDBCursorWrapper
        wrapped = getattr(plain, "plain", plain)  # wrapped by an earlier run of this process
        local.DuckDBCursorWrapper = build_cursor_class(wrapped, self)

    def configure_connection(self, conn: Any) -> None:
        """Install the functions, for every cursor of the database."""
        self.instance = install(conn)

    def check(self, statement: str) -> bool:
        """Whether the statement asks a model. Raises DbtRuntimeError if it creates a view."""
        text = _COMMENT.sub(" ", statement)
        called = {name.lower() for name in _CALLED.findall(text)}
        if not called & paid_names():
            return False
        view = _VIEW.search(text)
        if view is not None:
            raise DbtRuntimeError(
                f"{view[1]} asks a model and is a view: the run would ask nothing, and every "
                "reader of it would pay. Materialize it: {{ config(materialized='table') }}, or "
                "'incremental'."
            )
        return True

    def report(self) -> None:
        """Log the cost of the run so far."""
        if self.instance is None:
            return
        spent = self.instance.engine.progress()
        usage = spent.usage
        AdapterLogger("webquarry").info(
            f"webquarry: {spent.rows:,} rows asked in this run so far, {usage.calls:,} calls, "
            f"{spent.hits:,} answers stored or shared, {spent.failed:,} failed, ${usage.usd:.4f}"
        )


def build_cursor_class(plain: Any, plugin: Plugin) -> Any:
    """Return the cursor class of dbt-duckdb, extended by a check of each statement."""

    class WatchedCursor(plain):  # type: ignore[misc]
        def execute(self, sql: str, bindings: Any = None) -> Any:
            asks = plugin.check(sql)
            try:
                return super().execute(sql, bindings)
            finally:
                if asks:
                    plugin.report()

    WatchedCursor.plain = plain
    return WatchedCursor
