"""HTTP serving on uvicorn: sockets, timeouts of connections, signals and worker processes.

SIGTERM and SIGINT: `/health/ready` returns 503 for the drain period; then no request is accepted,
and calls in progress have the grace period to finish. Each further signal skips one phase.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from starlette.routing import Router
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from webquarry.errors import BadInput, WebquarryError
from webquarry.mcp.auth import configure_access
from webquarry.mcp.handlers import ToolServer
from webquarry.mcp.health import Health
from webquarry.mcp.listing import load_listing, read_settings, server_name
from webquarry.meter import count

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from webquarry.settings import Settings

log = logging.getLogger(__name__)

HEADER_SECONDS = 15.0
WRITE_SECONDS = 60.0
LAST_WRITE_SECONDS = 3.0  # while the server shuts down
_BACKLOG = 1024
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Connection(H11Protocol):
    """A connection with timeouts for reading headers and for writing.

    A connection of which the client reads nothing for `write_seconds` is closed. If all connections
    together have more than `max_unsent_bytes` unsent, the longest stalled ones are closed first.
    """

    _header_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _is_closing = False
    _unsent = 0  # when progress was last checked
    _stalled_since = 0.0

    def __init__(
        self,
        *arguments: Any,
        max_unsent_bytes: int,
        header_seconds: float = HEADER_SECONDS,
        write_seconds: float = WRITE_SECONDS,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._max_unsent_bytes = max_unsent_bytes
        self._header_seconds = header_seconds
        self._write_seconds = write_seconds

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # report every unsent byte
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        request = self.cycle
        super().data_received(data)
        if self.cycle is not request and self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None
        elif self.cycle is None or (self.cycle is request and self.cycle.response_complete):
            self._await_headers()

    def _await_headers(self) -> None:
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(
                self._header_seconds, self._abort, "timed out reading the request headers"
            )

    def _abort(self, reason: str) -> None:
        log.info("closed a connection: %s", reason)
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled_since = self.loop.time()
        self._limit_unsent()
        self._await_progress()

    def resume_writing(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
        super().resume_writing()

    def _await_progress(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
        seconds = LAST_WRITE_SECONDS if self._is_closing else self._write_seconds
        self._unsent = self.transport.get_write_buffer_size()
        self._write_timer = self.loop.call_later(seconds, self._check_progress)

    def _check_progress(self) -> None:
        if self.transport.get_write_buffer_size() >= self._unsent:
            self._abort("timed out writing the response")
        else:
            self._stalled_since = self.loop.time()
            self._await_progress()

    def _limit_unsent(self) -> None:
        """Close the longest stalled connections while too many bytes are unsent."""
        stalled: list[Any] = sorted(self.connections, key=lambda other: other._stalled_since)
        total = sum(other.transport.get_write_buffer_size() for other in stalled)
        for other in stalled:
            unsent = other.transport.get_write_buffer_size()
            if total > self._max_unsent_bytes and unsent:
                total -= unsent
                count("refused", reason="unread")
                other._abort("too many unsent bytes")

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._header_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close an idle connection now, any other one after its response."""
        self._is_closing = True
        if self.cycle is not None and self.cycle.more_body:
            self._abort("the server shut down before the request was complete")
            return
        if self.transport.get_write_buffer_size():
            self._await_progress()
        with suppress(h11.LocalProtocolError):  # after an invalid request
            super().shutdown()
            return
        self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """Bind a socket; raise BadInput if the address or port cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "invalid address"
        raise BadInput(
            f"Cannot listen on {host} port {port}: {reason.partition(' (while')[0]}.",
            suggested_action="Choose another one with --port, or another address with --host.",
        ) from error
    # asyncio sets it only on sockets with an explicit protocol; connections inherit it.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def configure(app: Any, settings: Settings, workers: int = 1) -> uvicorn.Config:
    """Return the uvicorn configuration of all our HTTP servers; `app` is a factory."""
    protocol: Any = partial(Connection, max_unsent_bytes=settings.http_max_unsent_bytes)
    return uvicorn.Config(
        app,
        factory=True,
        http=protocol,
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


class Shutdown:
    """Ends the uvicorn server of this process on signals, or when the parent process dies."""

    def __init__(self, health: Health, drain_seconds: float) -> None:
        self._health = health
        self._drain_seconds = drain_seconds
        # uvicorn has installed a method of its server as the handler.
        self._server: Any = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)

    def install(self) -> None:
        """Replace the signal handlers of uvicorn, which know no drain period."""
        loop, parent = asyncio.get_running_loop(), parent_process()
        if not isinstance(self._server, uvicorn.Server) or os.name != "posix":
            return
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._step)
        if parent is not None:  # this is a worker; a terminal sends SIGINT to the parent, too
            loop.add_signal_handler(signal.SIGINT, lambda: None)
            loop.add_reader(parent.sentinel, self._end, loop, parent.sentinel)

    def _step(self) -> None:
        """Enter the next phase: drain, close, stop without waiting for calls."""
        if self._health.closing:
            self._server.force_exit = True
        elif self._health.draining or not self._drain_seconds:
            self._close()
        else:
            self._health.draining = True
            asyncio.get_running_loop().call_later(self._drain_seconds, self._close)

    def _close(self) -> None:
        self._health.draining = self._health.closing = True
        self._server.should_exit = True

    def _end(self, loop: asyncio.AbstractEventLoop, sentinel: int) -> None:
        loop.remove_reader(sentinel)
        self._close()


class Supervisor(Multiprocess):
    """uvicorn's supervisor; a second signal kills the workers."""

    def join_all(self) -> None:
        for listening in self.sockets:
            listening.close()  # it would accept connections that are never answered
        for process in self.processes:
            while process.process.is_alive():
                process.process.join(0.1)
                if self.signal_queue:
                    process.kill()


