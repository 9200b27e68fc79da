"""Our MCP server in the process of the test: with the SDK's client, or for a single tool."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp import Client
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage
from pydantic import TypeAdapter

from webquarry.mcp.calls import call_tool
from webquarry.mcp.handlers import ToolServer
from webquarry.mcp.listing import load_listing, read_settings
from webquarry.mcp.protocol import Message, Request, Server, Session
from webquarry.tool import Answer, Tool
from webquarry.toolkit import Toolkit

T = TypeVar("T")
MODERN = "2026-07-28"
_MESSAGE: TypeAdapter[JSONRPCMessage] = TypeAdapter(JSONRPCMessage)


@asynccontextmanager
async def connect(set_name: str = "research") -> AsyncIterator[TransportStreams]:
    """A transport for `mcp.Client`: a server of a tool set with the settings of the environment."""
    listing = load_listing(set_name)
    async with (
        Toolkit.open(read_settings(listing.package), runner="workers") as kit,
        connect_to(ToolServer(listing, lambda: kit)) as streams,
    ):
        yield streams


@asynccontextmanager
async def connect_to(server: Server) -> AsyncIterator[TransportStreams]:
    """A transport for `mcp.Client` that leads to any server."""
    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage](math.inf)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](
        math.inf
    )
    session = Session()
    tasks: set[asyncio.Task[None]] = set()

    async def send(message: Message) -> None:
        await server_writes.send(SessionMessage(_MESSAGE.validate_python(message)))

    async def answer(message: Message) -> None:
        response = await server.handle(session, message, send)
        if response is not None:
            await server_writes.send(SessionMessage(_MESSAGE.validate_json(response.body)))

    async def serve() -> None:
        async for item in server_reads:
            message = item.message.model_dump(by_alias=True, exclude_none=True, mode="json")
            task = asyncio.create_task(answer(message))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            if "method" in message and "id" in message:
                session.calls[message["id"]] = task

    with to_server, server_reads, server_writes, from_server:
        serving = asyncio.create_task(serve())
        try:
            yield from_server, to_server
        finally:
            serving.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(serving, *tasks, return_exceptions=True)


def with_client(
    work: Callable[[Client], Awaitable[T]],
    mode: str = "legacy",
    set_name: str = "research",
    **options: Any,
) -> T:
    """Run `work` with the SDK's client; `mode` is legacy, auto or a revision."""

    async def run() -> T:
        async with Client(connect(set_name), mode=mode, **options) as client:
            return await work(client)

    return asyncio.run(run())


def text_of(result: types.CallToolResult, index: int = 0) -> str:
    content = result.content[index]
    assert isinstance(content, types.TextContent)
    return content.text


async def call(
    tool: Tool | Callable[..., Awaitable[Answer]],
    kit: Toolkit,
    arguments: Message | None = None,
    *,
    text_format: str | None = None,
    revision: str = "2025-11-25",
    sent: list[Message] | None = None,
) -> types.CallToolResult:
    """The result of one call of a tool, or of a function as a tool. Progress is reported if there
    is a list for what is `sent`.
    """

    async def send(message: Message) -> None:
        await asyncio.sleep(0)
        assert sent is not None
        sent.append(message)

    if not isinstance(tool, Tool):
        tool = Tool(tool)
    params: Message = {"name": tool.name, "arguments": arguments}
    if sent is not None:
        params["_meta"] = {"progressToken": "token"}
    request = Request(Session(revision), 1, "tools/call", params, send)
    result = await call_tool(tool, kit, arguments or {}, request, text_format)
    return types.CallToolResult.model_validate(json.loads(result.encode()))
