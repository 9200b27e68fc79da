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
from webquarry.ask.engine import Engine, OnProgress
from webquarry.ask.models import MAX_TOKENS, ModelReply, Question
from webquarry.errors import AuthFailure, BadInput, MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

# Runs a coroutine on the engine's loop and waits.
Run = Callable[[Coroutine[Any, Any, list[ModelReply]]], list[ModelReply]]

OPTION_COLUMNS = ("model", "max_tokens", "search", "schema", "instructions", "fresh")
_BLANK = ModelReply(None)


def answer_schema() -> pa.Schema:
    """The columns of `answer_batch`."""
    pa = _import_pyarrow()
    source = pa.struct([("title", pa.string()), ("url", pa.string())])
    usage = pa.struct(
        [
            ("calls", pa.int64()),
            ("input_tokens", pa.int64()),
            ("output_tokens", pa.int64()),
            ("cached_tokens", pa.int64()),
            ("searches", pa.int64()),
            ("usd", pa.float64()),
            ("kept_searches", pa.int64()),
        ]
    )
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
            ("search_failed", pa.string()),
        ]
    )


def answer_batch(
    batch: pa.RecordBatch,
    engine: Engine,
    statement: Statement,
    run: Run,
    on_progress: OnProgress | None = None,
) -> pa.RecordBatch:
    """Everything that is known of each answer; a row that was not asked is null in every column."""
    replies = ask_rows(batch, engine, statement, run, on_progress)
    pa = _import_pyarrow()
    schema = answer_schema()
    # Each column is made at once: a dict for every row would take longer than the rest.
    whole = [reply or _BLANK for reply in replies]
    searched = [reply and reply.searched for reply in replies]
    partial = [reply and reply.partial for reply in replies]
    values: list[str | None] = []
    for reply in whole:
        if reply.value is None:
            values.append(None)
        else:
            values.append(json.dumps(reply.value, ensure_ascii=False))
    error_type = schema.field("error").type
    error_column = pa.nulls(len(whole), error_type)
    if any(reply.error for reply in whole):
        errors = [reply.error and asdict(reply.error) for reply in whole]
        error_column = pa.array(errors, error_type)
    columns = [
        pa.array([reply.answer for reply in whole], pa.string()),
        _build_source_column(replies, schema.field("sources").type),
        pa.array(searched, pa.bool_()),
        _build_usage_column(replies, whole, schema.field("usage").type),
        error_column,
        pa.array(partial, pa.bool_()),
        pa.array(values, pa.string()),
        pa.array([reply.search_failed for reply in whole], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def text_batch(
    batch: pa.RecordBatch,
    engine: Engine,
    statement: Statement,
    run: Run,
    on_progress: OnProgress | None = None,
) -> pa.RecordBatch:
    """The answers alone, as one column `answer`; an error is a text in its place, `ERROR: ...`."""
    pa = _import_pyarrow()
    texts: list[str | None] = []
    for reply in ask_rows(batch, engine, statement, run, on_progress):
        if reply is None:
            texts.append(None)
        elif reply.error is None:
            texts.append(reply.answer)
        else:
            texts.append(reply.text)
    return pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], names=["answer"])


def ask_rows(
    batch: pa.RecordBatch,
    engine: Engine,
    statement: Statement,
    run: Run,
    on_progress: OnProgress | None = None,
) -> list[ModelReply | None]:
    """The reply of each row, None for those that were not asked."""
    contexts = _read_texts(batch, "context")
    prompts = _read_texts(batch, "prompt")
    columns: list[list[Any]] = []
    for name in OPTION_COLUMNS:
        if name in batch.schema.names:
            columns.append(batch.column(name).to_pylist())
        else:
            columns.append([None] * len(contexts))
    # Rows that all want the same, and may have a kept answer, go the quick way.
    are_alike = bool(contexts)
    for column in columns:
        are_alike = are_alike and column.count(column[0]) == len(column)
    is_fresh = are_alike and columns[-1][0]
    if not are_alike or is_fresh or not engine.options.cache:
        questions = list(map(_build_question, contexts, prompts, *columns))
        return _ask_questions(questions, engine, statement, run, on_progress)
    options = [column[0] for column in columns]
    try:
        replies = _recall_rows(contexts, prompts, engine, statement, options)
    except (BadInput, AuthFailure):
        replies = [None] * len(contexts)  # the engine knows whether that ends the statement
    missing: list[int] = []
    for place, reply in enumerate(replies):
        if reply is None and contexts[place] is not None and prompts[place] is not None:
            missing.append(place)
    rest = [_build_question(contexts[place], prompts[place], *options) for place in missing]
    found = _ask_questions(rest, engine, statement, run, on_progress)
    for place, reply in zip(missing, found, strict=True):
        replies[place] = reply
    return replies


