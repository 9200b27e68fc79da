"""The functions that ask a model: `ask`, `ask_table` and the `stps_ask_ai` family. Chunks of
questions in, answers out.

The work is done by `webquarry.ask.batch`, which knows Arrow and no DuckDB. Here are only the forms:
a STRUCT for `ask`, texts for `stps_*`, and the order of `ask_table`, which counts every row before
the first one is paid for.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webquarry.ask.batch import Run, answer_batch, text_batch
from webquarry.errors import BadInput, LimitReached, ProviderFailure
from webquarry.surfaces.sql.functions.function import Function, FunctionCall, parameters
from webquarry.surfaces.sql.functions.types import ADDRESS, ERROR, SOURCES, USAGE, Shape, structure
from webquarry.surfaces.sql.libraries import library

if TYPE_CHECKING:
    from webquarry.ask.billing.statement import Statement

ANSWER: Shape = {
    "answer": "VARCHAR",
    "sources": SOURCES,
    "searched": "BOOLEAN",
    "usage": USAGE,
    "error": ERROR,
}
ON_ERROR = ("column", "text", "fail")
_ASKED = ("context", "prompt", "model", "max_tokens", "search", "schema", "fresh")
_KEY = (*_ASKED, "instructions")  # what makes two questions the same; the context first
_ADDRESS_TOKENS = 800
_ADDRESS_PROMPT = (
    "What is the official postal address of this company's head office? Look it up if you can. "
    "Leave a part empty if you "
    "do not know it."
)
_GENDER_TOKENS = 50
_GENDER_PROMPT = "Is this first name usually given to men or to women?"
_GENDER_INSTRUCTIONS = "Answer with one word: male, female or unknown."


def ask(call: FunctionCall) -> list[Any]:
    """The answers as structs; a typed answer as JSON text."""
    return [
        _shown(row)
        for row in _rows(
            call, call.scope.statement(call.instance.engine, own_limits=False), "column"
        )
    ]


def ask_as_json(call: FunctionCall) -> list[Any]:
    """The answers as JSON, of which the macro makes structs of the wanted type."""
    return _as_json(
        _rows(call, call.scope.statement(call.instance.engine, own_limits=False), "column")
    )


def plan(call: FunctionCall) -> list[Any]:
    """Look at every row and pay for none. NULL for a row that asks nothing."""
    engine, scope = call.instance.engine, call.scope
    engine.check()
    batch = _batch(call)
    pairs = zip(*(batch.column(name).to_pylist() for name in ("context", "prompt")), strict=True)
    asked = [None if context is None or prompt is None else True for context, prompt in pairs]
    limits = engine.limits()
    with scope.planning:
        scope.planned_rows += len(asked) - asked.count(None)
        if scope.planned is None:
            scope.planned = engine.statement(door="sql", limits=limits, dry_run=True)
    own = engine.limits(
        own=True
    ).max_usd  # ours is held by reservations; the worst case would refuse most tables
    if own is not None and (limits.max_rows is None or scope.planned_rows <= limits.max_rows):
        answer_batch(batch, engine, scope.planned, _runner(call))
    return asked


def ask_planned(call: FunctionCall) -> list[Any]:
    """Ask, now that all rows are counted; over a limit nothing was, and is, spent."""
    statement = call.scope.statement(call.instance.engine, own_limits=False)
    if not statement.dry_run:
        rows = max((count for count in call.given.lists("rows")[0] if count is not None), default=0)
        statement.check_row_count(rows)
        _check_money(call, statement)
    return _as_json(_rows(call, statement, "column"))


def _check_money(call: FunctionCall, statement: Statement) -> None:
    planned, most = call.scope.planned, call.instance.engine.limits(own=True).max_usd
    if planned is None or most is None or statement.progress().rows:
        return
    worst = planned.progress().worst_usd
    if worst > most:
        raise LimitReached(
            f"The {planned.progress().planned:,} questions of this statement may cost up to "
            f"${worst:.2f}, and max_usd is "
            f"${most:.2f}; nothing was spent.",
            suggested_action="Ask for fewer rows, lower max_tokens, or raise the limit: SELECT "
            "webquarry_set('max_usd', '...').",
        )


def stps_ask_ai(call: FunctionCall) -> Any:
    """Texts, and `ERROR: ...` in the place of an answer that there is none of."""
    engine = call.instance.engine
    statement = call.scope.statement(engine, own_limits=True)
    if (engine.options.on_error or "text") == "text":
        batch = text_batch(_batch(call), engine, statement, _runner(call), call.instance.line)
        return batch.column(0)
    return [row and row["answer"] for row in _rows(call, statement, "text")]


def stps_ask_ai_address(call: FunctionCall) -> list[Any]:
    """Addresses; NULL where none was found, as in the original."""
    companies, models = call.given.lists("company", "model")
    asked: dict[str, list[Any]] = {
        "context": companies,
        "prompt": [_ADDRESS_PROMPT] * len(companies),
        "model": models,
        "max_tokens": [_ADDRESS_TOKENS] * len(companies),
        "schema": [json.dumps(ADDRESS)] * len(companies),
    }
    statement = call.scope.statement(call.instance.engine, own_limits=True)
    return [_address(row) for row in _rows(call, statement, "column", asked)]


def _address(row: dict[str, Any] | None) -> dict[str, Any] | None:
    value = json.loads(row["value"]) if row and row["value"] else {}
    found = {
        name: str(value[name]).strip() or None if value.get(name) is not None else None
        for name in ADDRESS
    }
    return found if any(found.values()) else None


def stps_ask_ai_gender(call: FunctionCall) -> list[Any]:
    """male, female or unknown, by the first word of each name."""
    names, models = call.given.lists("name", "model")
    first = [name.split()[0] if name and name.split() else None for name in names]
    asked: dict[str, list[Any]] = {
        "context": first,
        "prompt": [_GENDER_PROMPT] * len(first),
        "model": models,
        "max_tokens": [_GENDER_TOKENS] * len(first),
        "search": [False] * len(first),
        "instructions": [_GENDER_INSTRUCTIONS] * len(first),
    }
    statement = call.scope.statement(call.instance.engine, own_limits=True)
    return [_gender(row) for row in _rows(call, statement, "column", asked)]


def _gender(row: dict[str, Any] | None) -> str | None:
    if row is None:
        return None
    words = (row["answer"] or "").lower()
    return "female" if "female" in words else "male" if "male" in words else "unknown"


def _batch(call: FunctionCall, asked: dict[str, list[Any]] | None = None) -> Any:
    arrow = library("pyarrow")
    if asked is None:
        given = {name: call.given.columns[name] for name in _ASKED if name in call.given.columns}
        wished = {
            name: column for name, column in given.items() if column.null_count < call.given.rows
        }
        return arrow.RecordBatch.from_pydict(
            wished | {name: given[name] for name in ("context", "prompt")}
        )
    kinds = {"max_tokens": arrow.int64(), "search": arrow.bool_()}
    return arrow.RecordBatch.from_pydict(
        {
            name: arrow.array(values, kinds.get(name, arrow.string()))
            for name, values in asked.items()
        }
    )


def _rows(
    call: FunctionCall,
    statement: Statement,
    default: str,
    asked: dict[str, list[Any]] | None = None,
) -> list[dict[str, Any] | None]:
    """The answers row by row, after errors were treated as `on_error` says; None where nothing was
    asked.
    """
    instance, batch = call.instance, _batch(call, asked)
    way = _on_error(call, default)
    batch, failed = _without_failed(call, batch)
    found = answer_batch(batch, instance.engine, statement, _runner(call), instance.line)
    contexts, prompts = (batch.column(name).to_pylist() for name in ("context", "prompt"))
    rows: list[dict[str, Any] | None] = [
        failed.get(place) if contexts[place] is None or prompts[place] is None else row
        for place, row in enumerate(found.to_pylist())
    ]
    if any(row and row["error"] for row in rows):
        _remember_failed(call, batch, rows)
        if way == "fail":
            _fail(rows)
    if way == "text":
        rows = [
            row | {"answer": f"ERROR: {row['error']['message']}"} if row and row["error"] else row
            for row in rows
        ]
    return rows


def _runner(call: FunctionCall) -> Run:
    return lambda work: call.instance.run(work, call.scope, paid=True)


def _without_failed(call: FunctionCall, batch: Any) -> tuple[Any, dict[int, Any]]:
    """A question that has failed in this statement is not paid for again: `unnest` asks once for
    each field.
    """
    known = call.scope.failed
    if not known:
        return batch, {}
    arrow = library("pyarrow")
    failed = {place: known[key] for place, key in enumerate(_keys(batch)) if key in known}
    contexts = [
        None if place in failed else text
        for place, text in enumerate(batch.column("context").to_pylist())
    ]
    place = batch.schema.get_field_index("context")
    return batch.set_column(place, "context", arrow.array(contexts, arrow.string())), failed


def _remember_failed(call: FunctionCall, batch: Any, rows: list[dict[str, Any] | None]) -> None:
    for key, row in zip(_keys(batch), rows, strict=True):
        if row is not None and row["error"] and key[0] is not None:
            call.scope.failed[key] = row


def _keys(batch: Any) -> list[tuple[Any, ...]]:
    named = {name: batch.column(name).to_pylist() for name in batch.schema.names}
    return list(zip(*(named.get(name, [None] * batch.num_rows) for name in _KEY), strict=True))


def _on_error(call: FunctionCall, default: str) -> str:
    given = [way for way in call.given.lists("on_error")[0] if way is not None]
    way = given[0].lower() if given else call.instance.engine.options.on_error or default
    if way not in ON_ERROR:
        raise BadInput("on_error takes column, text or fail.")
    return way


def _fail(rows: list[dict[str, Any] | None]) -> None:
    failed = [(place, row["error"]) for place, row in enumerate(rows) if row and row["error"]]
    if failed:
        place, error = failed[0]
        kept = sum(1 for row in rows if row and not row["error"])
        raise ProviderFailure(
            f"Row {place + 1} of {len(rows)} failed: {error['message']} ({len(failed)} failed in "
            "all.)",
            retryable=error["retryable"],
            suggested_action=f"{kept} answers are kept: running the statement again pays only "
            "for the others.",
        )


def _shown(row: dict[str, Any] | None) -> dict[str, Any] | None:
    if row is not None and row["value"] is not None:
        row["answer"] = row["value"]
    return row and {name: row[name] for name in ("answer", "sources", "searched", "usage", "error")}


def _as_json(rows: list[dict[str, Any] | None]) -> list[str | None]:
    written: list[str | None] = []
    for row in rows:
        if row is None:
            written.append(None)
            continue
        rest = json.dumps(
            {name: row[name] for name in ("sources", "searched", "usage", "error")},
            ensure_ascii=False,
        )
        answer = (
            row["value"]
            if row["value"] is not None
            else json.dumps(row["answer"], ensure_ascii=False)
        )
        written.append(f'{{"answer":{answer},{rest[1:]}')
    return written


_REST = {"sources": SOURCES, "searched": "BOOLEAN", "usage": USAGE, "error": ERROR}
_STRUCTURE = (
    '\'{"answer":\' || coalesce(CAST("schema" AS VARCHAR), \'"VARCHAR"\') || \','
    + structure(_REST)[1:]
    + "'"
)
_OPTIONS = ("model", "max_tokens BIGINT", "search BOOLEAN", "schema", "on_error", "fresh BOOLEAN")
_WISHES = ", ".join(f'"{name}"' for name in ("model", "max_tokens", "search", "schema", "fresh"))
_HERE = "current_connection_id(), current_query_id()"
_TABLE = f"""
SELECT * EXCLUDE (_webquarry), unnest(_webquarry) FROM (
  SELECT * EXCLUDE (_webquarry_context, _webquarry_prompt, _webquarry_planned, _webquarry_rows), json_transform(_webquarry_ask_planned({_HERE}, _webquarry_rows,
      _webquarry_context, _webquarry_prompt, {_WISHES}, "on_error"), {_STRUCTURE}) AS _webquarry
  FROM (SELECT *, count(_webquarry_planned) OVER () AS _webquarry_rows FROM (
    SELECT *, _webquarry_ask_plan({_HERE}, _webquarry_context, _webquarry_prompt, {_WISHES}) AS _webquarry_planned FROM (
      SELECT *, CAST("context" AS VARCHAR) AS _webquarry_context, CAST("prompt" AS VARCHAR) AS _webquarry_prompt
      FROM query_table("table_name")))))
