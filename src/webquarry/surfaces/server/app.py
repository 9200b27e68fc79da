"""MCP over HTTP: stateless, every revision of the protocol, one toolkit for each process.

    POST /mcp  and  /mcp/                       the protocol
    GET  /health/live, /health/ready, /metrics  for those who watch it
    GET  /ui                                    the page, each caller seeing their own (ui/)

Without access control only this machine is served, and whoever asks must name it as the host and
come from no page of another site: a page in a browser could reach a loopback address otherwise.
With it, everything that reaches the protocol has passed, from the outside in: RequestTracking (a
request id), SlowClientLimits, OriginCheck, Authentication (who it is), BatchRequests (one message
at a time), RequestLimits (how much they may ask). Before all of them stands a front (front/), which
answers in one pass, by the same rules, what is asked most.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
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
from webquarry.read.workers.runner import count_cores
from webquarry.settings import Settings
from webquarry.surfaces.mcp.front.calls import ToolCalls
from webquarry.surfaces.mcp.front.prepared import find_prepared
from webquarry.surfaces.mcp.front.protocol import KnownRequests
from webquarry.surfaces.mcp.listing import read_settings
from webquarry.surfaces.mcp.stdio import Logs, create_server, report_error
from webquarry.surfaces.mcp.wire.http_batches import BatchRequests
from webquarry.surfaces.server import traces
from webquarry.surfaces.server.access import Access, configure_access
from webquarry.surfaces.server.authentication import Authentication
from webquarry.surfaces.server.front.application import Admission, HttpFront
from webquarry.surfaces.server.front.heads import HeadCheck
from webquarry.surfaces.server.front.protocols import choose_protocol
from webquarry.surfaces.server.gauges import read_gauges
from webquarry.surfaces.server.health import Health
from webquarry.surfaces.server.limits import RequestLimits
from webquarry.surfaces.server.metrics import Metrics, share_among_workers
from webquarry.surfaces.server.origins import HostCheck, OriginCheck
from webquarry.surfaces.server.request_tracking import RequestTracking
from webquarry.surfaces.server.slow_clients import ServerConnections, SlowClientLimits
from webquarry.surfaces.server.ui.guarded_page import WithPage, build_guarded_page
from webquarry.surfaces.server.workers import open_shared_folder, supervise
from webquarry.surfaces.ui.routes import PageRoutes
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp

_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
LOCAL_HOSTS = [host for name in _LOCAL_NAMES for host in (name, f"{name}:*")]
_LOCAL_ORIGINS = [f"http://{host}" for host in LOCAL_HOSTS]
_PROTOCOL_PATHS = ("/mcp", "/mcp/")

FrontParts = tuple[KnownRequests, ToolCalls]
_BACKLOG = 1024


def build_app(
    server: Server[Any],
    settings: Settings,
    *,
    stateless: bool = True,
    access: Access | None = None,
    clock: Clock | None = None,
    quota: Quota | None = None,
    health: Health | None = None,
    front: FrontParts | None = None,
    page: PageRoutes | None = None,
) -> ASGIApp:
    """The ASGI application of a server, with a front before it where there are parts for one, and
    the page beside it. Only tools that ask the client something need state, and we have none.
    """
    origins = [*_LOCAL_ORIGINS, *settings.http_origins]
    app = server.streamable_http_app(
        stateless_http=stateless,
        max_request_body_size=settings.http_max_request_bytes,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=access is None or bool(settings.http_hosts),
            allowed_hosts=[*LOCAL_HOSTS, *settings.http_hosts],
            allowed_origins=origins,
        ),
    )
    routes = app.router.routes
    if stateless:
        # A stream on which nothing can ever come would only hold a place, and hold up the end.
        refused = [
            Route(path, endpoint=_refuse_stream, methods=["GET"]) for path in _PROTOCOL_PATHS
        ]
        routes[:0] = refused
    # A redirect from one to the other would lose the body with many clients.
    routes.append(Route("/mcp/", endpoint=StreamableHTTPASGIApp(server.session_manager)))
    routes.extend((health or Health()).routes())
    limited = None
    if access is None:
        inner: ASGIApp = BatchRequests(app, _PROTOCOL_PATHS, settings.http_max_request_bytes)
        inner = HostCheck(inner, [*LOCAL_HOSTS, *settings.http_hosts], exempt=_PROTOCOL_PATHS)
    else:
        if access.metadata_path:
            metadata = access.metadata

            async def answer_metadata(request: Request) -> Response:
                # Pages of any site may ask which issuer gives out tokens.
                headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=3600"}
                return JSONResponse(metadata, headers=headers)

            routes.append(Route(access.metadata_path, endpoint=answer_metadata, methods=["GET"]))
        limited = RequestLimits(app, quota or LocalQuota(), settings, clock or Clock())
        # Every message of a batch counts.
        batches = BatchRequests(limited, _PROTOCOL_PATHS, settings.http_max_request_bytes)
        authenticated = Authentication(batches, access.verifier, access.guarded)
        inner = OriginCheck(authenticated, origins)
    hosts = None
    if access is None or settings.http_hosts:
        hosts = [*LOCAL_HOSTS, *settings.http_hosts]
    if page is not None:
        inner = WithPage(inner, _guard_page(page, hosts, access, limited))
    timed = SlowClientLimits(inner, settings.http_max_request_bytes, settings.http_max_header_bytes)
    tracked = RequestTracking(timed)
    if front is None or not stateless:
        return tracked
    heads = HeadCheck(
        origins, hosts, settings.http_max_header_bytes, settings.http_max_request_bytes
    )
    return HttpFront(tracked, *front, Admission(heads, timed, access, limited))


def _guard_page(
    page: PageRoutes,
    hosts: list[str] | None,
    access: Access | None,
    limits: RequestLimits | None,
) -> ASGIApp:
    """The page for whoever may use the protocol, within the same limits."""
    if access is None or limits is None:
        return build_guarded_page(page, hosts)
    challenge = access.guarded[_PROTOCOL_PATHS[0]]
    return build_guarded_page(page, hosts, access.verifier, challenge, limits.guard)


async def _refuse_stream(request: Request) -> Response:
    """To clients that want a stream for what the server has to say."""
    error = {
        "error": "method_not_allowed",
        "error_description": "Send requests with POST; there is no other stream.",
    }
    return JSONResponse(error, 405, {"Allow": "POST"})


def listen(host: str, port: int) -> socket.socket:
    """The socket, bound before anything else is opened, so that a port that is taken is an error at
    once.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # Connections inherit it: without, the end of an answer waits for the client to acknowledge
        # its beginning.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, OverflowError, ValueError) as error:
        reason = None
        if isinstance(error, OSError):
            reason = error.strerror
        reason = reason or "it is no address"
        reason = reason.partition(" (while")[0]  # what follows only repeats host and port
        raise BadInput(
            f"Port {port} on {host} cannot be used: {reason}.",
            suggested_action="Choose another one with --port, or another address with --host.",
        ) from error


