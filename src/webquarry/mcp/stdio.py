"""MCP over stdin and stdout.

The handshake and the lists are answered by a loop that reads and writes lines, without an event
loop; the first request that needs the engine starts one. While the server runs, stdout belongs to
the protocol: logs and stray prints go to stderr.
"""

from __future__ import annotations

import os
import select
import signal
import sys

from webquarry.mcp.handlers import LIGHT_METHODS, ToolServer
from webquarry.mcp.listing import SETS, load_listing, read_settings, server_name
from webquarry.mcp.protocol import (
    CONNECTION_CLOSED,
    ProtocolError,
    Session,
    encode,
    error_response,
    parse,
    run_without_loop,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Iterator, Sequence
    from typing import Any

    from webquarry.mcp.listing import Listing
    from webquarry.mcp.protocol import Message, Response
    from webquarry.settings import Settings
    from webquarry.toolkit import Toolkit

Logs = tuple[str | None, str | None]  # level and format; None for the settings'
MAX_UNSENT_BYTES = 64 * 1024 * 1024  # above it no more requests are read
_READ_BYTES = 65_536
_LAST_SECONDS = 1.0  # after the grace period, for cancelled calls and the last responses
_TEXT_FORMATS = ("json", "markdown", "digest")
_BLANK = b" \t\r\n\xef\xbb\xbf"  # whitespace and a byte order mark


def parse_arguments(arguments: Sequence[str]) -> tuple[str, str | None] | None:
    """The tool set and text format of `mcp [--toolset SET] [--text FORMAT]`; None for any other
    arguments, which the command line has to parse.
    """
    found: dict[str, str] = {}
    rest = list(arguments[1:])
    while rest:
        flag, has_value, value = rest.pop(0).partition("=")
        if not has_value and rest:
            value = rest.pop(0)
        if flag in found:
            return None
        found[flag] = value
    set_name, text_format = found.pop("--toolset", "research"), found.pop("--text", None)
    if found or set_name not in SETS or text_format not in (None, *_TEXT_FORMATS):
        return None
    return set_name, text_format


def run(
    set_name: str,
    with_tools: bool = False,
    text_format: str | None = None,
    logs: Logs = (None, None),
) -> int:
    """Serve a tool set, optionally with external tools, until stdin is closed; return the exit
    code.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that reads stdin is not interruptible
    try:
        listing = load_listing(set_name)
        settings = read_settings(listing.package)
        StdioServer(listing, settings, text_format).serve(with_tools, logs)
        return 0
    except BrokenPipeError:  # the client has closed stdout
        return 0
    except Exception as error:
        return report_error(server_name(set_name), error)


def report_error(name: str, error: Exception) -> int:
    """Write one of our errors to stderr and return the exit code; raise any other error."""
    from webquarry.errors import WebquarryError
    from webquarry.secret import redact

    if not isinstance(error, WebquarryError):
        raise error
    sys.stderr.write(redact(f"{name}: {error.sentences}\n"))
    return 1


class StdioServer:
    """One connection on stdin and stdout."""

    def __init__(self, listing: Listing, settings: Settings, text_format: str | None) -> None:
        self._settings = settings
        self._server = ToolServer(listing, self._open_engine, text_format)
        self._session = Session()
        self._kit: Toolkit | None = None

    def serve(self, with_tools: bool = False, logs: Logs = (None, None)) -> None:
        """Serve until stdin is closed."""
        reading, writing = claim_streams()
        lines = read_lines(reading)
        first: bytes | None = None
        # Errors in lenses are reported at the start, so the engine is opened before any request.
        if not with_tools and self._settings.lenses is None:
            for line in lines:
                is_answered, response = self._answer_without_loop(line)
                if not is_answered:
                    first = line
                    break
                if response is not None:
                    write_line(writing, response.body)
                if self._settings.mcp_warm and b'"tools/list"' in line:
                    break
            else:
                return
        import asyncio

        # Looking for pydantic plugins reads the metadata of every installed distribution.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        from webquarry.logs import set_up

        level, format = logs
        set_up(level or self._settings.log_level, format or self._settings.log_format)
        asyncio.run(self._serve(lines, first, writing, with_tools))

    def _answer_without_loop(self, line: bytes) -> tuple[bool, Response | None]:
        """Answer a line that needs neither the engine nor an event loop; False for any other."""
        try:
            message = parse(line)
        except ProtocolError as error:
            return True, error_response(error.request_id, error)
        for one in message if isinstance(message, list) else [message]:
            is_request = isinstance(one, dict) and "id" in one and "method" in one
            if is_request and one["method"] not in LIGHT_METHODS:
                return False, None
        return True, run_without_loop(self._handle(message))

    async def _handle(self, message: Any) -> Response | None:
        if isinstance(message, list):
            return await self._server.handle_batch(self._session, message, self._send)
        return await self._server.handle(self._session, message, self._send)

    def _open_engine(self) -> Toolkit:
        from webquarry.toolkit import Toolkit

        self._kit = Toolkit(self._settings, os.environ, runner="workers")
        return self._kit

    # --- with an event loop

    async def _serve(
        self, lines: Iterator[bytes], first: bytes | None, writing: int, with_tools: bool
    ) -> None:
        import asyncio
        import threading

        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._stopped = asyncio.Event()
        self._hurried = asyncio.Event()
        self._is_closing = False
        self._has_worker = False
        self._writer = Writer(writing, lambda: call_soon(self._loop, self._stop_now))
        if os.name == "posix":
            self._loop.add_signal_handler(signal.SIGTERM, self._terminate)
        try:
            if self._settings.lenses is not None:
                _ = self._server.engine
            if with_tools:
                await self._find_external_tools()
            if self._settings.mcp_warm:
                self._start(self._warm_up())
            if first is not None:
                self._take(first)
            threading.Thread(target=self._read, args=(lines,), daemon=True).start()
            await self._stopped.wait()
            await self._finish()
        finally:
            if self._kit is not None:
                await self._kit.aclose()

    async def _find_external_tools(self) -> None:
        from webquarry.host.host import ToolHost
        from webquarry.mcp.external import ExternalTools

        host = await ToolHost.adiscover(self._settings)
        self._server.external = ExternalTools(host, self._server.listing.tools)

    def _read(self, lines: Iterator[bytes]) -> None:
        """In a thread: pass lines to the event loop while enough of the responses are read."""
        for line in lines:
            self._writer.has_room.wait()
            if not call_soon(self._loop, self._take, line):
                return
        call_soon(self._loop, self._stopped.set)

    def _take(self, line: bytes) -> None:
        """Start to handle a line."""
        if self._stopped.is_set():
            return
        try:
            message = parse(line)
        except ProtocolError as error:
            self._writer.write(error_response(error.request_id, error).body)
            return
        task = self._start(self._handle(message))
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
        if self._kit is not None:
            self._prepare_reading(self._kit)

    async def _send(self, message: Message) -> None:
        self._writer.write(encode(message))

    def _prepare_reading(self, kit: Toolkit) -> None:
        """Start a page worker, once: after a search pages are read."""
        reads_pages = "scrape_page" in self._server.listing.tools
        if reads_pages and not self._has_worker and not self._stopped.is_set():
            self._has_worker = True
            kit.runner.prepare()

    async def _warm_up(self) -> None:
        """Start a page worker and load what the first search needs."""
        try:
            kit, listing = self._server.engine, self._server.listing
            self._prepare_reading(kit)
            from webquarry.mcp.calls import load_tool

            await load_tool(listing.package, listing.tools[0])
            await kit.warm_up()
        except Exception:
            import logging

            logging.getLogger(__name__).warning("warm-up failed", exc_info=True)

    def _terminate(self) -> None:
        """On SIGTERM: take no more requests; on a second one, cancel the calls in progress."""
        if self._stopped.is_set():
            self._stop_now()
        self._stopped.set()

    def _stop_now(self) -> None:
        """End without waiting for calls in progress."""
        self._stopped.set()
        self._hurried.set()

    async def _finish(self) -> None:
        """Wait for calls in progress and their responses, then cancel the calls that remain."""
        import asyncio

        finished = self._loop.create_task(self._wait_for_calls())
        hurried = self._loop.create_task(self._hurried.wait())
        await asyncio.wait(
            [finished, hurried],
            timeout=self._settings.mcp_grace_seconds,
            return_when=asyncio.FIRST_COMPLETED,
        )
        if not finished.done():
            self._is_closing = True
            for task in self._tasks:
                task.cancel()
            await asyncio.wait([finished], timeout=_LAST_SECONDS)
        finished.cancel()
        hurried.cancel()

    async def _wait_for_calls(self) -> None:
        import asyncio

        if self._tasks:
            await asyncio.wait(self._tasks)
        while self._writer.unsent:  # noqa: ASYNC110 - counted by a thread
            await asyncio.sleep(0.01)


class Writer:
    """Writes lines in a thread, so that a slow client does not block the event loop."""

    def __init__(self, descriptor: int, on_broken: Callable[[], Any]) -> None:
        import queue
        import threading

        self.unsent = 0  # bytes
        self.has_room = threading.Event()
        self.has_room.set()
        self._descriptor = descriptor
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
                    write_line(self._descriptor, line)
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


def call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[..., Any], *values: Any) -> bool:
    """Call a function in the event loop from another thread; False if the loop is closed."""
    try:
        loop.call_soon_threadsafe(callback, *values)
    except RuntimeError:
        return False
    return True


def read_lines(descriptor: int) -> Iterator[bytes]:
    """Lines that are not blank, as soon as they are complete, until the end of the file."""
    pending: list[bytes] = []
    data = b"\n"
    while data:
        try:
            data = os.read(descriptor, _READ_BYTES)
        except BlockingIOError:  # opened as non-blocking by the client
            select.select([descriptor], [], [])
            continue
        except OSError:  # a terminal that was closed
            data = b""
        *ends, rest = (data or b"\n").split(b"\n")
        for end in ends:
            line = b"".join([*pending, end]).strip(_BLANK)
            pending.clear()
            if line:
                yield line
        pending.append(rest)


def write_line(descriptor: int, line: bytes) -> None:
    """Write a whole line, however often that takes."""
    rest = memoryview(line + b"\n")
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def claim_streams() -> tuple[int, int]:
    """Return private descriptors of stdin and stdout. From now on stdin is empty for any other
    code, and what it prints goes to stderr.
    """
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(null, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return reading, writing
