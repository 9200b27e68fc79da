"""Chromium's debugging pipe (DevTools protocol): JSON messages, each terminated by a NUL byte."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webquarry.errors import TooComplex

Event = dict[str, Any]
_READ_BYTES = 1 << 20
_REPLY_HEAD = re.compile(rb'\{"id":(\d{1,20}),"result":')
_MAX_MESSAGE = 64 * 1024 * 1024
_COMMAND_SECONDS = 10.0


class BrowserGone(Exception):
    """The browser or the page ended during a command."""


class CommandRefused(Exception):
    """The browser replied to a command with an error."""


@dataclass
class _Pending:
    """A command without a reply."""

    reply: asyncio.Future[Any]
    session: str | None
    is_raw: bool


class Pipe:
    """Both directions, for one event loop. `on_event` receives every event; `on_close` is called
    once, also if the browser exits by itself.
    """

    def __init__(
        self,
        commands: int,
        replies: int,
        on_event: Callable[[Event], None],
        on_close: Callable[[], None],
    ) -> None:
        self._commands = commands
        self._replies = replies
        self._on_event = on_event
        self._on_close = on_close
        self._loop = asyncio.get_running_loop()
        self._pending: dict[int, _Pending] = {}
        self._next_id = 0
        self._to_write: deque[memoryview] = deque()
        self._received = bytearray()
        self._searched = 0  # bytes of it without NUL
        self.is_closed = False
        for descriptor in (commands, replies):
            os.set_blocking(descriptor, False)
        self._loop.add_reader(replies, self._read)

    async def command(
        self,
        method: str,
        parameters: dict[str, Any] | None = None,
        session: str | None = None,
        *,
        seconds: float = _COMMAND_SECONDS,
    ) -> dict[str, Any]:
        """Send a command and return its result.

        Raises BrowserGone, CommandRefused, or TooComplex after a timeout.
        """
        result: dict[str, Any] = await self._send(method, parameters, session, seconds)
        return result

    async def command_raw(
        self, method: str, parameters: dict[str, Any], session: str, *, seconds: float
    ) -> bytes:
        """Send a command and return the whole reply unparsed; it can be large."""
        reply: bytes = await self._send(method, parameters, session, seconds, is_raw=True)
        return reply

    def notify(self, method: str, parameters: dict[str, Any], session: str | None = None) -> None:
        """Send a command without waiting for its reply."""
        if not self.is_closed:
            self._write(method, parameters, session)

    def fail_session(self, session: str, error: Exception) -> None:
        """Fail the pending commands of a page that has crashed."""
        for pending in self._pending.values():
            if pending.session == session and not pending.reply.done():
                pending.reply.set_exception(error)

    def close(self) -> None:
        """Close both ends, which ends the browser, and fail pending commands."""
        if self.is_closed:
            return
        self.is_closed = True
        self._loop.remove_reader(self._replies)
        self._loop.remove_writer(self._commands)
        for descriptor in (self._commands, self._replies):
            os.close(descriptor)
        self._on_close()
        for pending in self._pending.values():
            if not pending.reply.done():
                pending.reply.set_exception(BrowserGone("The browser ended."))

    async def _send(
        self,
        method: str,
        parameters: dict[str, Any] | None,
        session: str | None,
        seconds: float,
        *,
        is_raw: bool = False,
    ) -> Any:
        if self.is_closed:
            raise BrowserGone("The browser ended.")
        pending = _Pending(self._loop.create_future(), session, is_raw)
        number = self._next_id + 1
        self._pending[number] = pending
        try:
            self._write(method, parameters or {}, session)
            async with asyncio.timeout(seconds):
                return await pending.reply
        except TimeoutError as error:
            raise TooComplex(f"Timed out waiting for the browser ({method}).") from error
        finally:
            del self._pending[number]

    def _write(self, method: str, parameters: dict[str, Any], session: str | None) -> None:
        self._next_id += 1
        message: dict[str, Any] = {"id": self._next_id, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        if not self._to_write:
            self._loop.add_writer(self._commands, self._flush)
        self._to_write.append(memoryview(json.dumps(message).encode() + b"\0"))
        self._flush()

    def _flush(self) -> None:
        """Write until the pipe is full."""
        while self._to_write:
            data = self._to_write[0]
            try:
                written = os.write(self._commands, data)
            except BlockingIOError:
                return
            except OSError:  # the browser has ended
                self.close()
                return
            if written < len(data):
                self._to_write[0] = data[written:]
                return
            self._to_write.popleft()
        self._loop.remove_writer(self._commands)

    def _read(self) -> None:
        try:
            data = os.read(self._replies, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data or len(self._received) + len(data) > _MAX_MESSAGE:
            self.close()
            return
        self._received += data
        while not self.is_closed:
            end = self._received.find(0, self._searched)
            if end < 0:
                self._searched = len(self._received)
                return
            message = bytes(memoryview(self._received)[:end])
            del self._received[: end + 1]
            self._searched = 0
            self._dispatch(message)

    def _dispatch(self, message: bytes) -> None:
        """Handle one message: the reply to a command, or an event."""
        head = _REPLY_HEAD.match(message)
        pending = self._pending.get(int(head[1])) if head else None
        if head and (pending is None or pending.is_raw):  # not parsed
            if pending is not None and not pending.reply.done():
                pending.reply.set_result(message)
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
