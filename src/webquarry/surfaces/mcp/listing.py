"""How `tools/list` shows a tool set: its tools in the set's own order, each as its schema is written."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from webquarry.tool import TextAnswer, Tool, toolset

_READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=True
)
_TOOL_KEYS = ("name", "title", "description", "inputSchema", "outputSchema")
_SCHEMA_KEYS = ("type", "properties", "required")


def listed_tools(set_name: str) -> dict[str, Tool]:
    """The tools by name, in the order their set gives, if it gives one: the first is the one most often wanted."""
    order: tuple[str, ...] = getattr(import_module(f"webquarry.tools.{set_name}"), "ORDER", ())
    rank = {name: place for place, name in enumerate(order)}
    return {tool.name: tool for tool in sorted(toolset(set_name), key=lambda tool: rank.get(tool.name, len(rank)))}


def describe(tool: Tool) -> types.Tool:
    """A tool as it is listed; one that answers with text has no output schema."""
    is_text = issubclass(tool.answer, TextAnswer)
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.parameters,
        output_schema=None if is_text else tool.output_schema,
        annotations=None if is_text else _READ_ONLY,
    )


async def as_written(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: the SDK writes the keys of its models by the alphabet; a list of tools gets back its own order."""
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict):
        result["tools"] = [_written(tool) for tool in result.get("tools", [])]
    return result


def _written(tool: Mapping[str, Any]) -> dict[str, Any]:
    schemas = {key: _first(tool[key], _SCHEMA_KEYS) for key in ("inputSchema", "outputSchema") if key in tool}
    return _first({**tool, **schemas}, _TOOL_KEYS)


def _first(values: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The same with these keys before all others."""
    return {**{key: values[key] for key in keys if key in values}, **values}
