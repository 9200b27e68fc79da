"""A tool set as an MCP server: `tools/list` and `tools/call` translated, nothing added.

Built on the low-level server of the official SDK, which checks neither arguments nor results: `Tool.call` does.
A failure is a result with `isError`, so that a model can repair its call; an unknown tool is a protocol error.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from webquarry import __version__
from webquarry.errors import WebquarryError
from webquarry.host.host import ToolHost
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.surfaces.mcp.external import ExternalTools
from webquarry.surfaces.mcp.listing import as_written, describe, listed_tools
from webquarry.tool import Answer, TextAnswer, Tool
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

_LIST_SECONDS = 3600  # a tool list changes only with the program
_INVALID_PARAMS = -32602

Context = ServerRequestContext[Toolkit]


def build_server(
    name: str, set_name: str, instructions: str | None = None, host: ToolHost | None = None
) -> Server[Toolkit]:
    """The server of one tool set, and of the external tools of a host besides, if one is given.

    Its toolkit is opened when it starts to serve and closed when it ends.
    """
    tools = listed_tools(set_name)
    external = ExternalTools(host, tools) if host else None
    listed = types.ListToolsResult(
        tools=[*(describe(tool) for tool in tools.values()), *(external.listed if external else [])]
    )

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if external and params.name in external:
            return await external.call(params.name, params.arguments or {})
        if params.name not in tools:
            raise MCPError(_INVALID_PARAMS, f"Unknown tool: {params.name[:100]}", {"known": list(tools)})
        return await call(tools[params.name], context.lifespan_context, params.arguments or {})

    server = Server(
        name,
        version=__version__,
        instructions=instructions,
        lifespan=_toolkit_of(set_name),
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_SECONDS * 1000, scope="public")},
        get_tool_input_schema=lambda tool: tools[tool].parameters if tool in tools else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(as_written)
    return server


async def call(tool: Tool, kit: Toolkit, arguments: dict[str, Any]) -> types.CallToolResult:
    """Run a tool and give back what the protocol wants of it."""
    try:
        answer = await tool.call(kit, arguments)
    except WebquarryError as error:
        return failure(tool, error)
    except Exception as error:
        log.exception("the tool %s failed", tool.name)
        return failure(tool, WebquarryError(f"The tool {tool.name} failed: {type(error).__name__}."))
    return success(answer)


def success(answer: Answer) -> types.CallToolResult:
    """Text answers are their text; the others are structured, with the same JSON as text for older clients."""
    if isinstance(answer, TextAnswer):
        return types.CallToolResult(content=[types.TextContent(text=answer.text)], _meta=answer.meta or None)
    data = answer.as_dict()
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content=data, _meta=answer.meta or None
    )


def failure(tool: Tool, error: WebquarryError) -> types.CallToolResult:
    """A sentence for the model, then, unless the tool speaks in text only, the facts as JSON."""
    sentence = redact(f"{error.message} {error.suggested_action}".strip())
    content: list[types.ContentBlock] = [types.TextContent(text=sentence)]
    if not issubclass(tool.answer, TextAnswer):
        facts = {key: value for key, value in error.as_dict().items() if key != "message"}
        content.append(types.TextContent(text=redact(json.dumps(facts, ensure_ascii=False))))
    return types.CallToolResult(content=content, is_error=True)


def settings_of(set_name: str) -> Settings:
    """The settings from the environment, as a tool set that has some of its own (`own_settings`) wants them."""
    settings = Settings.from_environment()
    adapt = getattr(import_module(f"webquarry.tools.{set_name}"), "own_settings", None)
    return adapt(settings) if adapt else settings


def _toolkit_of(set_name: str) -> Callable[[Server[Toolkit]], AbstractAsyncContextManager[Toolkit]]:
    @asynccontextmanager
    async def toolkit(_: Server[Toolkit]) -> AsyncIterator[Toolkit]:
        async with Toolkit.open(settings_of(set_name)) as kit:
            yield kit

    return toolkit
