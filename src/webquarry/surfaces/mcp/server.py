"""A tool set as an MCP server: the protocol's requests translated, nothing added.

Built on the low-level server of the official SDK, which checks neither arguments nor results:
`Tool.call` does. An unknown tool is a protocol error; whatever a tool says is a result. Research
sets also have resources, prompts and completion.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from webquarry import __version__
from webquarry.settings import Settings
from webquarry.surfaces.mcp import identity, prompts, resources
from webquarry.surfaces.mcp.calling import CallOptions, call
from webquarry.surfaces.mcp.external import ExternalTools
from webquarry.surfaces.mcp.listing import ServedTools, restore_key_order
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from webquarry.host.host import ToolHost

_LIST_SECONDS = 3600  # a list changes only with the program
_LISTS: tuple[CacheableMethod, ...] = (
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
)
_INVALID_PARAMS = -32602
_RESEARCH = "research"  # the package whose sets have resources and prompts besides

Context = ServerRequestContext[Toolkit]

__all__ = ["build_server", "call", "read_settings"]


def build_server(
    name: str,
    set_name: str,
    instructions: str | None = None,
    host: ToolHost | None = None,
    text: str | None = None,
    kit: Toolkit | None = None,
) -> Server[Toolkit]:
    """The server of one tool set, and of the external tools of a host besides, if one is given.

    Its toolkit is opened when it starts to serve and closed when it ends, unless one is given.
    `text` is what the text of a result holds; the setting says it otherwise.
    """
    tools = ServedTools(set_name)
    external = ExternalTools(host, tools) if host else None
    listed = types.ListToolsResult(tools=[*tools.listed(), *(external.listed if external else [])])
    schemas = {tool.name: tool.input_schema for tool in listed.tools}
    research = tools.package == _RESEARCH

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return listed

    server = Server(
        name,
        version=__version__,
        title="webquarry" if research else None,
        description=identity.DESCRIPTION if research else None,
        icons=identity.icons() if research else None,
        instructions=instructions or (identity.INSTRUCTIONS if research else None),
        lifespan=_toolkit_of(set_name, kit),
        cache_hints=dict.fromkeys(_LISTS, CacheHint(ttl_ms=_LIST_SECONDS * 1000, scope="public")),
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=_caller(tools, external, text),
        on_list_resources=resources.list_resources if research else None,
        on_list_resource_templates=resources.list_templates if research else None,
        on_read_resource=resources.read_resource if research else None,
        on_list_prompts=prompts.list_prompts if research else None,
        on_get_prompt=prompts.get_prompt if research else None,
        on_completion=prompts.complete if research else None,
    )
    if not any(
        variable.startswith("OTEL_") for variable in os.environ
    ):  # spans would be made for nobody
        server.middleware[:] = [
            one for one in server.middleware if type(one).__name__ != "OpenTelemetryMiddleware"
        ]
    server.middleware.append(restore_key_order)
    return server


def read_settings(set_name: str) -> Settings:
    """The settings from the environment, as a tool set that has some of its own (`own_settings`)
    wants them.
    """
    settings = Settings.from_environment()
    package = ServedTools(set_name).package
    adapt = getattr(import_module(f"webquarry.tools.{package}"), "own_settings", None)
    return adapt(settings) if adapt else settings


def _caller(
    tools: ServedTools, external: ExternalTools | None, text: str | None
) -> Callable[[Context, types.CallToolRequestParams], Awaitable[types.CallToolResult]]:
    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if external and params.name in external:
            return await external.call(params.name, params.arguments or {})
        if params.name not in tools:
            raise MCPError(
                _INVALID_PARAMS, f"Unknown tool: {params.name[:100]}", {"known": list(tools)}
            )
        kit = context.lifespan_context
        wanted = context.meta is not None and "progress_token" in context.meta
        manner = CallOptions(
            text or kit.settings.mcp_text,
            kit.settings.seconds_for(params.name),
            context.session.report_progress if wanted else None,
        )
        return await call(tools[params.name], kit, params.arguments or {}, manner)

    return call_tool


def _toolkit_of(
    set_name: str, given: Toolkit | None
) -> Callable[[Server[Toolkit]], AbstractAsyncContextManager[Toolkit]]:
    @asynccontextmanager
    async def toolkit(_: Server[Toolkit]) -> AsyncIterator[Toolkit]:
        if given is not None:
            yield given
            return
        async with Toolkit.open(read_settings(set_name)) as kit:
            yield kit

    return toolkit
