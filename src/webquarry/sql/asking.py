"""The functions that ask a model: `ask`, `ask_table` and the `stps_ask_ai` family.

`webquarry.ask.batch` asks for Arrow batches. These functions give the answers their form: a STRUCT
for `ask`, texts for `stps_*`. `ask_table` counts all rows before the first one is paid for.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from webquarry.ask.batch import ask_rows
from webquarry.ask.models import ModelReply
from webquarry.ask.schema import Schema
from webquarry.errors import BadInput, LimitReached, ProviderFailure
from webquarry.sql.function import (
    HERE,
    INNER,
    Function,
    FunctionCall,
    parse_parameters,
    shadow,
)
from webquarry.sql.types import ERROR, SOURCES, USAGE, build_json_structure, load_library

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
ADDRESS = dict.fromkeys(("city", "postal_code", "street_name", "street_nr"), "VARCHAR")
ON_ERROR = ("column", "text", "fail")
CHECK_SCHEMA = f"{INNER}schema"
# By column: its type. All of them decide whether two questions are equal.
_COLUMNS = {
    "context": "VARCHAR",
    "prompt": "VARCHAR",
    "model": "VARCHAR",
    "max_tokens": "BIGINT",
    "search": "BOOLEAN",
    "schema": "VARCHAR",
    "fresh": "BOOLEAN",
    "instructions": "VARCHAR",
}
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
    structs: list[dict[str, Any] | None] = []
    for reply in _answer_rows(call, _open_statement(call), "column"):
        if reply is None:
            structs.append(None)
        else:
            row = reply.row
            structs.append({name: row[name] for name in ANSWER})
            structs[-1]["answer"] = row["value"] or row["answer"]  # type: ignore[index]
    return structs


def ask_as_json(call: FunctionCall) -> list[Any]:
    """Return the answers as JSON; the macro makes structs of the requested type."""
    replies = _answer_rows(call, _open_statement(call), "column")
    return [reply and reply.json for reply in replies]


def plan(call: FunctionCall) -> list[Any]:
    """Count the questions of `ask_table`, and their maximum cost. NULL for a row without one."""
    engine = call.instance.engine
    scope = call.scope
    contexts, prompts, models = call.arguments.to_lists("context", "prompt", "model")
    for model in dict.fromkeys(models or [None]):
        engine.check(model)
    asks = [
        None if context is None or prompt is None else True
        for context, prompt in zip(contexts, prompts, strict=True)
    ]
    limits = engine.limits()
    with scope.planning:
        scope.planned_rows += len(asks) - asks.count(None)
        if scope.planned is None:
            scope.planned = engine.statement(door="sql", limits=limits, dry_run=True)
    # Only limits of the user: the default one, compared with the worst case, refuses most tables.
    is_within = limits.max_rows is None or scope.planned_rows <= limits.max_rows
    if engine.limits(own=True).max_usd is not None and is_within:
        ask_rows(_build_batch(call), engine, scope.planned, partial(_run, call))
    return asks


def ask_planned(call: FunctionCall) -> list[Any]:
    """Ask, after all rows are counted; over a limit nothing is spent."""
    statement = _open_statement(call)
    if not statement.dry_run:
        (counts,) = call.arguments.to_lists("rows")
        statement.check_row_count(max((count for count in counts if count is not None), default=0))
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
    """Return texts, and `ERROR: ...` instead of a missing answer."""
    is_lenient = call.instance.engine.options.on_error != "fail"
    statement = _open_statement(call, own_limits=True, ends_when_refused=not is_lenient)
    return [reply and reply.answer for reply in _answer_rows(call, statement, "text")]


def stps_ask_ai_address(call: FunctionCall) -> list[Any]:
    """Return addresses; NULL if none was found, as in the original."""
    statement = _open_statement(call, own_limits=True)
    batch = _build_constant_batch(
        call, "company", prompt=_ADDRESS_PROMPT, max_tokens=_ADDRESS_TOKENS,
        schema=json.dumps(ADDRESS),
    )  # fmt: skip
    addresses: list[dict[str, Any] | None] = []
    for reply in _answer_rows(call, statement, "column", batch):
        value = (reply and reply.value) or {}
        address = {name: str(value.get(name) or "").strip() or None for name in ADDRESS}
        addresses.append(address if any(address.values()) else None)
    return addresses


def stps_ask_ai_gender(call: FunctionCall) -> list[Any]:
    """Return male, female or unknown, by the first word of each name."""
    statement = _open_statement(call, own_limits=True, ends_when_refused=False)
    batch = _build_constant_batch(
        call, "name", prompt=_GENDER_PROMPT, max_tokens=_GENDER_TOKENS, search=False,
        instructions=_GENDER_INSTRUCTIONS,
    )  # fmt: skip
    names = [(name or "").split() for name in batch.column("context").to_pylist()]
    first_names = [words[0] if words else None for words in names]
    arrow = load_library("pyarrow")
    batch = batch.set_column(0, "context", arrow.array(first_names, arrow.string()))
    genders: list[str | None] = []
    for reply in _answer_rows(call, statement, "column", batch):
        if reply is None or reply.error is not None:
            genders.append(None if reply is None else reply.text)
            continue
        words = (reply.answer or "").lower()
        found = [gender for gender in ("female", "male") if gender in words]
        genders.append(found[0] if found else "unknown")
    return genders


def check_schema(text: str | None) -> str:
    """Return the form of an answer for `json_transform`, while DuckDB makes a plan. Raises
    BadInput.
    """
    return '"VARCHAR"' if text is None else Schema.parse(text).build_structure()


def paid_names() -> frozenset[str]:
    """Return the functions that may cost money, as named in a plan or a text."""
    return frozenset({name for one in FUNCTIONS for name in (one.name, one.inner)})


def _open_statement(
    call: FunctionCall, *, own_limits: bool = False, ends_when_refused: bool = True
) -> Statement:
    return call.scope.get_statement(
        call.instance.engine, own_limits=own_limits, ends_when_refused=ends_when_refused
    )


def _run(call: FunctionCall, work: Any) -> Any:
    """Run paid work on the loop of the database."""
    return call.instance.run(work, call.scope, paid=True)


def _build_batch(call: FunctionCall) -> Any:
    """Return a batch of the call's own arguments, without columns of nulls."""
    columns = {}
    for name in _COLUMNS:
        column = call.arguments.columns.get(name)
        is_needed = name in ("context", "prompt")
        if column is not None and (is_needed or column.null_count < call.arguments.rows):
            columns[name] = column
    return load_library("pyarrow").RecordBatch.from_pydict(columns)


