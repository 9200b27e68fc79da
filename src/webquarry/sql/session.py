"""A session: one connection with our functions, whose statements have an exact beginning and end.

    with SqlSession.open("data.db") as session:
        result = session.sql("SELECT ask(company, 'What industry?') FROM companies LIMIT 5")
        result.rows, result.progress.usage.usd, result.warnings

Errors come back as they were raised, Ctrl-C as `KeyboardInterrupt`, a timeout and `cancel()` as
`Cancelled`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from webquarry.ask.models import Progress
from webquarry.displayable import Displayable
from webquarry.errors import BadInput, Cancelled, LimitReached
from webquarry.progress import INTERRUPTED, build_interrupt
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.sql.frames import build_frame, build_table
from webquarry.sql.functions.setters import Bill, list_usage
from webquarry.sql.install import install
from webquarry.sql.libraries import load_library
from webquarry.sql.lint import PlanWarning, find_warnings
from webquarry.sql.statements import Scope

log = logging.getLogger(__name__)
# Asks a person whether a statement with this warning is to be run.
Confirm = Callable[[PlanWarning], bool]


@dataclass(frozen=True)
class SqlResult(Displayable):
    """All rows of one statement, and what it took."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    progress: Progress
    warnings: tuple[PlanWarning, ...] = ()

    def arrow(self) -> Any:
        """The rows as a `pyarrow.Table`; nothing is asked again."""
        return build_table(self.columns, self.types, self.rows)

    def df(self) -> Any:
        """The rows as a `pandas.DataFrame`; nothing is asked again."""
        return build_frame(self.arrow())


class SqlSession(Displayable):
    """A connection with our functions. `cancel` may be called from any thread, the rest from one at
    a time.
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
        """A session on a database of its own, closed with it."""
        duckdb = load_library("duckdb")
        try:
            connection = duckdb.connect(str(database), read_only=read_only)
        except duckdb.Error as error:
            raise BadInput(f"The database {database} cannot be opened: {error}.") from error
        try:
            _turn_off_progress_bar(connection)
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
        """Run one statement to its end. `timeout` in seconds cancels it; `lint` looks at the plan
        first, and refuses what would pay for more rows than may be thrown away
        (`max_discarded_rows`), unless `confirm` says that it is wanted.
        """
        warnings: list[PlanWarning] = []
        if lint:
            warnings = find_warnings(self.connection, statement, parameters)
        for warning in warnings:
            log.warning("%s", warning)
        self._check_discarded(warnings, confirm)
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
                said = "" if scope.error is None and not scope.cancelled else "stopped: "
                self._instance.progress_line.end(scope.progress(), said)
        columns = tuple(str(column[0]) for column in description)
        types = tuple(str(column[1]) for column in description)
        return SqlResult(columns, types, rows, scope.progress(), tuple(warnings))

    def cancel(self) -> None:
        """Stop the statement that runs: no further paid call; what was paid for is kept."""
        scope = self._scope
        if scope is not None:
            scope.cancel()
            self.connection.interrupt()

    def usage(self, *, days: int = 1) -> Bill:
        """The bill of the last days, a dict for each statement and model."""
        return list_usage(self._instance, days)

    def describe(self) -> dict[str, str]:
        """What it works on and with: the database, the model, the search and the limits."""
        names = "SELECT database_name, coalesce(path, 'in memory') FROM duckdb_databases()"
        with self.connection.cursor() as cursor:  # what the connection is in the middle of stays
            found = cursor.execute(f"{names} WHERE NOT internal").fetchall()
        options = self._instance.engine.options
        told = {"database": "; ".join(f"{name} ({path})" for name, path in found)}
        for name in ("model", "search_provider", "max_rows", "max_usd", "max_usd_per_day"):
            told[name] = options.get(name)
        return told

    def show_progress(self, wanted: bool | None) -> None:
        """Always (True), never (False), or on a terminal only (None)."""
        self._instance.progress_line.wanted = wanted

    def close(self) -> None:
        """Close the connection if it is ours; a connection that was given stays open."""
        if self._owned:
            self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_discarded(self, warnings: Sequence[PlanWarning], confirm: Confirm | None) -> None:
        """Refuse what would ask about too many rows only to throw them away."""
        if not warnings:
            return
        options = self._instance.engine.options
        most = options.max_discarded_rows
        worst = max(warnings, key=lambda one: one.discarded)
        if most is None or worst.discarded <= most or options.dry_run:
            return
        if confirm is not None and confirm(worst):
            return
        raise LimitReached(
            "The statement was not run, and nothing was spent: it would ask about "
            f"{worst.discarded:,} rows (an estimate) only to throw them away, and the limit "
            f"(max_discarded_rows) is {most:,}. {worst.message}",
            suggested_action=f"{worst.instead} Or allow it: SELECT "
            "webquarry_set('max_discarded_rows', 'none').",
        )

    @contextmanager
    def _cancel_after(self, seconds: float | None) -> Iterator[None]:
        """For the time of the block; None never cancels."""
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
        """DuckDB wraps what our functions raise, and tells of a Ctrl-C in several ways: here it is
        what it was.
        """
        duckdb = load_library("duckdb")
        try:
            yield
        except (duckdb.InterruptException, RuntimeError) as error:
            if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error).lower():
                raise _build_cancellation(scope) from None
            raise
        except duckdb.Error as error:
            if scope.cancelled:
                raise _build_cancellation(scope) from None
            if scope.error is not None:
                raise scope.error from None
            raise type(error)(redact(str(error))) from None


def _turn_off_progress_bar(connection: Any) -> None:
    """DuckDB's own bar goes to stdout. It is asked first whether it is on: in Jupyter it is not,
    and there already setting it to false is an error unless ipywidgets is installed.
    """
    found = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if found[0][0]:
        connection.execute("SET enable_progress_bar = false").fetchall()


def _build_cancellation(scope: Scope) -> BaseException:
    """How a statement that was cancelled ends: by a Ctrl-C, or by an error of ours."""
    if scope.interrupted:
        return build_interrupt(INTERRUPTED)
    if isinstance(scope.error, Cancelled):
        return scope.error
    return Cancelled("The statement was cancelled.")