class GracefulServer(uvicorn.Server):
    """Ends on a signal, without raising it again: first it says that no more requests should come,
    then it takes none, and calls under way are given time to end. A second signal ends it sooner.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        health: Health,
        drain_seconds: float,
        shared: ServerConnections | None = None,
    ) -> None:
        super().__init__(config)
        self._health = health
        self._drain_seconds = drain_seconds
        self._shared = shared or ServerConnections()

    def shut_down(self) -> None:
        """The first time it drains; every further time it hurries more. The library's own handler
        is not asked: it would cut off answers that are under way as streams of events.
        """
        is_first = not self._health.draining
        self._health.draining = True
        if is_first and self._drain_seconds:
            loop = asyncio.get_running_loop()
            loop.call_later(self._drain_seconds, self._take_no_more)
        elif self.should_exit:
            self.force_exit = True
        else:
            self._take_no_more()

    def _take_no_more(self) -> None:
        """From now on nobody is let in, who waits for nothing is let go, and whoever still asks on
        a connection that is open is told to go elsewhere.
        """
        self.should_exit = True
        self._shared.is_closing = True
        for server in getattr(self, "servers", ()):  # there once it has started
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        # What is ignored stays so: a worker hears of the end from its parent, and not a second time
        # from the terminal.
        signals = [
            number
            for number in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(number) is not signal.SIG_IGN
        ]
        try:
            for number in signals:
                loop.add_signal_handler(number, self.shut_down)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            with super().capture_signals():
                yield
            return
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)


async def serve(
    app: ASGIApp, listening: socket.socket, settings: Settings, health: Health | None = None
) -> None:
    """Serve until a signal ends it; the socket is closed by then."""
    shared = ServerConnections(settings.http_max_unsent_bytes)
    config = uvicorn.Config(
        app,
        http=partial(choose_protocol(), shared=shared),  # type: ignore[arg-type]
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # nobody asks where a request came from
        server_header=False,
        lifespan="on",
        limit_concurrency=settings.http_max_connections,
        h11_max_incomplete_event_size=settings.http_max_header_bytes,
        timeout_graceful_shutdown=settings.http_grace_seconds,
    )
    server = GracefulServer(config, health or Health(), settings.http_drain_seconds, shared)
    with listening:
        await server.serve(sockets=[listening])


def announce(listening: socket.socket) -> None:
    """Say where we serve. From now on connections wait for us, so nobody has to try twice."""
    host, port = listening.getsockname()[:2]
    if ":" in host:
        host = f"[{host}]"
    sys.stderr.write(f"webquarry: serving MCP at http://{host}:{port}/mcp\n")
    sys.stderr.flush()


@dataclass(frozen=True)
class ListenOptions:
    """Where a server listens, and in how many processes."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1


