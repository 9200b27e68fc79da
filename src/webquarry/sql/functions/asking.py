"""The functions that ask a model: `ask`, `ask_table` and the `stps_ask_ai` family. Chunks of
questions in, answers out.

The work is done by `webquarry.ask.batch`, which knows Arrow and no DuckDB. Here are only the forms:
a STRUCT for `ask`, texts for `stps_*`, and the order of `ask_table`, which counts every row before
the first one is paid for.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webquarry.ask.batch import Run, ask_rows
from webquarry.ask.models import ModelReply
from webquarry.ask.schema import Schema
from webquarry.errors import BadInput, LimitReached, ProviderFailure
from webquarry.sql.functions.function import (
    HERE,
    INNER,
    Function,
    FunctionCall,
    parse_parameters,
    shadow,
)
from webquarry.sql.functions.types import (
    ADDRESS,
    ERROR,
    SOURCES,
    USAGE,
    build_json_structure,
)
from webquarry.sql.libraries import load_library

if TYPE_CHECKING:
    from webquarry.ask.statement import Statement

_DETAILS: dict[str, Any] = {
    "sources": SOURCES,
    "searched": "BOOLEAN",
    "search_failed": "VARCHAR",
    "usage": USAGE,
    "error": ERROR,
}
ANSWER: dict[str, Any] = {"answer": "VARCHAR", **_DETAILS}
ON_ERROR = ("column", "text", "fail")
CHECK_SCHEMA = f"{INNER}schema"
_COLUMNS = ("context", "prompt", "model", "max_tokens", "search", "schema", "fresh")
_KEY = (*_COLUMNS, "instructions")  # what makes two questions the same; the context first
_ADDRESS_TOKENS = 800
_ADDRESS_PROMPT = (
    "What is the official postal address of this company's head office? Look it up if you can. "
    "Leave a part empty if you do not know it."
)
_GENDER_TOKENS = 50
_GENDER_PROMPT = "Is this first name usually given to men or to women?"
_GENDER_INSTRUCTIONS = "Answer with one word: male, female or unknown."


def ask(call: FunctionCall) -> list[Any]:
    """Return the answers as structs; a typed answer is JSON text."""
    statement = call.scope.get_statement(call.instance.engine, own_limits=False)
    structs: list[dict[str, Any] | None] = []
    for reply in _answer_rows(call, statement, "column"):
        if reply is None:
            structs.append(None)
            continue
        struct = {name: reply.row[name] for name in ANSWER}
        if reply.row["value"] is not None:
            struct["answer"] = reply.row["value"]
        structs.append(struct)
    return structs


def ask_as_json(call: FunctionCall) -> list[Any]:
    """Return the answers as JSON; the macro makes structs of the requested type."""
    statement = call.scope.get_statement(call.instance.engine, own_limits=False)
    return [reply and reply.json for reply in _answer_rows(call, statement, "column")]


def plan(call: FunctionCall) -> list[Any]:
    """Look at every row and pay for none. NULL for a row that asks nothing."""
    engine = call.instance.engine
    scope = call.scope
    batch = _build_batch(call)
    models: list[str | None] = [None]
    if "model" in batch.schema.names:
        models = list(dict.fromkeys(batch.column("model").to_pylist()))
    for model in models:
        engine.check(model)
    contexts = batch.column("context").to_pylist()
    prompts = batch.column("prompt").to_pylist()
    asks: list[bool | None] = []
    for context, prompt in zip(contexts, prompts, strict=True):
        is_blank = context is None or prompt is None
        asks.append(None if is_blank else True)
    limits = engine.limits()
    with scope.planning:
        scope.planned_rows += len(asks) - asks.count(None)
        if scope.planned is None:
            scope.planned = engine.statement(door="sql", limits=limits, dry_run=True)
    # Our own limit is held by reservations; by the worst case, most tables would be refused.
    own_limit = engine.limits(own=True).max_usd
    is_within = limits.max_rows is None or scope.planned_rows <= limits.max_rows
    if own_limit is not None and is_within:
        ask_rows(batch, engine, scope.planned, _get_runner(call))
    return asks


def ask_planned(call: FunctionCall) -> list[Any]:
    """Ask, now that all rows are counted; over a limit nothing was, and is, spent."""
    statement = call.scope.get_statement(call.instance.engine, own_limits=False)
    if not statement.dry_run:
        (counts,) = call.arguments.to_lists("rows")
        rows = max((count for count in counts if count is not None), default=0)
        statement.check_row_count(rows)
        # Before its first row is asked: what may cost more than the user's limit is refused.
        planned = call.scope.planned
        limit = call.instance.engine.limits(own=True).max_usd
        if planned is not None and limit is not None and not statement.progress().rows:
            progress = planned.progress()
            if progress.worst_usd > limit:
                raise LimitReached(
                    f"The {progress.planned:,} questions of this statement may cost up to "
                    f"${progress.worst_usd:.2f}, and max_usd is ${limit:.2f}; nothing was spent.",
                    suggested_action="Ask for fewer rows, lower max_tokens, or raise the limit: "
                    "SELECT webquarry_set('max_usd', '...').",
                )
    return [reply and reply.json for reply in _answer_rows(call, statement, "column")]


def stps_ask_ai(call: FunctionCall) -> Any:
    """Texts, and `ERROR: ...` in the place of an answer that there is none of."""
    engine = call.instance.engine
    is_lenient = engine.options.on_error != "fail"
    statement = call.scope.get_statement(engine, own_limits=True, ends_when_refused=not is_lenient)
    if engine.options.on_error in ("", "text"):
        batch = _build_batch(call)
        line = call.instance.progress_line
        replies = ask_rows(batch, engine, statement, _get_runner(call), line)
        return [reply and reply.text for reply in replies]
    return [reply and reply.answer for reply in _answer_rows(call, statement, "text")]


def stps_ask_ai_address(call: FunctionCall) -> list[Any]:
    """Addresses; NULL where none was found, as in the original."""
    companies, models = call.arguments.to_lists("company", "model")
    columns: dict[str, list[Any]] = {
        "context": companies,
        "prompt": [_ADDRESS_PROMPT] * len(companies),
        "model": models,
        "max_tokens": [_ADDRESS_TOKENS] * len(companies),
        "schema": [json.dumps(ADDRESS)] * len(companies),
    }
    statement = call.scope.get_statement(call.instance.engine, own_limits=True)
    addresses: list[dict[str, Any] | None] = []
    for reply in _answer_rows(call, statement, "column", columns):
        value = (reply and reply.value) or {}
        address: dict[str, Any] = {}
        for name in ADDRESS:
            part = value.get(name)
            address[name] = None if part is None else str(part).strip() or None
        was_found = any(address.values())
        addresses.append(address if was_found else None)
    return addresses


def stps_ask_ai_gender(call: FunctionCall) -> list[Any]:
    """male, female or unknown, by the first word of each name."""
    names, models = call.arguments.to_lists("name", "model")
    first_names: list[str | None] = []
    for name in names:
        words = (name or "").split()
        first_names.append(words[0] if words else None)
    columns: dict[str, list[Any]] = {
        "context": first_names,
        "prompt": [_GENDER_PROMPT] * len(names),
        "model": models,
        "max_tokens": [_GENDER_TOKENS] * len(names),
        "search": [False] * len(names),
        "instructions": [_GENDER_INSTRUCTIONS] * len(names),
    }
    statement = call.scope.get_statement(
        call.instance.engine, own_limits=True, ends_when_refused=False
    )
    genders: list[str | None] = []
    for reply in _answer_rows(call, statement, "column", columns):
        if reply is None or reply.error is not None:
            genders.append(None if reply is None else reply.text)
            continue
        words = (reply.answer or "").lower()
        if "female" in words:  # in which "male" is, too
            genders.append("female")
        elif "male" in words:
            genders.append("male")
        else:
            genders.append("unknown")
    return genders


def check_schema(text: str | None) -> str:
    """The form of an answer as `json_transform` takes it; a wrong one is `BadInput`. DuckDB asks
    this when it makes a plan, before it would complain of the form itself.
    """
    if text is None:
        return '"VARCHAR"'
    return Schema.parse(text).build_structure()


def _build_batch(call: FunctionCall, columns: dict[str, list[Any]] | None = None) -> Any:
    """A batch of these columns; without any, of the call's own arguments that say something."""
    arrow = load_library("pyarrow")
    arrays: dict[str, Any] = {}
    if columns is not None:
        kinds = {"max_tokens": arrow.int64(), "search": arrow.bool_()}
        for name, values in columns.items():
            arrays[name] = arrow.array(values, kinds.get(name, arrow.string()))
        return arrow.RecordBatch.from_pydict(arrays)
    arguments = call.arguments
    for name in _COLUMNS:
        column = arguments.columns.get(name)
        if column is None:
            continue
        if name in ("context", "prompt") or column.null_count < arguments.rows:
            arrays[name] = column
    return arrow.RecordBatch.from_pydict(arrays)


