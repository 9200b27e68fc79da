"""Between a connection on stdin and stdout and the message streams of the SDK's server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from webquarry.surfaces.mcp.wire.connection import HandOn, StdioConnection
from webquarry.surfaces.mcp.wire.lines import Message, encode

log = logging.getLogger(__name__)

_INTERNAL_ERROR = -32603
_REPLAYED = "webquarry-replayed-"  # the ids of requests that the client has its answers to already

ToServer = MemoryObjectSendStream[SessionMessage | Exception]
FromServer = MemoryObjectReceiveStream[SessionMessage]


@asynccontextmanager
async def serve_behind(
    server: Server[Any], connection: StdioConnection, seen: Iterable[Message] = ()
) -> AsyncIterator[HandOn]:
    """Run the server for a connection; what comes back hands a message on to it. It gets to see
    first what was answered without it (`seen`); its answers to that are dropped.
    """
    to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    options = server.create_initialization_options()
    with to_server, server_reads, server_writes, from_server:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(server.run(server_reads, server_writes, options))
            tasks.create_task(_give_out(from_server, connection))
            for number, message in enumerate(seen):
                if "id" in message:
                    message = {**message, "id": f"{_REPLAYED}{number}"}
                await to_server.send(SessionMessage(_type_message(message)))
            yield partial(_hand_on, to_server, connection)
            await to_server.aclose()
            await running


async def _hand_on(to_server: ToServer, connection: StdioConnection, message: Message) -> None:
    typed = _type_message(message)
    metadata = None
    if isinstance(typed, types.JSONRPCRequest):
        cancelled = partial(connection.settle, typed.id, None)
        metadata = ServerMessageMetadata(on_request_unanswered=cancelled)
    with suppress(anyio.BrokenResourceError):  # the server has ended, and says why itself
        await to_server.send(SessionMessage(typed, metadata))


async def _give_out(from_server: FromServer, connection: StdioConnection) -> None:
    """Write what the server sends, until it ends."""
    async with from_server:
        async for sent in from_server:
            answered = _find_answered(sent.message)
            if isinstance(answered, str) and answered.startswith(_REPLAYED):
                continue
            text = _render(sent.message)
            if answered is not None and connection.is_awaited(answered):
                await connection.settle(answered, text.encode())
            else:
                await connection.writer.write(text)


def _type_message(message: Message) -> types.JSONRPCMessage:
    """A message that was checked, as the SDK has it."""
    if "method" not in message:
        if "error" in message:
            return types.JSONRPCError.model_validate(message)
        return types.JSONRPCResponse.model_validate(message)
    if "id" in message:
        return types.JSONRPCRequest.model_validate(message)
    return types.JSONRPCNotification.model_validate(message)


def _find_answered(message: types.JSONRPCMessage) -> types.RequestId | None:
    """The id of the request that a message answers; None where it answers none."""
    if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
        return message.id
    return None


def _render(message: types.JSONRPCMessage) -> str:
    """A message as JSON; what cannot be written so costs only its own request its answer."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:
        log.exception("an answer could not be written as JSON")
        error = {"code": _INTERNAL_ERROR, "message": "The answer could not be written as JSON."}
        return encode({"jsonrpc": "2.0", "id": getattr(message, "id", None), "error": error})
