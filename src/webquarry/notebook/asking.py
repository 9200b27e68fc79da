"""Questions of a notebook: one, or one for each row of a table, on an engine that all cells share.

An interrupt starts no further call. Paid answers are stored, so that the same cell, run again,
asks only the rest.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webquarry.ask.models import ModelReply, Progress, Question
from webquarry.displayable import Displayable
from webquarry.errors import BadInput, Cancelled, Unreadable
from webquarry.progress import INTERRUPTED, build_interrupt
from webquarry.settings import Settings
from webquarry.sql.instance import Instance

_KERNEL = -1  # in place of a connection
_ONLY_COLUMN = "value"  # of a plain list
_LOCK = threading.Lock()
_current: Instance | None = None


@dataclass(frozen=True)
class AskedRows(Displayable):
    """A reply for each row of a table, in order; None for rows without a value."""

    column: str
    contexts: Sequence[Any]
    replies: Sequence[ModelReply | None]
    progress: Progress
    table: Any = None  # as it was given

    @property
    def answers(self) -> list[str | None]:
        """Only the texts."""
        return [reply.answer if reply else None for reply in self.replies]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row: the value, the answer, its sources and its error."""
        rows = []
        for context, reply in zip(self.contexts, self.replies, strict=True):
            row: dict[str, Any] = {self.column: context, "answer": None, "sources": []}
            row["error"] = None
            if reply is not None:
                row["answer"] = reply.answer
                row["sources"] = [{"title": one.title, "url": one.url} for one in reply.sources]
                row["error"] = reply.error and reply.error.message
                row.update(reply.value or {})
            rows.append(row)
        return rows

    def df(self) -> Any:
        """Return a `pandas.DataFrame`: the columns of the table, if it is one, and the answers."""
        try:
            import pandas
        except ImportError:
            raise Unreadable(
                "A data frame needs pandas, which is not installed.",
                suggested_action="Install it: pip install pandas; or use .rows.",
            ) from None
        answered = pandas.DataFrame(self.rows)
        if not isinstance(self.table, pandas.DataFrame):
            return answered
        frame = self.table.copy()
        for name in answered.columns.drop(self.column):
            label = f"{name} (asked)" if name in self.table.columns else name
            frame[label] = list(answered[name])
        return frame


def share_instance() -> Instance:
    """Return the engine of this notebook, replaced when the environment changes."""
    global _current
    with _LOCK:
        environ = dict(os.environ)
        if _current is not None and _current.environ != environ:
            _current.release()
            _current = None
        if _current is None:
            _current = Instance(Settings.from_environment(environ), environ)
        return _current


@atexit.register
def release_instance() -> None:
    """Close the engine; the next question opens a new one."""
    global _current
    with _LOCK:
        if _current is not None:
            _current.release()
        _current = None


def ask_about(question: Question, max_usd: float | None, dry_run: bool) -> ModelReply:
    """Ask one question; raise its error."""
    (reply,), _ = _ask([question], question.prompt, max_usd, dry_run)
    if reply.error is not None:
        raise reply.error.as_exception()
    return reply


def ask_rows(
    table: Any, column: str | None, question: Question, max_usd: float | None, dry_run: bool
) -> AskedRows:
    """Ask a question about each value of a column; errors are in the replies."""
    name = _choose_column(table, column)
    contexts = read_column(table, name)
    given = [str(context) for context in contexts if context is not None]
    questions = [replace(question, context=context) for context in given]
    asked, progress = _ask(questions, question.prompt, max_usd, dry_run)
    left = iter(asked)
    replies = [None if context is None else next(left) for context in contexts]
    return AskedRows(name, contexts, replies, progress, table)


def _ask(
    questions: Sequence[Question], words: str, max_usd: float | None, dry_run: bool
) -> tuple[list[ModelReply], Progress]:
    """Return the replies in order and the final progress, which the cell shows."""
    instance = share_instance()
    engine = instance.engine
    line = instance.progress_line
    limits = engine.limits()
    if max_usd is not None:
        limits = replace(limits, max_usd=max_usd)
    statement = engine.statement(
        door="notebook", limits=limits, dry_run=dry_run or None, words=words
    )
    prefix = "stopped: "
    with instance.statements.pin(_KERNEL, words) as scope:
        scope.use_statement(statement)
        line(replace(statement.progress(), rows=len(questions)))
        try:
            asking = engine.ask_all(questions, statement, line)
            replies = instance.run(asking, scope, paid=True)
            prefix = ""
        except (KeyboardInterrupt, Cancelled) as error:
            if isinstance(error, Cancelled) and not scope.interrupted:
                raise
            prefix = f"{INTERRUPTED} So far: "
            raise build_interrupt(INTERRUPTED) from None
        finally:
            line.end(statement.progress(), prefix)
    return replies, statement.progress()


def list_columns(table: Any) -> list[str]:
    """Return the column names of a mapping, a frame, an Arrow table, a relation or a list."""
    if isinstance(table, Mapping):
        return [str(name) for name in table]
    for attribute in ("column_names", "columns"):  # Arrow; pandas, polars, DuckDB, SqlResult
        columns = getattr(table, attribute, None)
        if columns is not None and not callable(columns):
            return [str(column) for column in columns]
    if isinstance(table, str | bytes | Iterator) or not isinstance(table, Iterable):
        raise BadInput(
            f"A value of the type {type(table).__name__} is not a table.",
            suggested_action="Give a data frame, an Arrow table, a result of SQL or a list.",
        )
    first = next(iter(table), None)
    return [str(name) for name in first] if isinstance(first, Mapping) else [_ONLY_COLUMN]


def _choose_column(table: Any, name: str | None) -> str:
    """Return the named column, or the only one."""
    columns = list_columns(table)
    if name is None and len(columns) == 1:
        return columns[0]
    if name in columns:
        return str(name)
    known = ", ".join(columns)
    if name is None:
        raise BadInput(
            f"The table has {len(columns)} columns, and none was chosen.",
            suggested_action=f"Name the one to ask about: --column, with one of {known}.",
        )
    raise BadInput(f"The table has no column {name!r}.", suggested_action=f"Choose one of {known}.")


def read_column(table: Any, column: str) -> list[Any]:
    """Return the values of a column; missing values are None."""
    if hasattr(table, "fetchall") and hasattr(table, "select"):  # a relation of DuckDB
        quoted = column.replace('"', '""')
        return [row[0] for row in table.select(f'"{quoted}"').fetchall()]
    if isinstance(getattr(table, "rows", None), list):  # SqlResult
        place = list(table.columns).index(column)
        return [row[place] for row in table.rows]
    if isinstance(table, Mapping) or hasattr(table, "columns") or hasattr(table, "column_names"):
        values = table[column]
        for name in ("to_pylist", "to_list", "tolist"):
            if hasattr(values, name):
                values = getattr(values, name)()
                break
        return [None if value != value else value for value in values]  # NaN of pandas
    return [row.get(column) if isinstance(row, Mapping) else row for row in table]
