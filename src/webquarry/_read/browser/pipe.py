"""Chromium's debugging pipe: commands go out, answers and events come in.

Messages are JSON, each ended by a NUL byte, on two pipes that only the browser and we hold. Answers
that may be large can be had as the bytes that came, so that nobody parses them on the loop.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import re
from collections import deque
from collections.abc import Callable
from typing import Any

from webquarry.errors import TooComplex

log = logging.getLogger(__name__)

Event = dict[str, Any]
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Python knows since 3.10 on Linux alone
_PIPE_SIZE = 1 << 20
_PIECE = 1 << 20
_LONGEST_HEAD = 40  # bytes within which an answer tells whose it is
_ANSWER_HEAD = re.compile(rb'\{"id":(\d+),"result":')
LARGEST_MESSAGE = 64 * 1024 * 1024
COMMAND_SECONDS = 10.0


class BrowserGone(Exception):
    """The browser, or the page in it, ended while something was asked of it."""


class CommandRefused(Exception):
    """The browser answered a command with an error."""


class Pipe:
    """Both directions, for one event loop. `on_event` sees every event and `on_close` the end, also
    where the browser ended by itself; neither may wait.
    """

    def __init__(
        self,
        commands: int,
        answers: int,
        on_event: Callable[[Event], None],
        on_close: Callable[[], None],
    ) -> None:
        self._commands = commands
        self._answers = answers
        self._on_event = on_event
        self._on_close = on_close
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, _Waiting] = {}
        self._next_id = 0
        self._to_write: deque[memoryview] = deque()
        self._received = bytearray()
        self._searched = 0  # bytes of it that hold no NUL
        self.is_closed = False
        for descriptor in (commands, answers):
            os.set_blocking(descriptor, False)
            try:
                fcntl.fcntl(descriptor, _SET_PIPE_SIZE, _PIPE_SIZE)
            except OSError:
                log.debug("the pipe to the browser stays as small as it is")
        self._loop.add_reader(answers, self._read)

    async def command(
        self,
        method: str,
        parameters: dict[str, Any] | None = None,
        session: str | None = None,
        *,
        seconds: float = COMMAND_SECONDS,
    ) -> dict[str, Any]:
        """The result of a command. Raises BrowserGone, CommandRefused, or TooComplex when no answer
        comes in time.
        """
        answer = await self._send(method, parameters, session, seconds, is_raw=False)
        assert isinstance(answer, dict)
        return answer

    async def command_raw(
        self, method: str, parameters: dict[str, Any], session: str, *, seconds: float
    ) -> bytes:
        """The whole answer as it came, for those who parse it elsewhere."""
        answer = await self._send(method, parameters, session, seconds, is_raw=True)
        assert isinstance(answer, bytes)
        return answer

    def tell(self, method: str, parameters: dict[str, Any], session: str | None = None) -> None:
        """A command whose answer nobody waits for."""
        if not self.is_closed:
            self._next_id += 1
            self._write(self._next_id, method, parameters, session)

    def fail_session(self, session: str, error: Exception) -> None:
        """End whoever waits for a page that will not answer any more."""
        for waiting in list(self._waiting.values()):
            if waiting.session == session:
                waiting.set_exception(error)

    def close(self) -> None:
        """Close both ends, which ends the browser; whoever waits gets an error."""
        if self.is_closed:
            return
        self.is_closed = True
        self._loop.remove_reader(self._answers)
        self._loop.remove_writer(self._commands)
        for descriptor in (self._commands, self._answers):
            os.close(descriptor)
        self._on_close()
        for waiting in self._waiting.values():
            waiting.set_exception(BrowserGone("The browser ended."))

    async def _send(
        self,
        method: str,
        parameters: dict[str, Any] | None,
        session: str | None,
        seconds: float,
        *,
        is_raw: bool,
    ) -> dict[str, Any] | bytes:
        if self.is_closed:
            raise BrowserGone("The browser ended.")
        self._next_id += 1
        number = self._next_id
        waiting = _Waiting(self._loop.create_future(), session, is_raw)
        self._waiting[number] = waiting
        try:
            self._write(number, method, parameters or {}, session)
            async with asyncio.timeout(seconds):
                return await waiting.answer
        except TimeoutError as error:
            raise TooComplex(f"The browser did not answer {method} in time.") from error
        finally:
            del self._waiting[number]

    def _write(
        self, number: int, method: str, parameters: dict[str, Any], session: str | None
    ) -> None:
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        if not self._to_write:
            self._loop.add_writer(self._commands, self._flush)
        self._to_write.append(memoryview(data))
        self._flush()

    def _flush(self) -> None:
        """Write as much as the pipe takes now."""
        while self._to_write:
            piece = self._to_write[0]
            try:
                written = os.write(self._commands, piece)
            except BlockingIOError:
                return
            except OSError:  # it has ended
                self.close()
                return
            if written < len(piece):
                self._to_write[0] = piece[written:]
                return
            self._to_write.popleft()
        self._loop.remove_writer(self._commands)

    def _read(self) -> None:
        try:
            data = os.read(self._answers, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data or len(self._received) + len(data) > LARGEST_MESSAGE:
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
            self._take(message)

    def _take(self, message: bytes) -> None:
        """One message: somebody's answer, or an event."""
        head = _ANSWER_HEAD.match(message, 0, _LONGEST_HEAD)
        if head is not None:
            waiting = self._waiting.get(int(head[1]))
            if waiting is None:
                return  # nobody waits any more
            if waiting.is_raw:
                waiting.set_result(message)
                return
        fields = json.loads(message)
        if "id" not in fields:
            self._on_event(fields)
            return
        waiting = self._waiting.get(fields["id"])
        if waiting is None:
            return
        if "error" in fields:
            words = str(fields["error"].get("message", ""))[:200]
            waiting.set_exception(CommandRefused(f"The browser said: {words}."))
        else:
            waiting.set_result(fields["result"])


class _Waiting:
    """Somebody who waits for an answer."""

    def __init__(
        self, answer: asyncio.Future[dict[str, Any] | bytes], session: str | None, is_raw: bool
    ) -> None:
        self.answer = answer
        self.session = session
        self.is_raw = is_raw

    def set_result(self, result: dict[str, Any] | bytes) -> None:
        if not self.answer.done():
            self.answer.set_result(result)

    def set_exception(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)
