"""Rows in, rows out: one function from an Arrow batch to an Arrow batch, for any engine that moves columns.

Columns come in by name: `context` and `prompt`, and where a row wants something of its own `model`, `max_tokens`,
`search`, `schema`, `instructions`, `fresh`. A row without a context or a prompt has no answer and costs nothing. What is
remembered is looked up here, in the caller's thread; the rest is asked for at once, on the engine's loop, by `run`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from webquarry.ask.engine import Engine, Hear
from webquarry.ask.models import MAX_TOKENS, Question, Reply
from webquarry.ask.statement import Statement
from webquarry.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, list[Reply]]], list[Reply]]  # runs a coroutine on the engine's loop and waits

WISHES = ("model", "max_tokens", "search", "schema", "instructions", "fresh")


def answer_schema() -> pa.Schema:
    """The columns of `answer_batch`."""
    pa = _pyarrow()
    source = pa.struct([("title", pa.string()), ("url", pa.string())])
    counts = ("calls", "input_tokens", "output_tokens", "cached_tokens", "searches")
    usage = pa.struct([*((name, pa.int64()) for name in counts), ("usd", pa.float64())])
    error = pa.struct([("code", pa.string()), ("message", pa.string()), ("retryable", pa.bool_())])
    return pa.schema(
        [
            ("answer", pa.string()),
            ("sources", pa.list_(source)),
            ("searched", pa.bool_()),
            ("usage", usage),
            ("error", error),
            ("partial", pa.bool_()),
            ("value", pa.string()),
        ]
    )


def answer_batch(
    batch: pa.RecordBatch, engine: Engine, statement: Statement, run: Run, hear: Hear | None = None
) -> pa.RecordBatch:
    """Everything that is known of each answer; a row that was not asked is null in every column."""
    pa = _pyarrow()
    replies = replies_to(batch, engine, statement, run, hear)
    rows = [None if reply is None else _row(reply) for reply in replies]
    schema = answer_schema()
    columns = [pa.array([row and row[place] for row in rows], field.type) for place, field in enumerate(schema)]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def text_batch(
    batch: pa.RecordBatch, engine: Engine, statement: Statement, run: Run, hear: Hear | None = None
) -> pa.RecordBatch:
    """The answers alone, as one column `answer`; a trouble is a text in its place, `ERROR: ...`."""
    pa = _pyarrow()
    replies = replies_to(batch, engine, statement, run, hear)
    texts = [None if reply is None else reply.answer if reply.error is None else reply.text for reply in replies]
    return pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], names=["answer"])


def replies_to(
    batch: pa.RecordBatch, engine: Engine, statement: Statement, run: Run, hear: Hear | None = None
) -> list[Reply | None]:
    """The reply of each row, None for those that were not asked."""
    names = batch.schema.names
    contexts, prompts = _texts(batch, "context"), _texts(batch, "prompt")
    wishes = {name: batch.column(name).to_pylist() for name in WISHES if name in names}
    if wishes:
        return _asked(
            list(map(_question, contexts, prompts, *_columns(wishes, len(contexts)))), engine, statement, run, hear
        )
    return _plain(contexts, prompts, engine, statement, run, hear)


def _plain(
    contexts: list[str | None],
    prompts: list[str | None],
    engine: Engine,
    statement: Statement,
    run: Run,
    hear: Hear | None,
) -> list[Reply | None]:
    """The quick way for rows that all want the same: no question is made for what is remembered."""
    if not engine.options.cache:
        questions = [_question(context, prompt) for context, prompt in zip(contexts, prompts, strict=True)]
        return _asked(questions, engine, statement, run, hear)
    kept, good, now = engine.shape().kept.get, engine.good, engine.clock.now().timestamp()
    replies: list[Reply | None] = []
    missing: list[int] = []
    hits = 0
    for pair in zip(contexts, prompts, strict=True):
        one = kept(pair)  # type: ignore[arg-type]
        if one is not None and good(one, now):
            hits += 1
            replies.append(one.reply)
            continue
        if pair[0] is not None and pair[1] is not None:
            missing.append(len(replies))
        replies.append(None)
    statement.rows_came(hits)
    statement.answered(rows=hits, hits=hits)
    if missing:
        questions = [_question(contexts[place], prompts[place]) for place in missing]
        for place, reply in zip(missing, _asked(questions, engine, statement, run, hear), strict=True):
            replies[place] = reply
    elif hits:
        statement.check()
    return replies


def _asked(
    questions: Sequence[Question | None], engine: Engine, statement: Statement, run: Run, hear: Hear | None
) -> list[Reply | None]:
    wanted = [question for question in questions if question is not None]
    if not wanted:
        return [None] * len(questions)
    found = iter(run(engine.ask_all(wanted, statement, hear)))
    return [None if question is None else next(found) for question in questions]


def _question(
    context: str | None,
    prompt: str | None,
    model: str | None = None,
    max_tokens: int | None = None,
    search: bool | None = None,
    schema: str | None = None,
    instructions: str | None = None,
    fresh: bool | None = None,
) -> Question | None:
    if context is None or prompt is None:
        return None
    tokens = MAX_TOKENS if max_tokens is None else int(max_tokens)
    return Question(context, prompt, model or None, tokens, search, schema or None, bool(fresh), instructions or None)


def _columns(wishes: dict[str, list[Any]], rows: int) -> list[list[Any]]:
    return [wishes.get(name) or [None] * rows for name in WISHES]


def _texts(batch: pa.RecordBatch, name: str) -> list[str | None]:
    if name not in batch.schema.names:
        raise BadInput(f"The batch has no column {name!r}.", suggested_action="Give it the columns context and prompt.")
    found: list[str | None] = batch.column(name).to_pylist()
    return found


def _row(reply: Reply) -> tuple[Any, ...]:
    used, error = reply.usage, reply.error
    return (
        reply.answer,
        [{"title": source.title, "url": source.url} for source in reply.sources],
        reply.searched,
        {
            "calls": used.calls,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "cached_tokens": used.cached_tokens,
            "searches": used.searches,
            "usd": used.usd,
        },
        error and {"code": error.code, "message": error.message, "retryable": error.retryable},
        reply.partial,
        None if reply.value is None else json.dumps(reply.value, ensure_ascii=False),
    )


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("sql", "Asking a whole batch") from error
    return pyarrow
