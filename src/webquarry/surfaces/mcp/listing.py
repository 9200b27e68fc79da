"""How `tools/list` shows a tool set: its tools in the set's own order, each as its schema is
written.

The lists of the sets that ship are generated (data/mcp), because importing the tools and making
their models would cost more than the rest of the start; a tool itself is imported when it is first
called. A list that does not name the tools there are is left aside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from webquarry.errors import BadInput
from webquarry.registry import module_names
from webquarry.surfaces.mcp.linking import schema_with_link
from webquarry.tool import TextAnswer, Tool, load

GENERATED = ("research",)  # the sets whose lists ship with the package
_TOOLS = "webquarry.tools"
_TOOL_KEYS = ("name", "title", "description", "inputSchema", "outputSchema")
_SCHEMA_KEYS = ("type", "properties", "required")


class ServedTools(Mapping[str, Tool]):
    """The tools of a set, or of a named part of one, by name; each is imported when it is first
    asked for.
    """

    def __init__(self, set_name: str) -> None:
        self.package, wanted = _package_and_names(set_name)
        self._names = _ordered(self.package, wanted)

    def __getitem__(self, name: str) -> Tool:
        if name not in self._names:
            raise KeyError(name)
        return load(self.package, name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def listed(self) -> list[types.Tool]:
        """As `tools/list` shows them."""
        ready = _generated(self.package)
        if set(ready) != set(module_names(f"{_TOOLS}.{self.package}")):
            return [describe(tool) for tool in self.values()]
        return [types.Tool.model_validate(ready[name]) for name in self]


def toolset_names() -> list[str]:
    """The names under which tools are served: the sets, and the named parts of them."""
    parts = [part for name in module_names(_TOOLS) for part in _parts(name)]
    return sorted([*module_names(_TOOLS), *parts])


def describe(tool: Tool) -> types.Tool:
    """A tool as it is listed; one that answers with text has no output schema."""
    if issubclass(tool.answer, TextAnswer):
        return types.Tool(
            name=tool.name, description=tool.description, input_schema=tool.parameters
        )
    return types.Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        input_schema=tool.parameters,
        output_schema=schema_with_link(tool.output_schema)
        if tool.answer.may_be_large
        else tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


def generated_list(set_name: str) -> str:
    """The file that holds the list of a set, as text."""
    tools = [
        describe(tool).model_dump(mode="json", by_alias=True, exclude_none=True)
        for tool in _live(set_name)
    ]
    return json.dumps([_written(tool) for tool in tools], ensure_ascii=False, indent=1) + "\n"


async def restore_key_order(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Middleware: the SDK writes the keys of its models by the alphabet; a list of tools gets back
    its own order.
    """
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict):
        result["tools"] = [_written(tool) for tool in result.get("tools", [])]
    return result


def _live(set_name: str) -> Iterator[Tool]:
    return (load(set_name, name) for name in _ordered(set_name, None))


def _generated(package: str) -> dict[str, Any]:
    if package not in GENERATED:
        return {}
    file = files("webquarry") / "data" / "mcp" / f"{package}.json"
    if file.is_file():
        return {tool["name"]: tool for tool in json.loads(file.read_text("utf-8"))}
    return {}


def _package_and_names(set_name: str) -> tuple[str, tuple[str, ...] | None]:
    """Where the tools of a set are, and which of those there it means; None: all."""
    if set_name in module_names(_TOOLS):
        return set_name, None
    for package in module_names(_TOOLS):
        if set_name in _parts(package):
            return package, _parts(package)[set_name]
    raise BadInput(
        f"There is no tool set {set_name!r}.",
        suggested_action=f"Use one of: {', '.join(toolset_names())}.",
    )


def _parts(package: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = getattr(import_module(f"{_TOOLS}.{package}"), "PARTS", {})
    return found


def _ordered(package: str, wanted: tuple[str, ...] | None) -> list[str]:
    order: tuple[str, ...] = getattr(import_module(f"{_TOOLS}.{package}"), "ORDER", ())
    rank = {name: place for place, name in enumerate(order)}
    names = [
        name for name in module_names(f"{_TOOLS}.{package}") if wanted is None or name in wanted
    ]
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))


def _written(tool: Mapping[str, Any]) -> dict[str, Any]:
    schemas = {
        key: _first(tool[key], _SCHEMA_KEYS)
        for key in ("inputSchema", "outputSchema")
        if key in tool
    }
    return _first({**tool, **schemas}, _TOOL_KEYS)


def _first(values: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The same with these keys before all others."""
    return {**{key: values[key] for key in keys if key in values}, **values}
