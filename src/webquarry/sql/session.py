"""A session: one connection with our functions, whose statements have an exact start and end.

    with SqlSession.open("data.db") as session:
        result = session.sql("SELECT ask(company, 'What industry?') FROM companies LIMIT 5")
        result.rows, result.progress.usage.usd, result.warnings

Errors of ours are raised unwrapped. Ctrl-C is `KeyboardInterrupt`, a timeout and `cancel()` are
`Cancelled`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from webquarry.ask.models import Progress
from webquarry.displayable import Displayable
from webquarry.errors import BadInput, Cancelled, LimitReached
from webquarry.progress import INTERRUPTED, build_interrupt
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.sql.install import install
from webquarry.sql.lint import PlanWarning, find_warnings
from webquarry.sql.setters import Bill, list_usage
from webquarry.sql.statements import Scope
from webquarry.sql.types import build_frame, build_table, load_library

log = logging.getLogger(__name__)
# Asks a person whether a statement with this warning should run.
Confirm = Callable[[PlanWarning], bool]


@dataclass(frozen=True)
class SqlResult(Displayable):
    """All rows of one statement, and its cost."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    progress: Progress
    warnings: tuple[PlanWarning, ...] = ()

    def arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`; nothing is asked again."""
        return build_table(self.columns, self.types, self.rows)

    def df(self) -> Any:
        """Return the rows as a `pandas.DataFrame`; nothing is asked again."""
        return build_frame(self.arrow())


class SqlSession(Displayable):
    """A connection with our functions. `cancel` is thread-safe, the rest is for one thread at a
    time.
    """

    def __init__(self, connection: Any, *, owned: bool = False, **options: Any) -> None:
        self.connection = connection
        self._owned = owned
        self._instance = install(connection, **options)
        found = connection.execute("SELECT current_connection_id()").fetchall()
        self._number = found[0][0]
        self._scope: Scope | None = None

    @classmethod
    def open(
        cls,
        database: str | Path = ":memory:",
        *,
        read_only: bool = False,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> SqlSession:
        """Open a session on a database, which is closed with it."""
        duckdb = load_library("duckdb")
        try:
            connection = duckdb.connect(str(database), read_only=read_only)
        except duckdb.Error as error:
            raise BadInput(f"The database {database} cannot be opened: {error}.") from error
        try:
            # DuckDB's bar goes to stdout. In Jupyter it is off, and setting it needs ipywidgets.
            query = "SELECT current_setting('enable_progress_bar')"
            if connection.execute(query).fetchall()[0][0]:
                connection.execute("SET enable_progress_bar = false").fetchall()
            return cls(connection, owned=True, settings=settings, environ=environ)
        except BaseException:
            connection.close()
            raise

    def sql(
        self,
        statement: str,
        parameters: Sequence[Any] | None = None,
        *,
        timeout: float | None = None,
        lint: bool = True,
        confirm: Confirm | None = None,
    ) -> SqlResult:
        """Run one statement to its end. `timeout` in seconds cancels it; `lint` checks the plan
        first, and refuses a statement that pays for more rows than it may discard
        (`max_discarded_rows`), unless `confirm` returns true.
        """
        warnings = find_warnings(self.connection, statement, parameters) if lint else []
        for warning in warnings:
            log.warning("%s", warning)
        if warnings:
            self._check_discarded(max(warnings, key=lambda one: one.discarded), confirm)
        rows: list[tuple[Any, ...]] = []
        with (
            self._instance.statements.pin(self._number, statement) as scope,
            self._cancel_after(timeout),
            self._unwrap_errors(scope),
        ):
            self._scope = scope
            try:
                cursor = self.connection.execute(statement, parameters)
                description = cursor.description or []
                if description:
                    rows = cursor.fetchall()
            finally:
                self._scope = None
                prefix = "" if scope.error is None and not scope.cancelled else "stopped: "
                self._instance.progress_line.end(scope.progress(), prefix)
        columns = tuple(str(column[0]) for column in description)
        types = tuple(str(column[1]) for column in description)
        return SqlResult(columns, types, rows, scope.progress(), tuple(warnings))

    def cancel(self) -> None:
        """Stop the running statement: no further paid call; finished answers are stored."""
        scope = self._scope
        if scope is not None:
            scope.cancel()
            self.connection.interrupt()

    def usage(self, *, days: int = 1) -> Bill:
        """Return the bill of the last days, a dict for each statement and model."""
        return list_usage(self._instance, days)

    def describe(self) -> dict[str, str]:
        """Return the database, the model, the search provider and the limits."""
        names = "SELECT database_name, coalesce(path, 'in memory') FROM duckdb_databases()"
        with self.connection.cursor() as cursor:  # a result that is being read stays
            found = cursor.execute(f"{names} WHERE NOT internal").fetchall()
        options = self._instance.engine.options
        described = {"database": "; ".join(f"{name} ({path})" for name, path in found)}
        for name in ("model", "search_provider", "max_rows", "max_usd", "max_usd_per_day"):
            described[name] = options.get(name)
        return described

    def show_progress(self, wanted: bool | None) -> None:
        """Show progress always (True), never (False), or on a terminal only (None)."""
        self._instance.progress_line.wanted = wanted

    def close(self) -> None:
        """Close the connection, unless it was passed in."""
        if self._owned:
            self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _check_discarded(self, worst: PlanWarning, confirm: Confirm | None) -> None:
        """Raise LimitReached for a statement that pays for too many rows that it discards."""
        options = self._instance.engine.options
        most = options.max_discarded_rows
        if most is None or worst.discarded <= most or options.dry_run:
            return
        if confirm is not None and confirm(worst):
            return
        raise LimitReached(
            "The statement was not run, and nothing was spent: it would ask about "
            f"{worst.discarded:,} rows (an estimate) and discard them, and the limit "
            f"(max_discarded_rows) is {most:,}. {worst.message}",
            suggested_action=f"{worst.instead} Or allow it: SELECT "
            "webquarry_set('max_discarded_rows', 'none').",
        )

    @contextmanager
    def _cancel_after(self, seconds: float | None) -> Iterator[None]:
        """Cancel the block after a timeout; None never cancels."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self.cancel)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    @contextmanager
    def _unwrap_errors(self, scope: Scope) -> Iterator[None]:
        """Raise the errors that DuckDB wraps, and one kind of error for a Ctrl-C."""
        duckdb = load_library("duckdb")
        try:
            yield
        except (duckdb.Error, RuntimeError) as error:
            is_interrupt = isinstance(error, duckdb.InterruptException)
            if not isinstance(error, duckdb.Error):
                is_interrupt = "interrupted" in str(error).lower()
                if not is_interrupt:
                    raise
            if scope.interrupted and (is_interrupt or scope.cancelled):
                raise build_interrupt(INTERRUPTED) from None
            if is_interrupt or scope.cancelled:
                if isinstance(scope.error, Cancelled):
                    raise scope.error from None
                raise Cancelled("The statement was cancelled.") from None
            if scope.error is not None:
                raise scope.error from None
            raise type(error)(redact(str(error))) from None