def _answer_rows(
    call: FunctionCall,
    statement: Statement,
    default: str,
    columns: dict[str, list[Any]] | None = None,
) -> list[ModelReply | None]:
    """Return the replies, with errors as `on_error` says; None where nothing was asked."""
    instance = call.instance
    batch = _build_batch(call, columns)
    way = _get_on_error(call, default)
    batch, failed = _drop_failed(call, batch)
    line = instance.progress_line
    replies = ask_rows(batch, instance.engine, statement, _get_runner(call), line)
    for place, reply in failed.items():
        replies[place] = reply
    errors = [place for place, reply in enumerate(replies) if reply and reply.error]
    if not errors:
        return replies
    keys = _get_keys(batch)
    for place in errors:
        reply = replies[place]
        assert reply is not None
        if place not in failed:
            call.scope.failed[keys[place]] = reply
        if way == "text":
            replies[place] = replace(reply, answer=reply.text)
    if way == "fail":
        _raise_first_error(replies)
    return replies


def _get_runner(call: FunctionCall) -> Run:
    """What runs paid work on the loop of the call's database."""
    return lambda work: call.instance.run(work, call.scope, paid=True)


def _drop_failed(call: FunctionCall, batch: Any) -> tuple[Any, dict[int, Any]]:
    """The batch without questions that have failed in this statement, and their replies; they
    are not paid for again: `unnest` asks once for each field.
    """
    known = call.scope.failed
    if not known:
        return batch, {}
    arrow = load_library("pyarrow")
    contexts = batch.column("context").to_pylist()
    failed: dict[int, Any] = {}
    for place, key in enumerate(_get_keys(batch)):
        if key in known:
            failed[place] = known[key]
            contexts[place] = None
    column = arrow.array(contexts, arrow.string())
    index = batch.schema.get_field_index("context")
    return batch.set_column(index, "context", column), failed


