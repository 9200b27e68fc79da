"""The tools of the registry as SQL functions: a signature comes in, a scalar and a table function
go out.

`web_search('duckdb').results[1].url` is the whole answer as a STRUCT with an `error` field; `FROM
web_search('duckdb')` has a row for each result, or one row where the answer has no list of results.
SQL speaks in snake case, and calls the count `n`. A tool that requires nothing requires its first
argument here, so that NULL in is NULL out.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Hashable
from functools import partial
from typing import Any

from webquarry.api import find_tool
from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.sql.functions.arguments import Parameter
from webquarry.sql.functions.function import Function, FunctionCall
from webquarry.sql.functions.types import (
    ERROR,
    ValueType,
    build_arrow_type,
    fit_value,
    infer_type,
)
from webquarry.sql.libraries import load_library
from webquarry.tool import Answer, Tool
from webquarry.tool_schema import build_object

# The tools that SQL offers, and the field with the rows of an answer; None: the answer is one row.
# Every one more makes each install slower.
OFFERED: dict[str, str | None] = {
    "web_search": "results",
    "academic_search": "papers",
    "patent_search": "patents",
    "search_and_scrape": "sources",
    "scrape_page": None,
    "web_fetch": None,
    "instant_answer": None,
}
# Columns that an answer has further down, and a table wants at hand.
_LIFTED = {"scrape_page": {"title": ("citation", "metadata", "title")}}
# A table of sources without their texts would be of little use.
_TABLE_DEFAULTS = {"search_and_scrape": {"include_sources": "true"}}
_FAILURES = "scrape_failures"  # pages that could not be read, in the answer of one tool
_RENAMED = {"num_results": "n", "sessionId": "session_id"}
_TYPES = {
    "string": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "array": "VARCHAR[]",
}
_CALLS_AT_ONCE = 16


def build_tool_functions() -> list[Function]:
    """The functions of the tools that SQL offers, made from their signatures: for each a scalar and
    a table function.
    """
    functions: list[Function] = []
    for name, rows_field in OFFERED.items():
        tool = find_tool(name)
        parameters = get_parameters(tool)
        whole = _build_answer_type(tool)
        row = whole
        if rows_field is not None:
            row = {**whole[rows_field][0], "error": ERROR}
        required = sum(1 for parameter in parameters if parameter.required)
        scalar = Function(
            name, parameters, whole, partial(_answer_scalars, tool, whole), places=required
        )
        table = Function(
            f"{name}_rows",
            (*parameters, Parameter("on_error")),
            [row],
            partial(_answer_tables, tool, row, rows_field),
            defaults=_TABLE_DEFAULTS.get(name),
            macro=name,
            public=False,
            scalar=None,
            table="SELECT unnest({call}, recursive := false, max_depth := 2)",
        )
        functions += [scalar, table]
    return functions


def _build_answer_type(tool: Tool) -> dict[str, Any]:
    """The fields of a tool's answer and an `error`; what is lifted up stands behind the first."""
    fields = infer_type(build_object(tool.answer, by_alias=False))
    assert isinstance(fields, dict)
    named = {_name_field(tool, name): part for name, part in fields.items()}
    first, *others = named
    lifted = dict.fromkeys(_LIFTED.get(tool.name, {}), "VARCHAR")
    rest = {name: named[name] for name in others}
    return {first: named[first], **lifted, **rest, "error": ERROR}


def _name_field(tool: Tool, name: str) -> str:
    """A field of the answer as SQL names it: the name in JSON, in snake case."""
    answer = tool.answer
    names = dict(zip(answer.__struct_fields__, answer.__struct_encode_fields__, strict=True))
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", names[name])


def _build_fields(tool: Tool, answer: Answer) -> dict[str, Any]:
    """The answer as its type has it."""
    dumped = answer.model_dump()
    fields = {_name_field(tool, name): value for name, value in dumped.items()}
    for name, path in _LIFTED.get(tool.name, {}).items():
        value: Any = fields
        for step in path:
            value = value[step]
        fields[name] = value
    return fields


def get_parameters(tool: Tool) -> tuple[Parameter, ...]:
    """The tool's parameters as SQL has them, the required ones first."""
    parameters = []
    required = _list_required(tool)
    for name, schema in tool.parameters["properties"].items():
        parameter = Parameter(
            name=_RENAMED.get(name, name),
            type=_TYPES.get(schema.get("type", ""), "VARCHAR"),
            required=name in required,
        )
        parameters.append(parameter)
    return tuple(sorted(parameters, key=lambda one: not one.required))


