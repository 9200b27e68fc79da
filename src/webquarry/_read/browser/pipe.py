"""Chromium's debugging pipe (DevTools protocol): JSON messages, each terminated by a NUL byte."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import IO, Any, NamedTuple

from webquarry.errors import TooComplex

Event = dict[str, Any]
_REPLY_HEAD = re.compile(rb'\{"id":(\d{1,20}),"result":')
_MAX_RECEIVED = 64 * 1024 * 1024  # bytes
_COMMAND_SECONDS = 10.0


class BrowserGone(Exception):
    """The browser or the page ended during a command."""


class CommandRefused(Exception):
    """The browser replied to a command with an error."""


class _Pending(NamedTuple):
    """A command without a reply."""

    reply: asyncio.Future[Any]
    session: str | None
    is_raw: bool


class Pipe(asyncio.Protocol):
    """Both directions, for one event loop; `on_event` is called with every event."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event = on_event
        self._pending: dict[int, _Pending] = {}
        self._last_id = 0
        self._received = bytearray()
        self._transports: list[asyncio.BaseTransport] = []
        self._writer: asyncio.WriteTransport | None = None
        self.is_closed = False

    async def connect(self, commands: IO[bytes], replies: IO[bytes]) -> None:
        """Use our ends of two pipes, which are closed with this one."""
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: self, replies)
        self._writer, _ = await loop.connect_write_pipe(lambda: self, commands)

    async def command(
        self,
        method: str,
        parameters: dict[str, Any] | None = None,
        session: str | None = None,
        *,
        seconds: float = _COMMAND_SECONDS,
        is_raw: bool = False,
    ) -> Any:
        """Send a command and return its result; with `is_raw` the whole reply as bytes, for large
        ones.

        Raises BrowserGone, CommandRefused, or TooComplex after a timeout.
        """
        if self.is_closed:
            raise BrowserGone("The browser ended.")
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        number = self.notify(method, parameters or {}, session)
        self._pending[number] = _Pending(reply, session, is_raw)
        try:
            async with asyncio.timeout(seconds):
                return await reply
        except TimeoutError as error:
            raise TooComplex(f"Timed out waiting for the browser ({method}).") from error
        finally:
            del self._pending[number]

    def notify(self, method: str, parameters: dict[str, Any], session: str | None = None) -> int:
        """Send a command without waiting for its reply; returns its number."""
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        if self._writer is not None and not self.is_closed:
            self._writer.write(json.dumps(message).encode() + b"\0")
        return self._last_id

    def fail_commands(self, error: Exception, session: str | None = None) -> None:
        """Fail the pending commands of a page, or all."""
        for pending in self._pending.values():
            if session in (None, pending.session) and not pending.reply.done():
                pending.reply.set_exception(error)

    def close(self) -> None:
        """Close both ends, which ends the browser, and fail pending commands."""
        self.is_closed = True
        for transport in self._transports:
            transport.close()
        self.fail_commands(BrowserGone("The browser ended."))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transports.append(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.close()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > _MAX_RECEIVED:
            self.close()
        elif b"\0" in data:
            *messages, self._received = self._received.split(b"\0")
            for message in messages:
                self._dispatch(message)

    def _dispatch(self, message: bytearray) -> None:
        """Handle one message: the reply to a command, or an event."""
        head = _REPLY_HEAD.match(message)
        pending = self._pending.get(int(head[1])) if head else None
        if head and (pending is None or pending.is_raw):  # not parsed
            if pending is not None and not pending.reply.done():
                pending.reply.set_result(bytes(message))
            return
        fields = json.loads(message)
        if "id" not in fields:
            self._on_event(fields)
            return
        pending = self._pending.get(fields["id"])
        if pending is None or pending.reply.done():
            return
        if "error" in fields:
            reason = str(fields["error"].get("message", ""))[:200]
            pending.reply.set_exception(CommandRefused(f"The browser replied: {reason}."))
        else:
            pending.reply.set_result(fields["result"])