def _get_keys(batch: Any) -> list[tuple[Any, ...]]:
    """For each row what makes its question the same as another."""
    columns = []
    for name in _KEY:
        if name in batch.schema.names:
            columns.append(batch.column(name).to_pylist())
        else:
            columns.append([None] * batch.num_rows)
    return list(zip(*columns, strict=True))


def _get_on_error(call: FunctionCall, default: str) -> str:
    """What happens with errors: as the call says, else the options, else the default."""
    way = call.instance.engine.options.on_error or default
    (ways,) = call.arguments.to_lists("on_error")
    for one in ways:
        if one is not None:
            way = one.lower()
            break
    if way not in ON_ERROR:
        raise BadInput("on_error takes column, text or fail.")
    return way


def _raise_first_error(replies: list[ModelReply | None]) -> None:
    """With `on_error := 'fail'`, the first row that failed fails the statement."""
    answered = [reply for reply in replies if reply is not None]
    errors = [reply.error for reply in answered if reply.error is not None]
    error = errors[0]
    number = next(place for place, reply in enumerate(replies, 1) if reply and reply.error)
    raise ProviderFailure(
        f"Row {number} of {len(replies)} failed: {error.message} ({len(errors)} failed in all.)",
        retryable=error.retryable,
        suggested_action=f"{len(answered) - len(errors)} answers are kept: running the statement "
        "again pays only for the others.",
    )


