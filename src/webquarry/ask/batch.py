"""Replies to an Arrow batch of questions.

Columns by name: `context` and `prompt`, and optionally `model`, `max_tokens`, `search`, `schema`,
`instructions` and `fresh` for each row. A row without a context or a prompt has no answer and costs
nothing. Answers in memory are looked up in the caller's thread; the rest is asked at once on the
engine's loop, by `run`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from webquarry.ask.engine import Engine, OnProgress
from webquarry.ask.models import MAX_TOKENS, ModelReply, Question
from webquarry.ask.statement import Statement
from webquarry.errors import AuthFailure, BadInput

if TYPE_CHECKING:
    import pyarrow as pa

# Runs a coroutine on the engine's loop and waits.
Run = Callable[[Coroutine[Any, Any, list[ModelReply]]], list[ModelReply]]

OPTION_COLUMNS = ("model", "max_tokens", "search", "schema", "instructions", "fresh")


def ask_rows(
    batch: pa.RecordBatch,
    engine: Engine,
    statement: Statement,
    run: Run,
    on_progress: OnProgress | None = None,
) -> list[ModelReply | None]:
    """Return the reply of each row; None for rows that were not asked."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for name in ("context", "prompt"):
        if name not in columns:
            raise BadInput(
                f"The batch has no column {name!r}.",
                suggested_action="Give it the columns context and prompt.",
            )
    contexts = columns["context"].to_pylist()
    prompts = columns["prompt"].to_pylist()
    options: list[list[Any]] = []
    for name in OPTION_COLUMNS:
        column = columns.get(name)
        options.append([None] * len(contexts) if column is None else column.to_pylist())
    replies: list[ModelReply | None] = [None] * len(contexts)
    if contexts and all(column.count(column[0]) == len(column) for column in options):
        first = _build_question("", "", *(column[0] for column in options))
        replies = _recall_rows(contexts, prompts, engine, statement, first)
    missing: list[int] = []
    questions: list[Question] = []
    for place, reply in enumerate(replies):
        if reply is None and contexts[place] is not None and prompts[place] is not None:
            missing.append(place)
            wanted = [column[place] for column in options]
            questions.append(_build_question(contexts[place], prompts[place], *wanted))
    if questions:
        found = run(engine.ask_all(questions, statement, on_progress))
        for place, reply in zip(missing, found, strict=True):
            replies[place] = reply
    return replies


def _recall_rows(
    contexts: Sequence[str | None],
    prompts: Sequence[str | None],
    engine: Engine,
    statement: Statement,
    first: Question,
) -> list[ModelReply | None]:
    """Return the replies in memory for rows with the same options as a question."""
    replies: list[ModelReply | None] = [None] * len(contexts)
    if first.fresh or not engine.options.cache:
        return replies
    statement.check()
    try:
        template = engine.templates.resolve(first)
    except (BadInput, AuthFailure):
        return replies  # the engine decides whether that ends the statement
    is_good = engine.is_good
    now = engine.clock.now().timestamp()
    hits = 0
    # One lookup per row, without building a question: a statement may have a million rows.
    for place, kept in enumerate(map(template.kept.get, zip(contexts, prompts, strict=True))):  # type: ignore[arg-type]
        if kept is not None and is_good(kept, now):
            replies[place] = kept.reply
            if kept.reply.search_failed is None:
                hits += 1
            else:
                statement.count(rows=1)
                statement.count_reply(kept.reply)
    if hits:
        statement.count(rows=hits, done=hits, hits=hits)
    engine.note(statement)
    return replies


def _build_question(
    context: str,
    prompt: str,
    model: str | None,
    max_tokens: int | None,
    search: bool | None,
    schema: str | None,
    instructions: str | None,
    fresh: bool | None,
) -> Question:
    tokens = MAX_TOKENS if max_tokens is None else int(max_tokens)
    return Question(
        context, prompt, model or None, tokens, search, schema or None, bool(fresh),
        instructions or None,
    )  # fmt: skip