_USUAL_PLACE = ListenOptions()


@dataclass(frozen=True)
class _ServerProcess:
    """One process that serves: what, to whom, and on which socket. Several of them share a
    folder.
    """

    name: str
    set_name: str
    with_tools: bool
    text: str | None
    settings: Settings
    host: str
    listening: socket.socket
    shared_folder: Path | None = None

    async def check_toolkit(self) -> None:
        """A Redis that is configured and cannot be used is an error at the start, before anybody
        is served.
        """
        async with Toolkit.open(self.settings, shared=True):
            pass

    def run(self) -> int:
        """Serve until a signal ends it; the exit code comes back."""
        try:
            asyncio.run(self._serve())
        except (WebquarryError, BaseExceptionGroup) as raised:
            return report_error(self.name, raised)
        return 0

    async def _serve(self) -> None:
        """Open what this process needs, serve, and close it again."""
        settings = self.settings
        async with self._open_toolkit() as (kit, health):
            access = configure_access(settings, os.environ, self.host, running=True)
            server = await create_server(self.name, self.set_name, self.with_tools, self.text, kit)
            quota = kit.quota
            if self.shared_folder and kit.redis is None:
                quota = FileQuota(self.shared_folder / "quota.sqlite3")
            app = build_app(
                server,
                settings,
                access=access,
                clock=kit.clock,
                quota=quota,
                health=health,
                front=self._find_front(kit),
                page=PageRoutes(kit, lambda: health.draining),
            )
            try:
                await serve(app, self.listening, settings, health)
            finally:
                if access:
                    await access.verifier.aclose()

    def _find_front(self, kit: Toolkit) -> FrontParts | None:
        """The parts of a front; None where it has nothing prepared, or where the spans of the SDK's
        server are wanted.
        """
        prepared = find_prepared(self.name, self.set_name)
        if prepared is None or traces.is_enabled(os.environ):
            return None
        hidden = ("tools/list",) if self.with_tools else ()
        calls = ToolCalls(kit, self.set_name, prepared.server_info, self.text)
        return KnownRequests(prepared.load(), hidden), calls

    @asynccontextmanager
    async def _open_toolkit(self) -> AsyncIterator[tuple[Toolkit, Health]]:
        """The toolkit of this process, with metrics and traces listening to what it does."""
        async with Toolkit.open(self.settings, shared=True, runner="workers") as kit:
            metrics = Metrics(lambda: read_gauges(kit)) if self.settings.metrics else None
            tracing = traces.Traces() if traces.is_enabled(os.environ) else None
            listeners = [listener for listener in (metrics, tracing) if listener]
            for listener in listeners:
                meter.listen(listener)
            try:
                yield kit, Health(kit, metrics)
            finally:
                for listener in listeners:
                    meter.unlisten(listener)
                if tracing:
                    await asyncio.to_thread(tracing.close)


def share_reading(settings: Settings, servers: int) -> Settings:
    """The settings of one of several server processes: they share the cores for reading pages."""
    if settings.read_workers is not None:
        return settings
    cores = max(1, count_cores() // servers)
    return settings.replace(read_workers=cores)


def run(
    name: str,
    set_name: str,
    with_tools: bool = False,
    text: str | None = None,
    logs: Logs = (None, None),
    options: ListenOptions = _USUAL_PLACE,
) -> int:
    """The whole life of an HTTP server; what a command returns."""
    level, format = logs
    host = options.host
    try:
        settings = read_settings(set_name)
        set_up(level or settings.log_level, format or settings.log_format)
        # What cannot be served is an error before anybody listens.
        configure_access(settings, os.environ, host)
        with listen(host, options.port) as listening:
            process = _ServerProcess(name, set_name, with_tools, text, settings, host, listening)
            asyncio.run(process.check_toolkit())
            announce(listening)
            if options.workers == 1:
                return process.run()
            with open_shared_folder() as folder:
                share_among_workers(folder)
                shared = share_reading(settings, options.workers)
                worker = replace(process, shared_folder=folder, settings=shared)
                # Open with the parent, the socket would take connections that nobody answers any
                # more.
                return supervise(options.workers, worker.run, at_end=listening.close)
    except WebquarryError as error:
        return report_error(name, error)
