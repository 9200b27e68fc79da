"""MCP over HTTP: stateless, every revision of the protocol, one toolkit for each process.

    POST /mcp  and  /mcp/                       the protocol
    GET  /health/live, /health/ready, /metrics  for those who watch it

Without access control only this machine is served, and whoever asks must name it as the host and
come from no page of another site: a page in a browser could reach a loopback address otherwise.
With it, everything that reaches the protocol has passed, from the outside in: RequestTracking (a request
id), SlowClientLimits (slow clients), OriginCheck, Authentication (who it is), RequestLimits (how much they may ask).
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webquarry import meter
from webquarry.clock import Clock
from webquarry.errors import BadInput, WebquarryError
from webquarry.logs import set_up
from webquarry.quota.base import Quota
from webquarry.quota.file import FileQuota
from webquarry.quota.local import LocalQuota
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.surfaces.mcp.server import read_settings
from webquarry.surfaces.mcp.stdio import Logs, built, find_own_error
from webquarry.surfaces.server import traces
from webquarry.surfaces.server.access import Access, configure_access
from webquarry.surfaces.server.authentication import Authentication
from webquarry.surfaces.server.gauges import read_gauges
from webquarry.surfaces.server.health import Health
from webquarry.surfaces.server.limits import RequestLimits
from webquarry.surfaces.server.metrics import Metrics, share_among_workers
from webquarry.surfaces.server.origins import OriginCheck
from webquarry.surfaces.server.request_tracking import RequestTracking
from webquarry.surfaces.server.slow_clients import LimitedH11Protocol, SlowClientLimits
from webquarry.surfaces.server.workers import supervise
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp

_NAMES = ("127.0.0.1", "localhost", "[::1]")


def build_app(
    server: Server[Any],
    settings: Settings,
    *,
    stateless: bool = True,
    access: Access | None = None,
    clock: Clock | None = None,
    quota: Quota | None = None,
    health: Health | None = None,
) -> ASGIApp:
    """The ASGI application of a server. Only tools that ask the client something need state, and we
    have none.
    """
    hosts = settings.http_hosts
    app = server.streamable_http_app(
        stateless_http=stateless,
        max_request_body_size=settings.http_max_request_bytes,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=access is None or bool(hosts),
            allowed_hosts=[*(place for name in _NAMES for place in (name, f"{name}:*")), *hosts],
            allowed_origins=[*_own_origins(), *settings.http_origins],
        ),
    )
    if (
        stateless
    ):  # a stream on which nothing can ever come would only hold a place, and hold up the end
        app.router.routes[:0] = [
            Route(path, endpoint=_no_stream, methods=["GET"]) for path in ("/mcp", "/mcp/")
        ]
    # A redirect from one to the other would lose the body with many clients.
    app.router.routes.append(Route("/mcp/", endpoint=StreamableHTTPASGIApp(server.session_manager)))
    app.router.routes.extend((health or Health()).routes())
    if access is None:
        return RequestTracking(
            SlowClientLimits(app, settings.http_max_request_bytes, settings.http_max_header_bytes)
        )
    if access.metadata_path:
        app.router.routes.append(
            Route(access.metadata_path, endpoint=_told(access.metadata), methods=["GET"])
        )
    limited = RequestLimits(app, quota or LocalQuota(), settings, clock or Clock())
    gate = Authentication(limited, access.verifier, access.guarded)
    checked = OriginCheck(gate, [*_own_origins(), *settings.http_origins])
    return RequestTracking(
        SlowClientLimits(checked, settings.http_max_request_bytes, settings.http_max_header_bytes)
    )


async def _no_stream(request: Request) -> Response:
    told = {
        "error": "method_not_allowed",
        "error_description": "Send requests with POST; there is no other stream.",
    }
    return JSONResponse(told, 405, {"Allow": "POST"})


def _own_origins() -> list[str]:
    return [f"http://{place}" for name in _NAMES for place in (name, f"{name}:*")]


def _told(metadata: Mapping[str, object] | None) -> Callable[[Request], Awaitable[Response]]:
    async def tell(request: Request) -> Response:
        return JSONResponse(
            metadata, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=3600"}
        )

    return tell


def listen(host: str, port: int) -> socket.socket:
    """The socket, bound before anything else is opened, so that a port that is taken is told at
    once.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=1024)
        # Connections inherit it: without, the end of an answer waits for the client to acknowledge
        # its beginning.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, OverflowError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else None
        reason = (said or "it is no address").partition(" (while")[
            0
        ]  # what follows only repeats host and port
        raise BadInput(
            f"Port {port} on {host} cannot be used: {reason}.",
            suggested_action="Choose another one with --port, or another address with --host.",
        ) from error


