"""A connection on stdin and stdout with an event loop: requests are handled concurrently.

Two threads read and write lines, so that a slow client blocks neither the event loop nor the end
of the process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webquarry.mcp.protocol import (
    CONNECTION_CLOSED,
    Message,
    ProtocolError,
    Response,
    Session,
    encode,
    error_response,
    parse,
)

if TYPE_CHECKING:
    from webquarry.mcp.handlers import ToolServer
    from webquarry.settings import Settings

log = logging.getLogger(__name__)

Write = Callable[[bytes], None]  # writes a line to the client, however long that takes
MAX_UNSENT_BYTES = 64 * 1024 * 1024  # above it no more requests are read
_LAST_SECONDS = 1.0  # after the grace period, for cancelled calls and the last responses


class StdioConnection:
    """The client, its calls in progress, and the responses that it has not read.

    Created in the event loop that serves it.
    """

    def __init__(
        self, server: ToolServer, session: Session, settings: Settings, write: Write
    ) -> None:
        self._server = server
        self._session = session
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(write, lambda: self._call_soon(self._stop, True))
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopped = asyncio.Event()  # no more requests are accepted
        self._deadline = asyncio.timeout(None)  # for calls in progress
        self._is_closing = False  # after the deadline
        self._has_worker = False

    async def serve(self, lines: Iterator[bytes], first: bytes, *, with_tools: bool) -> None:
        """Handle lines until the end of stdin, SIGTERM or a closed stdout; then finish calls."""
        server, settings = self._server, self._settings
        try:
            async with self._deadline:
                if os.name == "posix":
                    self._loop.add_signal_handler(signal.SIGTERM, self._terminate)
                    if with_tools:  # whose processes have to be ended
                        self._loop.add_signal_handler(signal.SIGINT, self._stop, True)
                if settings.lenses is not None:
                    _ = server.engine
                if with_tools:
                    from webquarry.mcp.external import discover

                    server.external = await discover(settings, server.listing.tools)
                if settings.mcp_warm:
                    self._start(self._warm_up())
                if first:
                    self._take(first)
                threading.Thread(target=self._read, args=(lines,), daemon=True).start()
                await self._stopped.wait()
                await self._wait_for_calls()
        except TimeoutError:
            if not self._deadline.expired():
                raise
            self._is_closing = True
            for task in self._tasks:
                task.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_SECONDS):
                    await self._wait_for_calls()
        finally:
            await server.aclose()

    def _read(self, lines: Iterator[bytes]) -> None:
        """In a thread: pass lines to the event loop while enough of the responses are read."""
        for line in lines:
            self._writer.has_room.wait()
            self._call_soon(self._take, line)
        self._call_soon(self._stop)

    def _call_soon(self, callback: Callable[..., Any], *values: Any) -> None:
        """Call a function in the event loop from another thread."""
        try:
            self._loop.call_soon_threadsafe(callback, *values)
        except RuntimeError:  # the loop is closed
            log.debug("received a line after the end")

    def _take(self, line: bytes) -> None:
        """Start to handle a line."""
        if self._stopped.is_set():
            return
        try:
            message = parse(line)
        except ProtocolError as error:
            self._writer.write(error_response(error.request_id, error).body)
            return
        handle = self._server.handle_batch if isinstance(message, list) else self._server.handle
        task = self._start(handle(self._session, message, self._send))
        id = message.get("id") if isinstance(message, dict) and "method" in message else None
        if isinstance(id, str | int):
            self._session.calls[id] = task
        task.add_done_callback(lambda done: self._respond(id, done))

    def _start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _respond(self, id: Any, task: asyncio.Task[Response | None]) -> None:
        """Write the response to a request; a request that the client cancelled gets none."""
        if isinstance(id, str | int) and self._session.calls.get(id) is task:
            del self._session.calls[id]
        if not task.cancelled():
            response = task.result()
            if response is not None:
                self._writer.write(response.body)
        elif self._is_closing and id is not None:
            error = ProtocolError(CONNECTION_CLOSED, "Connection closed")
            self._writer.write(error_response(id, error).body)
        if self._server.opened is not None:
            self._prepare_reading()

    async def _send(self, message: Message) -> None:
        self._writer.write(encode(message))

    def _prepare_reading(self) -> None:
        """Start a page worker, once: after a search pages are read."""
        reads_pages = "scrape_page" in self._server.listing.tools
        if reads_pages and not self._has_worker and not self._stopped.is_set():
            self._has_worker = True
            self._server.engine.runner.prepare()

    async def _warm_up(self) -> None:
        """Start a page worker and load what the first search needs."""
        from webquarry.mcp.calls import load_tool

        listing = self._server.listing
        try:
            self._prepare_reading()
            await load_tool(listing.package, listing.tools[0])
            await self._server.engine.warm_up()
        except Exception:
            log.warning("warm-up failed", exc_info=True)

    def _stop(self, now: bool = False) -> None:
        """Accept no more requests; calls in progress have the grace period unless `now`."""
        if now or not self._stopped.is_set():
            seconds = 0 if now else self._settings.mcp_grace_seconds
            with suppress(RuntimeError):  # the deadline has passed
                self._deadline.reschedule(self._loop.time() + seconds)
        self._stopped.set()

    def _terminate(self) -> None:
        """On SIGTERM: stop; on a second one, or after the end of stdin, cancel calls."""
        self._stop(now=self._stopped.is_set())

    async def _wait_for_calls(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)
        while self._writer.unsent:  # noqa: ASYNC110 - counted by a thread
            await asyncio.sleep(0.01)


class Writer:
    """Writes lines in a thread; `has_room` is cleared while too many bytes are unsent."""

    def __init__(self, write: Write, on_broken: Callable[[], None]) -> None:
        self.unsent = 0  # bytes
        self.has_room = threading.Event()
        self.has_room.set()
        self._write = write
        self._on_broken = on_broken
        self._lock = threading.Lock()  # of `unsent`
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def write(self, line: bytes) -> None:
        """Queue a line."""
        self._count(len(line))
        self._lines.put(line)

    def _work(self) -> None:
        is_broken = False
        while True:
            line = self._lines.get()
            try:
                if not is_broken:
                    self._write(line)
            except OSError:
                is_broken = True
                self._on_broken()
            self._count(-len(line))

    def _count(self, change: int) -> None:
        with self._lock:
            self.unsent += change
            if self.unsent > MAX_UNSENT_BYTES:
                self.has_room.clear()
            else:
                self.has_room.set()
