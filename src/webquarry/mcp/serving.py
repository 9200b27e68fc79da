"""HTTP serving on uvicorn: sockets, timeouts of connections, signals and worker processes.

SIGTERM and SIGINT: no request is accepted, and calls in progress have the grace period to finish. A
further signal cancels them.
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from starlette.routing import Router
from uvicorn.config import STARTUP_FAILURE
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from webquarry.errors import BadInput, WebquarryError
from webquarry.mcp.auth import configure_access
from webquarry.mcp.handlers import ToolServer
from webquarry.mcp.health import Health
from webquarry.mcp.http import build_app
from webquarry.mcp.limits import RateLimits
from webquarry.mcp.listing import load_listing, read_settings, server_name
from webquarry.meter import count

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from starlette.types import ASGIApp

    from webquarry.mcp.auth import Access
    from webquarry.settings import Settings
    from webquarry.toolkit import Toolkit

    PageBuilder = Callable[
        [Toolkit, Callable[[], bool], Collection[str] | None, Access | None], ASGIApp
    ]

log = logging.getLogger(__name__)

LAST_WRITE_SECONDS = 3.0  # while the server shuts down
MAX_PIPELINED = 16  # requests that wait for the response to an earlier one


class Config(uvicorn.Config):
    """uvicorn's configuration with a limit of ours."""

    max_unsent_bytes = 256 * 1024 * 1024  # of all connections


class LimitedProtocol(H11Protocol if TYPE_CHECKING else object):  # type: ignore[misc]
    """Timeouts for reading headers and for writing, for each of uvicorn's protocols.

    A connection of which the client reads nothing for `write_seconds` is closed. If all connections
    together have more than `max_unsent_bytes` unsent, the longest stalled ones are closed first.
    """

    header_seconds = 15.0
    write_seconds = 60.0
    _timer: asyncio.TimerHandle | None = None
    _unsent = 0  # when progress was last checked
    _stalled_since = 0.0

    def _set_timer(self, seconds: float, callback: Any = None, *arguments: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, callback, *arguments) if callback else None

    def _abort(self, reason: str) -> None:
        log.info("closed a connection: %s", reason)
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(high=0)  # report every unsent byte
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        cycle = self.cycle
        super().data_received(data)
        if self.flow.write_paused:
            return  # the timer watches the unsent response
        if self.cycle is not cycle:
            self._set_timer(0)
        elif self._timer is None:
            self._await_headers()

    def _await_headers(self) -> None:
        """Start the timeout of the request headers, unless a request is in progress."""
        if self.cycle is None or self.cycle.response_complete:
            reason = "timed out reading the request headers"
            self._set_timer(self.header_seconds, self._abort, reason)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled_since = self.loop.time()
        self._await_progress()
        limit = self.config.max_unsent_bytes
        stalled: list[Any] = sorted(self.connections, key=lambda other: other._stalled_since)
        total = sum(other.transport.get_write_buffer_size() for other in stalled)
        for other in stalled:
            unsent = other.transport.get_write_buffer_size()
            if unsent and total > limit:
                total -= unsent
                count("refused", reason="unread")
                other._abort("too many unsent bytes")

    def _await_progress(self) -> None:
        self._unsent = self.transport.get_write_buffer_size()
        self._set_timer(self.write_seconds / 8, self._check_progress)

    def _check_progress(self) -> None:
        if self.transport.get_write_buffer_size() < self._unsent:
            self._stalled_since = self.loop.time()
        elif self.loop.time() - self._stalled_since >= self.write_seconds:
            self._abort("timed out writing the response")
            return
        self._await_progress()

    def resume_writing(self) -> None:
        self._set_timer(0)
        self._await_headers()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._set_timer(0)

    def shutdown(self) -> None:
        """Close an idle connection now, any other one after its response."""
        if self.cycle is not None and self.cycle.more_body:
            self._abort("the server shut down before the request was complete")
            return
        self.write_seconds = LAST_WRITE_SECONDS
        if self.transport.get_write_buffer_size():
            self._stalled_since = self.loop.time()
            self._await_progress()
        with suppress(h11.LocalProtocolError):  # after an invalid request
            super().shutdown()
            return
        self.transport.close()


