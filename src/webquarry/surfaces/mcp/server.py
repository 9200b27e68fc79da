"""A tool set as an MCP server: the protocol's requests translated, nothing added.

Built on the low-level server of the official SDK, which checks neither arguments nor results:
`Tool.call` does. An unknown tool is a protocol error; whatever a tool says is a result. Research
sets also have resources, prompts and completion.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from webquarry import __version__
from webquarry.surfaces.mcp import identity, prompts, resources
from webquarry.surfaces.mcp.calling import CallOptions, call_tool
from webquarry.surfaces.mcp.external import ExternalTools
from webquarry.surfaces.mcp.linking import knows_links
from webquarry.surfaces.mcp.listing import APP_META, ServedTools, read_settings, restore_key_order
from webquarry.toolkit import Toolkit
from webquarry.views.app import APP_EXTENSION

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
CallHandler = Callable[[Context, types.CallToolRequestParams], Awaitable[types.CallToolResult]]


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
    descriptions = tools.describe_all()
    external = None
    if host is not None:
        external = ExternalTools(host, tools)
        descriptions += external.descriptions
    tool_list = types.ListToolsResult(tools=descriptions)
    has_app = any(APP_META in (tool.meta or {}) for tool in descriptions)
    schemas = {tool.name: tool.input_schema for tool in descriptions}

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return tool_list

    research: dict[str, Any] = {}
    if tools.package == _RESEARCH:
        research = _research_features(with_app=has_app)
        instructions = instructions or identity.INSTRUCTIONS
    server = Server(
        name,
        version=__version__,
        instructions=instructions,
        lifespan=_lifespan(set_name, kit),
        cache_hints=dict.fromkeys(_LISTS, CacheHint(ttl_ms=_LIST_SECONDS * 1000, scope="public")),
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
        on_call_tool=_call_handler(tools, external, text),
        **research,
    )
    if has_app:
        server.extensions[APP_EXTENSION] = {}
    is_traced = any(variable.startswith("OTEL_") for variable in os.environ)
    if not is_traced:  # spans would be made for nobody
        server.middleware[:] = [
            one for one in server.middleware if type(one).__name__ != "OpenTelemetryMiddleware"
        ]
    server.middleware.append(restore_key_order)
    return server


def _research_features(*, with_app: bool) -> dict[str, Any]:
    """What the servers of research sets have besides tools, as arguments of the SDK's server."""
    return {
        "title": "webquarry",
        "description": identity.DESCRIPTION,
        "icons": identity.icons(),
        "on_list_resources": resources.build_list(with_app=with_app),
        "on_list_resource_templates": resources.build_templates(with_app=with_app),
        "on_read_resource": resources.read_resource,
        "on_list_prompts": prompts.list_prompts,
        "on_get_prompt": prompts.get_prompt,
        "on_completion": prompts.complete,
    }


def _call_handler(
    tools: ServedTools, external: ExternalTools | None, text: str | None
) -> CallHandler:
    """What answers `tools/call`: an external tool or one of the set; others are not known."""

    async def handle_call(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        arguments = params.arguments or {}
        kit = context.lifespan_context
        if external and params.name in external:
            return await external.call(params.name, arguments, kit.calls)
        if params.name not in tools:
            raise MCPError(
                _INVALID_PARAMS, f"Unknown tool: {params.name[:100]}", {"known": list(tools)}
            )
        report = None
        if context.meta is not None and "progress_token" in context.meta:
            report = context.session.report_progress
        options = CallOptions(
            text or kit.settings.mcp_text,
            kit.settings.seconds_for(params.name),
            report,
            with_links=knows_links(context.protocol_version),
        )
        tool = await tools.load(params.name)
        return await call_tool(tool, kit, arguments, options)

    return handle_call


def _lifespan(
    set_name: str, shared: Toolkit | None
) -> Callable[[Server[Toolkit]], AbstractAsyncContextManager[Toolkit]]:
    """Gives the server its toolkit: the shared one, or one of its own while it serves."""

    @asynccontextmanager
    async def open_toolkit(_: Server[Toolkit]) -> AsyncIterator[Toolkit]:
        if shared is not None:
            yield shared
            return
        async with Toolkit.open(read_settings(set_name), runner="workers") as kit:
            yield kit

    return open_toolkit
