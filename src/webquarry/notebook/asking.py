"""Questions of a cell -> replies, on an engine that the whole notebook shares.

An interrupt begins no further call; what is under way has a moment to end, and what was paid for is
kept: the same cell, run again, asks for the rest alone.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from webquarry.ask.models import MAX_TOKENS, ModelReply, Progress, Question
from webquarry.errors import Cancelled
from webquarry.notebook.asked_rows import AskedRows
from webquarry.notebook.tables import choose_column, read_column
from webquarry.progress import INTERRUPTED, build_interrupt
from webquarry.settings import Settings
from webquarry.sql.instance import Instance

_KERNEL = -1  # stands for the connection, which there is none of
_LOCK = threading.Lock()
_current: Instance | None = None


@dataclass(frozen=True)
class CellOptions:
    """How the question of a cell is to be asked; None is what the settings say."""

    model: str | None = None
    max_tokens: int = MAX_TOKENS
    search: bool | None = None
    schema: str | None = None
    fresh: bool = False
    max_usd: float | None = None
    dry_run: bool = False

    def build_question(self, context: str, prompt: str) -> Question:
        """The question about one thing."""
        return Question(
            context,
            prompt,
            model=self.model,
            max_tokens=self.max_tokens,
            search=self.search,
            schema=self.schema,
            fresh=self.fresh,
        )


def share_instance() -> Instance:
    """The engine behind the cells of this notebook, made anew when the environment has changed."""
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
    """Close what the cells have opened; the next question opens it again."""
    global _current
    with _LOCK:
        if _current is not None:
            _current.release()
        _current = None


def ask_about(context: str, prompt: str, options: CellOptions) -> ModelReply:
    """The reply to one question; what went wrong with it is raised."""
    replies, _ = _ask([options.build_question(context, prompt)], prompt, options)
    (reply,) = replies
    if reply.error is not None:
        raise reply.error.as_exception()
    return reply


def ask_rows(table: Any, column: str | None, prompt: str, options: CellOptions) -> AskedRows:
    """The same question about each value of a table's column; what goes wrong with a row is in its
    reply.
    """
    name = choose_column(table, column)
    contexts = read_column(table, name)
    questions = []
    for context in contexts:
        if context is not None:
            questions.append(options.build_question(str(context), prompt))
    asked, progress = _ask(questions, prompt, options)
    left = iter(asked)
    replies = [None if context is None else next(left) for context in contexts]
    return AskedRows(name, contexts, replies, progress, table)


def _ask(
    questions: Sequence[Question], words: str, options: CellOptions
) -> tuple[list[ModelReply], Progress]:
    """The replies, in order, and what they took; below the cell one sees how far it is."""
    instance = share_instance()
    engine = instance.engine
    line = instance.progress_line
    limits = engine.limits()
    if options.max_usd is not None:
        limits = replace(limits, max_usd=options.max_usd)
    statement = engine.statement(
        door="notebook", limits=limits, dry_run=options.dry_run or None, words=words
    )
    said = "stopped: "
    with instance.statements.pin(_KERNEL, words) as scope:
        scope.use_statement(statement)
        line(replace(statement.progress(), rows=len(questions)))
        try:
            asking = engine.ask_all(questions, statement, line)
            replies = instance.run(asking, scope, paid=True)
            said = ""
        except (KeyboardInterrupt, Cancelled) as error:
            if isinstance(error, Cancelled) and not scope.interrupted:
                raise
            said = f"{INTERRUPTED} So far: "
            raise build_interrupt(INTERRUPTED) from None
        finally:
            line.end(statement.progress(), said)
    return replies, statement.progress()