@dataclass(frozen=True)
class HttpServer:
    """The server of a tool set: an application factory that workers unpickle."""

    set_name: str
    with_tools: bool = False
    text_format: str | None = None
    logs: tuple[str | None, str | None] = (None, None)
    host: str = "127.0.0.1"
    workers: int = 1

    def __call__(self) -> ASGIApp:
        """Build the application of this process."""
        from webquarry import meter
        from webquarry.mcp import metrics
        from webquarry.mcp.http import build_app, find_hosts
        from webquarry.mcp.limits import RateLimits
        from webquarry.toolkit import Toolkit

        settings = self.read_settings()
        kit = Toolkit(settings, os.environ, shared=True, runner="workers")
        server = ToolServer(load_listing(self.set_name), lambda: kit, self.text_format)
        access = configure_access(settings, os.environ, self.host, running=True)
        collected = metrics.Metrics(lambda: metrics.read_gauges(kit)) if settings.metrics else None
        traces = metrics.Traces() if metrics.is_tracing_enabled(os.environ) else None
        health = Health(kit, collected)
        limits = None
        if access is not None:
            processes = self.workers if kit.redis is None else 1
            limits = RateLimits(settings, kit.quota, kit.clock, processes)

        def build_page() -> ASGIApp:
            from webquarry.surfaces.ui.guard import build_guarded_page
            from webquarry.surfaces.ui.routes import PageRoutes

            page = PageRoutes(kit, lambda: health.draining)
            return build_guarded_page(page, settings, find_hosts(settings, access), access, limits)

        @asynccontextmanager
        async def lifespan(router: Router) -> AsyncIterator[None]:
            listeners = [listener for listener in (collected, traces) if listener]
            Shutdown(health, settings.http_drain_seconds).install()
            try:
                if self.with_tools:
                    from webquarry.host.host import ToolHost
                    from webquarry.mcp.external import ExternalTools

                    host = await ToolHost.adiscover(settings)
                    server.external = ExternalTools(host, server.listing.tools)
                for listener in listeners:
                    meter.listen(listener)
                yield
            finally:
                for listener in listeners:
                    meter.unlisten(listener)
                if traces:
                    await asyncio.to_thread(traces.close)
                await kit.aclose()

        app = build_app(server, settings, health, access, limits, build_page)
        return Router(default=app, lifespan=lifespan)

    def read_settings(self) -> Settings:
        """Read the settings from the environment and configure logging."""
        from webquarry.logs import set_up

        settings = read_settings(load_listing(self.set_name).package)
        level, format = self.logs
        set_up(level or settings.log_level, format or settings.log_format)
        return settings


def run(server: HttpServer, port: int) -> int:
    """Serve until a signal; return the exit code."""
    try:
        settings = server.read_settings()
        access = configure_access(settings, os.environ, server.host)
        with listen(server.host, port) as listening, ExitStack() as stack:
            has_redis = asyncio.run(_check_redis(settings))
            host, bound = listening.getsockname()[:2]
            host = f"[{host}]" if ":" in host else host
            sys.stderr.write(f"webquarry: serving MCP at http://{host}:{bound}/mcp\n")
            if server.workers > 1 and not has_redis and access is not None:
                sys.stderr.write(
                    f"webquarry: without Redis each of the {server.workers} workers applies "
                    f"1/{server.workers} of every limit\n"
                )
            sys.stderr.flush()
            config = configure(server, settings, server.workers)
            if server.workers == 1:
                uvicorn.Server(config).run([listening])
                return 0
            from webquarry.mcp.metrics import SHARED_FOLDER
            from webquarry.read.workers.runner import count_cores

            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="webquarry-"))
            os.environ[SHARED_FOLDER] = folder
            cores = max(1, count_cores() // server.workers)
            os.environ.setdefault("WEBQUARRY_READ_WORKERS", str(cores))
            Supervisor(config, [listening]).run()
            return 0
    except WebquarryError as error:
        from webquarry.mcp.stdio import report_error

        return report_error(server_name(server.set_name), error)


async def _check_redis(settings: Settings) -> bool:
    """Return whether Redis is configured; raise an error if it cannot be used."""
    from webquarry.toolkit import Toolkit

    async with Toolkit.open(settings, shared=True) as kit:
        return kit.redis is not None
