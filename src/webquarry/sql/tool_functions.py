"""The tools as SQL functions, built from their signatures: a scalar and a table function each.

`web_search('duckdb').results[1].url` is the whole answer as a STRUCT with an `error` field; `FROM
web_search('duckdb')` has a row for each result, or one row if the answer has no list of results.
Names are in snake case, and the count is `n`. The first argument of a tool without required ones is
required here, so that the function of NULL is NULL.
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
from webquarry.sql.arguments import Parameter
from webquarry.sql.function import Function, FunctionCall
from webquarry.sql.types import (
    ERROR,
    ValueType,
    build_arrow_type,
    fit_value,
    infer_type,
    load_library,
)
from webquarry.tool import Answer, Tool
from webquarry.tool_schema import build_object

# The tools of SQL, and the field with the rows of an answer; None: the answer is one row. Each tool
# makes installing slower.
OFFERED: dict[str, str | None] = {
    "web_search": "results",
    "academic_search": "papers",
    "patent_search": "patents",
    "search_and_scrape": "sources",
    "scrape_page": None,
    "web_fetch": None,
    "instant_answer": None,
}
# Nested fields that are also columns.
_LIFTED = {"scrape_page": {"title": ("citation", "metadata", "title")}}
# A table of sources without their texts is of little use.
_TABLE_DEFAULTS = {"search_and_scrape": {"include_sources": "true"}}
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
    """Return a scalar and a table function for each tool."""
    functions: list[Function] = []
    for name, rows_field in OFFERED.items():
        tool = find_tool(name)
        parameters = get_parameters(tool)
        whole = _build_answer_type(tool)
        row = whole if rows_field is None else {**whole[rows_field][0], "error": ERROR}
        required = sum(1 for parameter in parameters if parameter.required)
        scalar = Function(
            name, parameters, whole, partial(_answer_scalars, tool, whole), places=required
        )
        table = Function(
            f"{name}_rows",
            (*parameters, Parameter("on_error")),
            [row],
            partial(_answer_tables, tool, row, rows_field),
            defaults=_TABLE_DEFAULTS.get(name, {}),
            macro=name,
            public=False,
            scalar=None,
            table="SELECT unnest({call}, recursive := false, max_depth := 2)",
        )
        functions += [scalar, table]
    return functions


def _build_answer_type(tool: Tool) -> dict[str, Any]:
    """Return the fields of a tool's answer, with lifted ones after the first, and an `error`."""
    fields = infer_type(build_object(tool.answer, by_alias=False))
    assert isinstance(fields, dict)
    first, *others = [(_name_field(tool, name), part) for name, part in fields.items()]
    lifted = dict.fromkeys(_LIFTED.get(tool.name, {}), "VARCHAR")
    return {**dict([first]), **lifted, **dict(others), "error": ERROR}


def _name_field(tool: Tool, name: str) -> str:
    """Return the SQL name of a field of the answer: the name in JSON, in snake case."""
    answer = tool.answer
    names = dict(zip(answer.__struct_fields__, answer.__struct_encode_fields__, strict=True))
    return re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", names[name])


def _build_fields(tool: Tool, answer: Answer) -> dict[str, Any]:
    fields = {_name_field(tool, name): value for name, value in answer.model_dump().items()}
    for name, path in _LIFTED.get(tool.name, {}).items():
        value: Any = fields
        for step in path:
            value = value[step]
        fields[name] = value
    return fields


def get_parameters(tool: Tool) -> tuple[Parameter, ...]:
    """Return the tool's parameters, the required ones first."""
    properties = tool.parameters["properties"]
    required = tool.parameters["required"] or list(properties)[:1]
    parameters = []
    for name, schema in properties.items():
        kind = _TYPES.get(schema.get("type", ""), "VARCHAR")
        parameters.append(Parameter(_RENAMED.get(name, name), kind, name in required))
    return tuple(sorted(parameters, key=lambda one: not one.required))


def _answer_scalars(tool: Tool, struct: ValueType, call: FunctionCall) -> Any:
    """Return a struct for each row; one that failed has only its `error`."""
    structs = []
    for answer in _call_tool(tool, call):
        fields = _build_error(answer) if isinstance(answer, WebquarryError) else answer
        structs.append(fit_value(fields, struct))
    return load_library("pyarrow").array(structs, build_arrow_type(struct))


def _answer_tables(
    tool: Tool, struct: ValueType, rows_field: str | None, call: FunctionCall
) -> Any:
    """Return a list of rows for each row; a failure is raised, or with `on_error := 'column'` is a
    row.
    """
    (ways,) = call.arguments.to_lists("on_error")
    lists: list[list[Any]] = []
    for answer, way in zip(_call_tool(tool, call), ways, strict=True):
        rows: list[Any] = []
        if isinstance(answer, WebquarryError):
            if way != "column":
                raise answer
            rows = [_build_error(answer)]
        elif answer is not None:
            rows = [answer] if rows_field is None else answer[rows_field]
        lists.append([fit_value(row, struct) for row in rows])
    arrow = load_library("pyarrow")
    return arrow.array(lists, arrow.list_(build_arrow_type(struct)))


def _call_tool(tool: Tool, call: FunctionCall) -> list[Any]:
    """Return the answer or the error for each row, None if it lacks an argument; equal calls are
    made once in a statement.
    """
    parameters = get_parameters(tool)
    tool_names = {_RENAMED.get(name, name): name for name in tool.parameters["properties"]}
    columns = call.arguments.to_lists(*(parameter.name for parameter in parameters))
    keys: list[Hashable | None] = []
    missing: dict[Hashable, dict[str, Any]] = {}
    answers: dict[Hashable, Any] = {}
    for values in zip(*columns, strict=True):
        arguments: dict[str, Any] = {}
        key: Hashable | None = tool.name
        for parameter, value in zip(parameters, values, strict=True):
            if value is not None:
                arguments[tool_names[parameter.name]] = value
            elif parameter.required:
                key = None
        if key is not None:
            key = (tool.name, json.dumps(arguments, sort_keys=True))
            if key in call.scope.answers:
                answers[key] = call.scope.answers[key]
            else:
                missing[key] = arguments
        keys.append(key)
    if missing:
        answers |= call.instance.run(_call_all(call, tool, missing), call.scope, paid=False)
    return [key and answers[key] for key in keys]


async def _call_all(
    call: FunctionCall, tool: Tool, missing: dict[Hashable, dict[str, Any]]
) -> dict[Hashable, Any]:
    """Return the answer or the error for each key; answers are stored for the statement."""
    slots = asyncio.Semaphore(_CALLS_AT_ONCE)

    async def call_one(arguments: dict[str, Any]) -> Any:
        async with slots:
            try:
                return await tool.call_and_log(call.instance.kit, arguments)
            except WebquarryError as error:
                return error

    found = await asyncio.gather(*(call_one(arguments) for arguments in missing.values()))
    answers: dict[Hashable, Any] = {}
    for key, answer in zip(missing, found, strict=True):
        answers[key] = answer
        if not isinstance(answer, WebquarryError):
            answers[key] = _build_fields(tool, answer)
            call.scope.remember(key, answers[key])
    return answers


def _build_error(error: WebquarryError) -> dict[str, Any]:
    """Return a row with only an `error`."""
    message = redact(error.sentence)
    return {"error": {"code": error.kind, "message": message, "retryable": error.retryable}}