def _recall_rows(
    contexts: list[str | None],
    prompts: list[str | None],
    engine: Engine,
    statement: Statement,
    options: list[Any],
) -> list[ModelReply | None]:
    """The replies in memory, None for the others. The quick way for rows that all want the same: no
    question is made.
    """
    statement.check()
    model, max_tokens, search, schema, instructions, _ = options
    tokens = None if max_tokens is None else int(max_tokens)
    template = engine.resolve_template(
        model or None, tokens, search, schema or None, instructions or None
    )
    # One look into the memory for each row, and nothing else: this is asked a million times.
    is_good = engine.is_good
    now = engine.clock.now().timestamp()
    replies: list[ModelReply | None] = []
    keys = zip(contexts, prompts, strict=True)
    for kept in map(template.kept.get, keys):  # type: ignore[arg-type]
        if kept is not None and is_good(kept, now):
            replies.append(kept.reply)
            if kept.reply.search_failed is not None:
                statement.count_reply(kept.reply)
        else:
            replies.append(None)
    hits = len(replies) - replies.count(None)
    statement.add_rows(hits)
    statement.count_answers(rows=hits, hits=hits)
    if hits:
        engine.note(statement)
    return replies


def _ask_questions(
    questions: Sequence[Question | None],
    engine: Engine,
    statement: Statement,
    run: Run,
    on_progress: OnProgress | None,
) -> list[ModelReply | None]:
    """The reply to each question, None where there is none; all of them are asked at once."""
    wanted = [question for question in questions if question is not None]
    if not wanted:
        return [None] * len(questions)
    asking = engine.ask_all(wanted, statement, on_progress)
    found = iter(run(asking))
    replies: list[ModelReply | None] = []
    for question in questions:
        replies.append(None if question is None else next(found))
    return replies


def _build_question(
    context: str | None,
    prompt: str | None,
    model: str | None = None,
    max_tokens: int | None = None,
    search: bool | None = None,
    schema: str | None = None,
    instructions: str | None = None,
    fresh: bool | None = None,
) -> Question | None:
    """The question of a row; None when there is no context or no prompt. Blank options are none."""
    if context is None or prompt is None:
        return None
    return Question(
        context,
        prompt,
        model=model or None,
        max_tokens=MAX_TOKENS if max_tokens is None else int(max_tokens),
        search=search,
        schema=schema or None,
        fresh=bool(fresh),
        instructions=instructions or None,
    )


def _read_texts(batch: pa.RecordBatch, name: str) -> list[str | None]:
    """A column of texts; one that is missing is `BadInput`."""
    if name not in batch.schema.names:
        raise BadInput(
            f"The batch has no column {name!r}.",
            suggested_action="Give it the columns context and prompt.",
        )
    texts: list[str | None] = batch.column(name).to_pylist()
    return texts


def _build_source_column(replies: list[ModelReply | None], kind: Any) -> Any:
    """A list of title and address for each reply."""
    rows: list[Any] = []
    for reply in replies:
        if reply is None:
            rows.append(None)
        elif reply.sources:
            sources = [(source.title, source.url) for source in reply.sources]
            rows.append(sources)
        else:
            rows.append(())
    return _import_pyarrow().array(rows, kind)


def _build_usage_column(
    replies: list[ModelReply | None], whole: list[ModelReply], kind: Any
) -> Any:
    """A struct of counts; where nothing was paid, as for kept answers, every row has the same."""
    pa = _import_pyarrow()
    nothing = _BLANK.usage
    is_paid = any(reply.usage is not nothing and reply.usage != nothing for reply in whole)
    counts = []
    for field in kind:
        if is_paid:
            column = pa.array([getattr(reply.usage, field.name) for reply in whole], field.type)
        else:
            column = pa.repeat(pa.scalar(0, field.type), len(whole))
        counts.append(column)
    unasked = pa.array([reply is None for reply in replies], pa.bool_())
    return pa.StructArray.from_arrays(counts, fields=list(kind), mask=unasked)


def _import_pyarrow() -> Any:
    """Arrow, which is large and comes with an optional part."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtra("sql", "Asking a whole batch") from error
    return pyarrow