def _build_constant_batch(call: FunctionCall, context: str, **values: Any) -> Any:
    """Return a batch with the same options for every row."""
    arrow = load_library("pyarrow")
    rows = call.arguments.rows
    texts, models = call.arguments.to_lists(context, "model")
    columns = {"context": arrow.array(texts, arrow.string())}
    columns["model"] = arrow.array(models, arrow.string())
    for name, value in values.items():
        columns[name] = arrow.repeat(arrow.scalar(value), rows)
    return arrow.RecordBatch.from_pydict(columns)


def _answer_rows(
    call: FunctionCall, statement: Statement, default: str, batch: Any = None
) -> list[ModelReply | None]:
    """Return the replies, with errors as `on_error` says; None where nothing was asked."""
    instance = call.instance
    batch = _build_batch(call) if batch is None else batch
    way = _get_on_error(call, default)
    line = instance.progress_line
    replies = ask_rows(batch, instance.engine, statement, partial(_run, call), line)
    errors = {place: reply for place, reply in enumerate(replies) if reply and reply.error}
    if errors and way == "fail":
        _raise_first_error(replies, errors)
    if way == "text":
        for place, reply in errors.items():
            replies[place] = replace(reply, answer=reply.text)
    return replies


def _get_on_error(call: FunctionCall, default: str) -> str:
    """Return how errors are reported: the argument, else the option, else the default."""
    (ways,) = call.arguments.to_lists("on_error")
    given = next((one for one in ways if one is not None), None)
    way = (given or call.instance.engine.options.on_error or default).lower()
    if way not in ON_ERROR:
        raise BadInput("on_error takes column, text or fail.")
    return way


def _raise_first_error(replies: list[ModelReply | None], errors: dict[int, ModelReply]) -> None:
    """Raise the error of the first row that failed."""
    place, reply = next(iter(errors.items()))
    assert reply.error is not None
    answered = sum(1 for one in replies if one is not None) - len(errors)
    raise ProviderFailure(
        f"Row {place + 1} of {len(replies)} failed: {reply.error.message} ({len(errors)} failed in "
        "all.)",
        retryable=reply.error.retryable,
        suggested_action=f"{answered} answers are stored: running the statement again pays only "
        "for the others.",
    )


_STRUCTURE = (
    f'\'{{"answer":\' || {CHECK_SCHEMA}(CAST("schema" AS VARCHAR)) || \','
    + build_json_structure(_DETAILS)[1:]
    + "'"
)
_QUESTION = (
    "context!", "prompt!", "model", "max_tokens BIGINT", "search BOOLEAN", "schema", "fresh BOOLEAN"
)  # fmt: skip
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

_ASK = parse_parameters(*_QUESTION, "on_error")
FUNCTIONS = (
    Function("ask", _ASK, ANSWER, ask, places=2, scalar=None),
    Function(
        "ask_json",
        _ASK,
        "VARCHAR",
        ask_as_json,
        public=False,
        scalar=f"json_transform({{call}}, {_STRUCTURE})",
        macro="ask",
        shadowed="json_transform",
    ),
    Function("ask_plan", parse_parameters(*_QUESTION), "BOOLEAN", plan, public=False, scalar=None),
    Function(
        "ask_planned",
        parse_parameters("rows BIGINT", *_QUESTION, "on_error"),
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
