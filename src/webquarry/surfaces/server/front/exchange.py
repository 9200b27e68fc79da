"""One request that is answered by the front, and what is sent for it: under its id, in one packet
where it is small, and else as slowly as the client takes it.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from webquarry.logs import add_labels
from webquarry.meter import span
from webquarry.surfaces.server.front.protocols import JoinedWrites
from webquarry.surfaces.server.front.streams import LateStream
from webquarry.surfaces.server.request_tracking import HUNG_UP, REQUEST_ID, log_request
from webquarry.surfaces.server.slow_clients import PIECE_BYTES, Outbox

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import Any

    from starlette.types import Message, Receive, Send

    from webquarry.surfaces.server.slow_clients import LimitedConnection

_JSON = (b"content-type", b"application/json")


class HttpExchange:
    """A request under way, from whoever is at the other end of a connection."""

    __slots__ = ("_connection", "_id", "_outbox", "_send", "_started", "_status", "_stream")

    def __init__(self, id: str, send: Send, connection: LimitedConnection | None) -> None:
        self._id = id
        self._send = send
        self._connection = connection
        self._started = time.monotonic()
        self._status = HUNG_UP
        self._stream: LateStream | None = None
        self._outbox: Outbox | None = None

    async def track(self, path: str, work: Awaitable[None]) -> None:
        """Do the work that ends with an answer: measured, and logged with its id."""
        with add_labels(request=self._id), span("request", path=path) as end:
            try:
                await work
                if self._outbox is not None:
                    await self._outbox.finish()
            except BaseException:
                if self._status == HUNG_UP:
                    self._status = 500
                raise
            finally:
                if self._outbox is not None:
                    self._outbox.close()
                end(str(self._status))
                log_request("POST", path, self._status, self._started)

    async def put(self, message: Message) -> None:
        """Send a message of an answer, the first with the id of the request."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message["headers"] = [*message["headers"], (REQUEST_ID, self._id.encode())]
        if self._outbox is None:
            await self._send(message)
        else:
            await self._outbox.put(message)

    async def answer(self, body: bytes, status: int = 200) -> None:
        """Send an answer, or end the stream that has begun in its place."""
        if self._stream is not None:
            await self._stream.finish(body)
            return
        headers = [_JSON, (b"content-length", b"%d" % len(body))]
        start = {"type": "http.response.start", "status": status, "headers": headers}
        content = {"type": "http.response.body", "body": body}
        transport: Any = getattr(self._connection, "transport", None)
        if self._connection is None or len(body) > PIECE_BYTES:
            self._outbox = Outbox(self._send, self._connection)
        elif type(transport) is JoinedWrites:
            transport.wait()
        try:
            await self.put(start)
            await self.put(content)
        finally:
            if type(transport) is JoinedWrites:
                transport.write_waiting()

    def begin_stream(self, seconds: float) -> None:
        """Answer with a stream, since the answer takes long; something is said on it that often."""
        self._outbox = Outbox(self._send, self._connection)
        self._stream = LateStream(self.put, seconds)

    async def work_for_client(self, work: Awaitable[bytes], receive: Receive) -> None:
        """Answer with what comes of the work, which ends when the client hangs up."""
        task = asyncio.current_task()
        assert task is not None
        watching = None
        if self._connection is None:
            watching = asyncio.create_task(_cancel_at_end(task, receive))
        else:
            self._connection.work = task
        try:
            await self.answer(await work)
        except asyncio.CancelledError:
            if not (watching.done() if watching else self._is_lost()):
                raise
            task.uncancel()
        finally:
            if self._connection is not None:
                self._connection.work = None
            if watching is not None:
                watching.cancel()
            if self._stream is not None:
                await self._stream.stop()

    def _is_lost(self) -> bool:
        return self._connection is not None and self._connection.is_lost


async def _cancel_at_end(task: asyncio.Task[Any], receive: Receive) -> None:
    """Cancel a task when its client hangs up."""
    while (await receive())["type"] != "http.disconnect":
        continue
    task.cancel()