class H11Connection(LimitedProtocol, H11Protocol):
    """A connection whose requests h11 parses."""


class Connection(LimitedProtocol, AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection whose requests httptools parses, if it is installed.

    httptools limits neither headers, trailers nor pipelined requests. It does not parse the body of
    an upgrade request.
    """

    _header_bytes = 0  # received since the last request or part of a body

    def data_received(self, data: bytes) -> None:
        if self.cycle is None and b"upgrade" in data.lower():  # as sent by clients that know HTTP/2
            other = H11Connection(self.config, self.server_state, self.app_state)
            self._set_timer(0)
            self.connections.discard(self)
            other.connection_made(self.transport)
            self.transport.set_protocol(other)
            other.data_received(data)
            return
        cycle = self.cycle
        self._header_bytes += len(data)
        super().data_received(data)
        if self.cycle is not cycle:
            self._header_bytes = 0
        if self._header_bytes > (self.config.h11_max_incomplete_event_size or sys.maxsize):
            self._abort("the request headers are too large")

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED:
            self._abort("too many pipelined requests")
            raise ValueError  # stops the parser
        super().on_message_begin()

    def on_body(self, body: bytes) -> None:
        self._header_bytes = 0
        super().on_body(body)


def listen(host: str, port: int) -> socket.socket:
    """Bind a socket; raise BadInput if the address or port cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "invalid address"
        raise BadInput(
            f"Cannot listen on {host} port {port}: {reason.partition(' (while')[0]}.",
            suggested_action="Choose another one with --port, or another address with --host.",
        ) from error
    # Inherited by connections; asyncio sets it only on sockets with an explicit protocol.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def configure(app: Any, settings: Settings, workers: int = 1) -> Config:
    """Return the uvicorn configuration of our HTTP servers; workers need an application factory."""
    config = Config(
        app,
        factory=workers > 1,
        http=Connection,
        ws="none",
        workers=workers,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        limit_concurrency=settings.http_max_connections + 1,
        h11_max_incomplete_event_size=settings.http_max_header_bytes,
        timeout_graceful_shutdown=settings.http_grace_seconds,
        timeout_worker_healthcheck=30,
    )
    config.max_unsent_bytes = settings.http_max_unsent_bytes
    return config


def handle_signals(health: Health) -> None:
    """Replace the signal handlers of uvicorn: the first closes the server, the next one ends it."""
    # uvicorn has installed a method of its server as the handler.
    server: Any = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    loop, parent = asyncio.get_running_loop(), parent_process()
    if not isinstance(server, uvicorn.Server) or os.name != "posix":
        return

    def close() -> None:
        health.closing = True
        server.should_exit = True
        for listener in server.servers:
            listener.close()
        if parent is not None:
            loop.remove_reader(parent.sentinel)

    def handle() -> None:
        if health.closing:
            server.force_exit = True
        else:
            close()

    loop.add_signal_handler(signal.SIGTERM, handle)
    if parent is None:
        loop.add_signal_handler(signal.SIGINT, handle)
    else:  # a worker, which ends with its parent; a terminal sends SIGINT to both
        loop.add_signal_handler(signal.SIGINT, lambda: None)
        loop.add_reader(parent.sentinel, close)


class Supervisor(Multiprocess):
    """uvicorn's supervisor; handles signals without delay and passes each on to the workers."""

    def run(self) -> None:
        reading, writing = socket.socketpair()
        with reading, writing:
            writing.setblocking(False)
            signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
            self.init_processes()
            while not self.should_exit.is_set():
                if select.select([reading], [], [], 0.5)[0]:
                    reading.recv(1)
                self.handle_signals()
                self.keep_subprocess_alive()
            signal.set_wakeup_fd(-1)
        self.terminate_all()
        for listening in self.sockets:
            listening.close()  # it would accept connections that are never answered
        for process in self.processes:
            while process.process.is_alive():
                process.process.join(0.1)
                self.handle_signals()

    def handle_term(self) -> None:
        if self.should_exit.is_set():
            self.terminate_all()
        self.should_exit.set()

    handle_int = handle_term


@dataclass(frozen=True)
class HttpServer:
    """The server of a tool set: an application factory that workers unpickle."""

    set_name: str
    with_tools: bool = False
    text_format: str | None = None
    logs: tuple[str | None, str | None] = (None, None)
    host: str = "127.0.0.1"
    workers: int = 1
    build_page: PageBuilder | None = None  # of the web UI

    def read_settings(self) -> Settings:
        """Read the settings from the environment and configure logging."""
        from webquarry.logs import set_up

        settings = read_settings(load_listing(self.set_name).package)
        level, format = self.logs
        set_up(level or settings.log_level, format or settings.log_format)
        return settings

    def __call__(self) -> ASGIApp:
        """Build the application of this process."""
        from webquarry import meter
        from webquarry.mcp import metrics
        from webquarry.toolkit import Toolkit

        settings = self.read_settings()
        kit = Toolkit(settings, os.environ, shared=True, runner="workers")
        server = ToolServer(load_listing(self.set_name), lambda: kit, self.text_format)
        access = configure_access(settings, os.environ, self.host, running=True)
        if access is not None:
            processes = self.workers if kit.redis is None else 1
            limits = RateLimits(settings, kit.quota, kit.clock, processes)
            access = replace(access, limits=limits)
        measured = metrics.Metrics(lambda: metrics.read_gauges(kit)) if settings.metrics else None
        traces = metrics.Traces() if metrics.is_tracing_enabled(os.environ) else None
        listeners = [listener for listener in (measured, traces) if listener]
        health = Health(kit, measured)

        @asynccontextmanager
        async def lifespan(router: Router) -> AsyncIterator[None]:
            handle_signals(health)
            if self.with_tools:
                from webquarry.mcp.external import discover

                server.external = await discover(settings, server.listing.tools)
            for listener in listeners:
                meter.listen(listener)
            yield
            for listener in listeners:
                meter.unlisten(listener)
            if traces:
                await asyncio.to_thread(traces.close)
            await kit.aclose()

        page = None
        if self.build_page is not None:
            page = partial(self.build_page, kit, lambda: health.closing)
        app = build_app(server, settings, health, access, page)
        return Router(default=app, lifespan=lifespan)


def run(server: HttpServer, port: int) -> int:
    """Serve until a signal; return the exit code."""
    workers = server.workers
    try:
        settings = server.read_settings()
        access = configure_access(settings, os.environ, server.host)
        app = server()  # also with workers: errors are reported once, before anything listens
        with listen(server.host, port) as listening:
            has_redis = asyncio.run(_check_redis(settings))
            host, bound = listening.getsockname()[:2]
            host = f"[{host}]" if ":" in host else host
            sys.stderr.write(f"webquarry: serving MCP at http://{host}:{bound}/mcp\n")
            if workers > 1 and access is not None and not has_redis:
                note = f"{workers} workers without Redis: each applies 1/{workers} of every limit"
                sys.stderr.write(f"webquarry: {note}\n")
            sys.stderr.flush()
            if workers > 1:
                return _run_workers(configure(server, settings, workers), listening)
            uvicorn.Server(configure(app, settings)).run([listening])
            return 0
    except WebquarryError as error:
        from webquarry.mcp.stdio import report_error

        return report_error(server_name(server.set_name), error)


async def _check_redis(settings: Settings) -> bool:
    """Return whether Redis is configured; raise an error if it cannot be used."""
    from webquarry.toolkit import Toolkit

    async with Toolkit.open(settings, shared=True) as kit:
        return kit.redis is not None


def _run_workers(config: uvicorn.Config, listening: socket.socket) -> int:
    from webquarry._read.workers.job import count_cores
    from webquarry.mcp.metrics import SHARED_FOLDER

    cores = max(1, count_cores() // config.workers)
    os.environ["PYTHON_CPU_COUNT"] = str(cores)
    with tempfile.TemporaryDirectory(prefix="webquarry-") as folder:
        os.environ[SHARED_FOLDER] = folder
        supervisor = Supervisor(config, [listening])
        supervisor.run()
    return int(any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes))
