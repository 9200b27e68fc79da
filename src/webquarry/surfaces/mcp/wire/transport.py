"""Between the lines of stdin and stdout and the message streams of the SDK.

Whatever comes is answered: what is no message by us, the rest by the server. Answers to a batch are
gathered and written as one list. When stdin is closed, calls under way get some time to end, and
their answers are still written.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from webquarry.surfaces.mcp.wire.lines import (
    BatchAnswers,
    Line,
    Message,
    encode,
    find_revision,
    parse_line,
)
from webquarry.surfaces.mcp.wire.standard_streams import LineWriter, claim_streams, read_lines

log = logging.getLogger(__name__)

_INTERNAL_ERROR = -32603

ToServer = MemoryObjectSendStream[SessionMessage | Exception]
FromServer = MemoryObjectReceiveStream[SessionMessage]
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@asynccontextmanager
async def open_stdio(grace_seconds: float) -> AsyncIterator[Streams]:
    """The streams that a server reads from and writes to. stdin and stdout belong to them until
    the end.
    """
    with claim_streams() as (reading, writing):
        transport = StdioTransport(LineWriter(writing), grace_seconds)
        to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        with to_server, server_reads, server_writes, from_server:
            async with asyncio.TaskGroup() as tasks:
                taking_in = tasks.create_task(transport.take_in(read_lines(reading), to_server))
                tasks.create_task(transport.give_out(from_server))
                yield server_reads, server_writes
                taking_in.cancel()


class StdioTransport:
    """One connection on stdin and stdout."""

    def __init__(self, writer: LineWriter, grace_seconds: float) -> None:
        self._writer = writer
        self._grace_seconds = grace_seconds
        self._revision: str | None = None
        # Requests that wait for their answers: the batch that each is in, if any. Nobody keeps a
        # client from using an id twice.
        self._under_way: dict[types.RequestId | None, list[BatchAnswers | None]] = {}
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    async def take_in(self, lines: AsyncIterator[bytes], to_server: ToServer) -> None:
        """Hand on what the client sends, until it closes stdin and has its answers."""
        with suppress(anyio.BrokenResourceError):  # the server has ended
            async with to_server:
                async for line in lines:
                    await self._take_line(parse_line(line, self._revision), to_server)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._grace_seconds):
                        await self._is_idle.wait()

    async def give_out(self, from_server: FromServer) -> None:
        """Write what the server sends, until it ends."""
        async with from_server:
            async for sent in from_server:
                text = _render(sent.message)
                answered = _find_answered(sent.message)
                if answered in self._under_way:
                    await self._settle(answered, text)
                else:
                    await self._writer.write(text)

    async def _take_line(self, line: Line, to_server: ToServer) -> None:
        batch = BatchAnswers(line) if line.is_batch else None
        if batch is None:
            for refusal in line.refusals:
                await self._writer.write(encode(refusal))
        elif batch.is_complete:
            await self._write_batch(batch)
        for message in line.messages:
            self._revision = find_revision(message) or self._revision
            typed = _type_message(message)
            metadata = None
            if isinstance(typed, types.JSONRPCRequest):
                self._under_way.setdefault(typed.id, []).append(batch)
                self._is_idle.clear()
                cancelled = partial(self._settle, typed.id, None)
                metadata = ServerMessageMetadata(on_request_unanswered=cancelled)
            await to_server.send(SessionMessage(typed, metadata))

    async def _settle(self, id: types.RequestId | None, answer: str | None) -> None:
        """Write the answer to a request, or keep it until its batch is complete; a request that
        was cancelled has none.
        """
        waiting = self._under_way[id]
        batch = waiting.pop(0)
        if not waiting:
            del self._under_way[id]
        if batch is not None:
            batch.settle(answer)
            if batch.is_complete:
                await self._write_batch(batch)
        elif answer is not None:
            await self._writer.write(answer)
        if not self._under_way:
            self._is_idle.set()

    async def _write_batch(self, batch: BatchAnswers) -> None:
        answers = batch.render()
        if answers is not None:
            await self._writer.write(answers)


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