class GracefulServer(uvicorn.Server):
    """Ends when told to by a signal, without raising it again: first it says that no more requests
    should come, then it takes none, and calls under way are given time to end. A second signal ends
    it sooner.
    """

    def __init__(self, config: uvicorn.Config, health: Health, drain_seconds: float) -> None:
        super().__init__(config)
        self._health = health
        self._drain_seconds = drain_seconds

    def told_to_end(self, number: int) -> None:
        """The first time it drains; every further time it hurries more. The library's own handler
        is not asked: it would cut off answers that are under way as streams of events.
        """
        first, self._health.draining = not self._health.draining, True
        if first and self._drain_seconds:
            asyncio.get_running_loop().call_later(self._drain_seconds, self._take_no_more)
        elif self.should_exit:
            self.force_exit = True
        else:
            self._take_no_more()

    def _take_no_more(self) -> None:
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        # What is ignored stays so: a worker hears of the end from its parent, and not a second time
        # from the terminal.
        signals = [
            one
            for one in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(one) is not signal.SIG_IGN
        ]
        try:
            for one in signals:
                loop.add_signal_handler(one, self.told_to_end, one)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            with super().capture_signals():
                yield
            return
        try:
            yield
        finally:
            for one in signals:
                loop.remove_signal_handler(one)


async def serve(
    app: ASGIApp, listening: socket.socket, settings: Settings, health: Health | None = None
) -> None:
    """Serve until told to end; the socket is closed by then."""
    config = uvicorn.Config(
        app,
        http=LimitedH11Protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        limit_concurrency=settings.http_max_connections,
        h11_max_incomplete_event_size=settings.http_max_header_bytes,
        timeout_graceful_shutdown=settings.http_grace_seconds,
    )
    with listening:
        await GracefulServer(config, health or Health(), settings.http_drain_seconds).serve(
            sockets=[listening]
        )


def announce(listening: socket.socket) -> None:
    """Say where we serve. From now on connections wait for us, so nobody has to try twice."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"webquarry: serving MCP at http://{shown}:{port}/mcp\n")
    sys.stderr.flush()


@dataclass(frozen=True)
class ListenOptions:
    """Where a server listens, and in how many processes."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1


def run(
    name: str,
    set_name: str,
    with_tools: bool = False,
    text: str | None = None,
    logs: Logs = (None, None),
    place: ListenOptions = ListenOptions(),  # noqa: B008 - frozen
) -> int:
    """The whole life of an HTTP server; what a command returns."""
    try:
        settings = read_settings(set_name)
        set_up(logs[0] or settings.log_level, logs[1] or settings.log_format)
        configure_access(
            settings, os.environ, place.host
        )  # what cannot be served is told before anybody listens

        async def whole() -> None:
            async with _watched(settings) as (kit, health):
                access = configure_access(settings, os.environ, place.host, running=True)
                server = await built(name, set_name, with_tools, text, kit)
                quota = (
                    FileQuota(common / "quota.sqlite3")
                    if common and kit.link is None
                    else kit.quota
                )
                app = build_app(
                    server, settings, access=access, clock=kit.clock, quota=quota, health=health
                )
                try:
                    await serve(app, listening, settings, health)
                finally:
                    if access:
                        await access.verifier.aclose()

        def life() -> int:
            return _reported(name, lambda: asyncio.run(whole()))

        with listen(place.host, place.port) as listening:
            asyncio.run(_can_be_opened(settings))
            announce(listening)
            common = None
            if place.workers == 1:
                return life()
            with tempfile.TemporaryDirectory(prefix="webquarry-workers-") as folder:
                common = Path(folder)
                share_among_workers(common)
                # Open with the parent, it would take connections that nobody answers any more.
                return supervise(place.workers, life, at_end=listening.close)
    except WebquarryError as error:
        return _failed(name, error)


async def _can_be_opened(settings: Settings) -> None:
    """A Redis that is configured and cannot be used is an error at the start, before anybody is
    served.
    """
    async with Toolkit.open(settings, shared=True):
        pass


@asynccontextmanager
async def _watched(settings: Settings) -> AsyncIterator[tuple[Toolkit, Health]]:
    """The toolkit of a process, and those who listen to what it does."""
    async with Toolkit.open(settings, shared=True) as kit:
        metrics = Metrics(lambda: read_gauges(kit)) if settings.metrics else None
        tracing = traces.Traces() if traces.wanted(os.environ) else None
        listeners = [one for one in (metrics, tracing) if one]
        for one in listeners:
            meter.listen(one)
        try:
            yield kit, Health(kit, metrics)
        finally:
            for one in listeners:
                meter.unlisten(one)
            if tracing:
                await asyncio.to_thread(tracing.close)


def _reported(name: str, life: Callable[[], None]) -> int:
    try:
        life()
    except (WebquarryError, BaseExceptionGroup) as raised:
        error = find_own_error(raised)
        if error is None:
            raise
        return _failed(name, error)
    return 0


def _failed(name: str, error: WebquarryError) -> int:
    sys.stderr.write(redact(f"{name}: {error.message} {error.suggested_action}\n"))
    return 1
