"""The tools of the registry as SQL functions: a signature comes in, a scalar and a table function
go out.

`web_search('duckdb').results[1].url` is the whole answer as a STRUCT with an `error` field; `FROM
web_search('duckdb')` has a row for each result, or one row where the answer has no list of results.
SQL speaks in snake case, and calls the count `n`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Hashable
from functools import partial
from typing import Any

from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.surfaces.library import find_tool
from webquarry.surfaces.sql.functions.arguments import Parameter
from webquarry.surfaces.sql.functions.function import Function, FunctionCall
from webquarry.surfaces.sql.functions.types import ERROR, Shape, arrow_type, fit, shape_of
from webquarry.surfaces.sql.libraries import library
from webquarry.tool import Tool

OFFERED = (
    "web_search",
    "instant_answer",
    "web_fetch",
    "scrape_page",
)  # every one more makes each install slower
_RENAMED = {"num_results": "n", "sessionId": "session_id"}
_TYPES = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}
_AT_ONCE = 16


def tool_functions() -> list[Function]:
    """The functions of the tools that SQL offers, made from their signatures."""
    return [made for name in OFFERED for made in _functions(find_tool(name))]


def _functions(found: Tool) -> list[Function]:
    taken = parameters_of(found)
    shape = shape_of(found.answer.model_json_schema(mode="serialization", by_alias=False))
    assert isinstance(shape, dict)
    whole = {**shape, "error": ERROR}
    listed = shape.get("results")
    if isinstance(listed, list) and isinstance(listed[0], dict):
        row = {**listed[0], "error": ERROR}
    else:
        row = whole
    required = sum(1 for one in taken if one.required)
    return [
        Function(found.name, taken, whole, partial(_answers, found, whole), places=required),
        Function(
            f"{found.name}_rows",
            (*taken, Parameter("on_error")),
            [row],
            partial(_rows, found, row, row is not whole),
            macro=found.name,
            public=False,
            scalar=None,
            table="SELECT unnest({call}, recursive := false, max_depth := 2)",
        ),
    ]


def parameters_of(found: Tool) -> tuple[Parameter, ...]:
    """The tool's parameters as SQL has them."""
    required = found.parameters["required"]
    made = [
        Parameter(_RENAMED.get(name, name), _type(schema), name in required)
        for name, schema in found.parameters["properties"].items()
    ]
    return tuple(sorted(made, key=lambda one: not one.required))


def _type(schema: dict[str, Any]) -> str:
    if schema.get("type") == "array":
        return "VARCHAR[]"
    return _TYPES.get(schema.get("type", ""), "VARCHAR")


def _answers(found: Tool, shape: Shape, call: FunctionCall) -> Any:
    """One struct for each row; a row that failed has its `error` and nothing else."""
    arrow = library("pyarrow")
    values = [
        None
        if one is None
        else {"error": _trouble(one)}
        if isinstance(one, WebquarryError)
        else one
        for one in _called(found, call)
    ]
    return arrow.array([fit(value, shape) for value in values], arrow_type(shape))


def _rows(found: Tool, shape: Shape, listed: bool, call: FunctionCall) -> Any:
    """A list of rows for each row; a failure is an error, or with `on_error := 'column'` a row that
    holds it.
    """
    arrow = library("pyarrow")
    lists: list[list[Any]] = []
    for answer, way in zip(_called(found, call), call.given.lists("on_error")[0], strict=True):
        if isinstance(answer, WebquarryError):
            if way != "column":
                raise answer
            lists.append([{"error": _trouble(answer)}])
        elif answer is None:
            lists.append([])
        else:
            lists.append(answer["results"] if listed else [answer])
    return arrow.array(
        [[fit(row, shape) for row in rows] for rows in lists], arrow.list_(arrow_type(shape))
    )


def _called(found: Tool, call: FunctionCall) -> list[Any]:
    """The answer, or the error, for each row; the same arguments are answered once in a statement."""
    taken = parameters_of(found)
    names = {_RENAMED.get(name, name): name for name in found.parameters["properties"]}
    columns = call.given.lists(*(one.name for one in taken))
    wanted: list[Hashable | None] = []
    asked: dict[Hashable, dict[str, Any]] = {}
    for row in zip(*columns, strict=True):
        arguments = {
            names[one.name]: value
            for one, value in zip(taken, row, strict=True)
            if value is not None
        }
        missing = any(one.required and names[one.name] not in arguments for one in taken)
        if missing:
            key = None
        else:
            key = (found.name, json.dumps(arguments, sort_keys=True))
        wanted.append(key)
        if key is not None:
            asked[key] = arguments
    known = {key: call.scope.answers[key] for key in asked if key in call.scope.answers}
    todo = {key: arguments for key, arguments in asked.items() if key not in known}
    if todo:
        known |= call.instance.run(_call_all(call, found, todo), call.scope, paid=False)
    return [None if key is None else known[key] for key in wanted]


async def _call_all(
    call: FunctionCall, found: Tool, todo: dict[Hashable, dict[str, Any]]
) -> dict[Hashable, Any]:
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(key: Hashable, arguments: dict[str, Any]) -> tuple[Hashable, Any]:
        async with turn:
            try:
                answer: Any = (await found.call(call.instance.kit, arguments)).model_dump(
                    mode="json", by_alias=False
                )
            except WebquarryError as error:
                return key, error
        call.scope.remember(key, answer)
        return key, answer

    return dict(await asyncio.gather(*(one(key, arguments) for key, arguments in todo.items())))


def _trouble(error: WebquarryError) -> dict[str, Any]:
    return {"code": error.kind, "message": redact(error.message), "retryable": error.retryable}
