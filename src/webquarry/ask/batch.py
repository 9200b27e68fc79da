"""Rows in, rows out: one function from an Arrow batch to an Arrow batch, for any engine that moves
columns.

Columns come in by name: `context` and `prompt`, and where a row wants something of its own `model`,
`max_tokens`, `search`, `schema`, `instructions`, `fresh`. A row without a context or a prompt has
no answer and costs nothing. What is remembered is looked up here, in the caller's thread; the rest
is asked for at once, on the engine's loop, by `run`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from webquarry.ask.billing.statement import Statement
from webquarry.ask.engine import Engine, Hear
from webquarry.ask.models import MAX_TOKENS, ModelReply, Question
from webquarry.errors import BadInput, MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

Run = Callable[
    [Coroutine[Any, Any, list[ModelReply]]], list[ModelReply]
]  # runs a coroutine on the engine's loop and waits

_BLANK = ModelReply(None)
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
    replies = replies_to(batch, engine, statement, run, hear)
    schema = answer_schema()
    return _pyarrow().RecordBatch.from_arrays(_answer_columns(replies, schema), schema=schema)


def text_batch(
    batch: pa.RecordBatch, engine: Engine, statement: Statement, run: Run, hear: Hear | None = None
) -> pa.RecordBatch:
    """The answers alone, as one column `answer`; a trouble is a text in its place, `ERROR: ...`."""
    pa = _pyarrow()
    replies = replies_to(batch, engine, statement, run, hear)
    texts = [
        None if reply is None else reply.answer if reply.error is None else reply.text
        for reply in replies
    ]
    return pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], names=["answer"])


def replies_to(
    batch: pa.RecordBatch, engine: Engine, statement: Statement, run: Run, hear: Hear | None = None
) -> list[ModelReply | None]:
    """The reply of each row, None for those that were not asked."""
    contexts, prompts = _texts(batch, "context"), _texts(batch, "prompt")
    names = batch.schema.names
    wishes = [
        batch.column(name).to_pylist() if name in names else [None] * len(contexts)
        for name in WISHES
    ]
    alike = contexts and all(column.count(column[0]) == len(column) for column in wishes)
    if not alike or wishes[-1][0] or not engine.options.cache:
        return _asked(
            list(map(_question, contexts, prompts, *wishes)), engine, statement, run, hear
        )
    replies = _remembered(contexts, prompts, engine, statement, [column[0] for column in wishes])
    missing = [
        place
        for place, reply in enumerate(replies)
        if reply is None and contexts[place] is not None and prompts[place] is not None
    ]
    rest = [
        _question(contexts[place], prompts[place], *(column[0] for column in wishes))
        for place in missing
    ]
    for place, found in zip(missing, _asked(rest, engine, statement, run, hear), strict=True):
        replies[place] = found
    return replies


def _remembered(
    contexts: list[str | None],
    prompts: list[str | None],
    engine: Engine,
    statement: Statement,
    wishes: list[Any],
) -> list[ModelReply | None]:
    """The quick way for rows that all want the same: no question is made for what is in memory."""
    statement.check()
    model, max_tokens, search, schema, instructions, _ = wishes
    tokens = None if max_tokens is None else int(max_tokens)
    kept = engine.shape(model or None, tokens, search, schema or None, instructions or None).kept
    good, now = engine.good, engine.clock.now().timestamp()
    found = map(kept.get, zip(contexts, prompts, strict=True))  # type: ignore[arg-type]
    replies = [one.reply if one is not None and good(one, now) else None for one in found]
    hits = len(replies) - replies.count(None)
    statement.rows_came(hits)
    statement.answered(rows=hits, hits=hits)
    return replies


def _asked(
    questions: Sequence[Question | None],
    engine: Engine,
    statement: Statement,
    run: Run,
    hear: Hear | None,
) -> list[ModelReply | None]:
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
    return Question(
        context,
        prompt,
        model or None,
        tokens,
        search,
        schema or None,
        bool(fresh),
        instructions or None,
    )


def _texts(batch: pa.RecordBatch, name: str) -> list[str | None]:
    if name not in batch.schema.names:
        raise BadInput(
            f"The batch has no column {name!r}.",
            suggested_action="Give it the columns context and prompt.",
        )
    found: list[str | None] = batch.column(name).to_pylist()
    return found


def _answer_columns(replies: list[ModelReply | None], schema: pa.Schema) -> list[Any]:
    """The columns of `answer_schema`, each made at once: a dict for every row would take longer
    than the rest.
    """
    pa = _pyarrow()
    unasked = pa.array([reply is None for reply in replies], pa.bool_())
    whole = [_BLANK if reply is None else reply for reply in replies]
    used, failed = schema.field("usage").type, schema.field("error").type
    paid = any(reply.usage is not _BLANK.usage and reply.usage != _BLANK.usage for reply in whole)
    usage = [
        pa.array([getattr(reply.usage, field.name) for reply in whole], field.type)
        if paid
        else pa.repeat(pa.scalar(0, field.type), len(whole))
        for field in used
    ]
    errors = [reply.error for reply in whole]
    return [
        pa.array([reply.answer for reply in whole], pa.string()),
        _source_column(replies, schema.field("sources").type),
        pa.array([reply and reply.searched for reply in replies], pa.bool_()),
        pa.StructArray.from_arrays(usage, fields=list(used), mask=unasked),
        pa.array([error and asdict(error) for error in errors], failed)
        if any(errors)
        else pa.nulls(len(errors), failed),
        pa.array([reply and reply.partial for reply in replies], pa.bool_()),
        pa.array([_json(reply) for reply in whole], pa.string()),
    ]


def _source_column(replies: list[ModelReply | None], kind: Any) -> Any:
    rows = [
        None
        if reply is None
        else [(source.title, source.url) for source in reply.sources]
        if reply.sources
        else ()
        for reply in replies
    ]
    return _pyarrow().array(rows, kind)


def _json(reply: ModelReply) -> str | None:
    if reply.value is None:
        return None
    return json.dumps(reply.value, ensure_ascii=False)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("sql", "Asking a whole batch") from error
    return pyarrow