def _list_required(tool: Tool) -> list[str]:
    """The arguments that a call must have."""
    return tool.parameters["required"] or list(tool.parameters["properties"])[:1]


def _answer_scalars(tool: Tool, struct: ValueType, call: FunctionCall) -> Any:
    """One struct for each row; a row that failed has its `error` and nothing else."""
    arrow = load_library("pyarrow")
    structs = []
    for answer in _call_tool(tool, call):
        fields = answer
        if isinstance(answer, WebquarryError):
            fields = {"error": _build_error(answer)}
        value = fit_value(fields, struct)
        structs.append(value)
    arrow_type = build_arrow_type(struct)
    return arrow.array(structs, arrow_type)


def _answer_tables(
    tool: Tool, struct: ValueType, rows_field: str | None, call: FunctionCall
) -> Any:
    """A list of rows for each row; a failure is an error, or with `on_error := 'column'` a row that
    holds it.
    """
    arrow = load_library("pyarrow")
    (ways,) = call.arguments.to_lists("on_error")
    answers = _call_tool(tool, call)
    lists: list[list[Any]] = []
    for answer, way in zip(answers, ways, strict=True):
        if isinstance(answer, WebquarryError):
            if way != "column":
                raise answer
            rows = [{"error": _build_error(answer)}]
        elif answer is None:
            rows = []
        elif rows_field is not None:
            rows = answer[rows_field]
        else:
            rows = [answer]
        if way == "column" and isinstance(answer, dict):
            rows = rows + [_build_failed_row(failure) for failure in answer.get(_FAILURES, ())]
        values = [fit_value(row, struct) for row in rows]
        lists.append(values)
    arrow_type = build_arrow_type(struct)
    return arrow.array(lists, arrow.list_(arrow_type))


def _call_tool(tool: Tool, call: FunctionCall) -> list[Any]:
    """The answer, or the error, for each row, None for one that lacks an argument; the same
    arguments are answered once in a statement.
    """
    tool_names = {_RENAMED.get(name, name): name for name in tool.parameters["properties"]}
    sql_names = [parameter.name for parameter in get_parameters(tool)]
    columns = call.arguments.to_lists(*sql_names)
    required = set(_list_required(tool))
    keys: list[Hashable | None] = []
    todo: dict[Hashable, dict[str, Any]] = {}
    answers: dict[Hashable, Any] = {}
    for values in zip(*columns, strict=True):
        arguments: dict[str, Any] = {}
        for name, value in zip(sql_names, values, strict=True):
            if value is not None:
                arguments[tool_names[name]] = value
        if not required <= arguments.keys():
            keys.append(None)
            continue
        key = (tool.name, json.dumps(arguments, sort_keys=True))
        keys.append(key)
        if key in call.scope.answers:
            answers[key] = call.scope.answers[key]
        else:
            todo[key] = arguments
    if todo:
        work = _call_all(call, tool, todo)
        answers |= call.instance.run(work, call.scope, paid=False)
    return [key and answers[key] for key in keys]


async def _call_all(
    call: FunctionCall, tool: Tool, todo: dict[Hashable, dict[str, Any]]
) -> dict[Hashable, Any]:
    """The answer or the error for each key, a few calls at a time; answers are remembered for the
    statement.
    """
    places = asyncio.Semaphore(_CALLS_AT_ONCE)

    async def call_one(key: Hashable, arguments: dict[str, Any]) -> tuple[Hashable, Any]:
        async with places:
            try:
                answer = await tool.call_and_log(call.instance.kit, arguments)
            except WebquarryError as error:
                return key, error
            fields = _build_fields(tool, answer)
        call.scope.remember(key, fields)
        return key, fields

    calls = [call_one(key, arguments) for key, arguments in todo.items()]
    return dict(await asyncio.gather(*calls))


def _build_failed_row(failure: dict[str, Any]) -> dict[str, Any]:
    """A page that could not be read, as a row."""
    error = {
        "code": failure["kind"],
        "message": failure["reason"],
        "retryable": failure["retryable"],
    }
    return {"url": failure["url"], "error": error}


def _build_error(error: WebquarryError) -> dict[str, Any]:
    """An error of ours as the `error` field has it."""
    return {
        "code": error.kind,
        "message": redact(error.sentence),
        "retryable": error.retryable,
    }