"""  # noqa: S608 - names and casts of our own

FUNCTIONS = (
    Function(
        "ask", parameters("context!", "prompt!", *_OPTIONS), ANSWER, ask, places=2, scalar=None
    ),
    Function(
        "ask_json",
        parameters("context!", "prompt!", *_OPTIONS),
        "VARCHAR",
        ask_as_json,
        public=False,
        scalar=f"json_transform({{call}}, {_STRUCTURE})",
        macro="ask",
        shadowed="json_transform",
    ),
    Function(
        "ask_plan",
        parameters(
            "context!",
            "prompt!",
            "model",
            "max_tokens BIGINT",
            "search BOOLEAN",
            "schema",
            "fresh BOOLEAN",
        ),
        "BOOLEAN",
        plan,
        public=False,
        scalar=None,
    ),
    Function(
        "ask_planned",
        parameters(
            "rows BIGINT",
            "context!",
            "prompt!",
            "model",
            "max_tokens BIGINT",
            "search BOOLEAN",
            "schema",
            "fresh BOOLEAN",
            "on_error",
        ),
        "VARCHAR",
        ask_planned,
        public=False,
        scalar=None,
    ),
    Function(
        "stps_ask_ai",
        parameters("context!", "prompt!", "model", "max_tokens BIGINT"),
        "VARCHAR",
        stps_ask_ai,
    ),
    Function("stps_ask_ai_address", parameters("company!", "model"), ADDRESS, stps_ask_ai_address),
    Function("stps_ask_ai_gender", parameters("name!", "model"), "VARCHAR", stps_ask_ai_gender),
)

TABLES = (
    "CREATE OR REPLACE TEMP MACRO json_transform(first, second) AS first",
    "CREATE OR REPLACE TEMP MACRO ask_table(table_name, context, prompt, model := NULL, "
    "max_tokens := NULL, "
    f"search := NULL, schema := NULL, on_error := NULL, fresh := NULL) AS TABLE {_TABLE}",
    "DROP MACRO temp.main.json_transform",
)