_STRUCTURE = (
    f'\'{{"answer":\' || {CHECK_SCHEMA}(CAST("schema" AS VARCHAR)) || \','
    + build_json_structure(_DETAILS)[1:]
    + "'"
)
_OPTIONS = ("model", "max_tokens BIGINT", "search BOOLEAN", "schema", "on_error", "fresh BOOLEAN")
_PLAN_OPTIONS = ("model", "max_tokens BIGINT", "search BOOLEAN", "schema", "fresh BOOLEAN")
_OPTION_NAMES = '"model", "max_tokens", "search", "schema", "fresh"'
_TABLE = f"""
SELECT * EXCLUDE (_webquarry), unnest(_webquarry) FROM (
  SELECT
    * EXCLUDE (_webquarry_context, _webquarry_prompt, _webquarry_planned, _webquarry_rows),
    json_transform(
      _webquarry_ask_planned({HERE}, _webquarry_rows, _webquarry_context, _webquarry_prompt,
        {_OPTION_NAMES}, "on_error"),
      {_STRUCTURE}
    ) AS _webquarry
  FROM (SELECT *, count(_webquarry_planned) OVER () AS _webquarry_rows FROM (
    SELECT *, _webquarry_ask_plan({HERE}, _webquarry_context, _webquarry_prompt, {_OPTION_NAMES})
      AS _webquarry_planned
    FROM (
      SELECT *, CAST("context" AS VARCHAR) AS _webquarry_context,
        CAST("prompt" AS VARCHAR) AS _webquarry_prompt
      FROM query_table("table_name")))))
"""  # noqa: S608 - names and casts of our own

FUNCTIONS = (
    Function(
        "ask",
        parse_parameters("context!", "prompt!", *_OPTIONS),
        ANSWER,
        ask,
        places=2,
        scalar=None,
    ),
    Function(
        "ask_json",
        parse_parameters("context!", "prompt!", *_OPTIONS),
        "VARCHAR",
        ask_as_json,
        public=False,
        scalar=f"json_transform({{call}}, {_STRUCTURE})",
        macro="ask",
        shadowed="json_transform",
    ),
    Function(
        "ask_plan",
        parse_parameters("context!", "prompt!", *_PLAN_OPTIONS),
        "BOOLEAN",
        plan,
        public=False,
        scalar=None,
    ),
    Function(
        "ask_planned",
        parse_parameters("rows BIGINT", "context!", "prompt!", *_PLAN_OPTIONS, "on_error"),
        "VARCHAR",
        ask_planned,
        public=False,
        scalar=None,
    ),
    Function(
        "stps_ask_ai",
        parse_parameters("context!", "prompt!", "model", "max_tokens BIGINT"),
        "VARCHAR",
        stps_ask_ai,
    ),
    Function(
        "stps_ask_ai_address", parse_parameters("company!", "model"), ADDRESS, stps_ask_ai_address
    ),
    Function(
        "stps_ask_ai_gender", parse_parameters("name!", "model"), "VARCHAR", stps_ask_ai_gender
    ),
)

TABLE_MACROS = shadow(
    "json_transform",
    [
        "CREATE OR REPLACE TEMP MACRO ask_table(table_name, context, prompt, model := NULL, "
        "max_tokens := NULL, search := NULL, schema := NULL, on_error := NULL, fresh := NULL) "
        f"AS TABLE {_TABLE}",
    ],
)
