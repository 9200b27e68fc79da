"""MCP over HTTP: stateless, every revision of the protocol, one toolkit for each process.

    POST /mcp  and  /mcp/      the protocol
    GET  /health/live          200 as long as the process serves

Without access control only this machine is served, and whoever asks must name it as the host and come from no page of
another site: a page in a browser could reach a loopback address otherwise. With it, everything that reaches the protocol
has passed the gate (`surfaces/http/gate.py`) and runs in the name of its principal.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webquarry.errors import BadInput, WebquarryError
from webquarry.logs import set_up
from webquarry.secret import redact
from webquarry.surfaces.http.access import Access, access_of
from webquarry.surfaces.http.gate import Gate
from webquarry.surfaces.http.origins import OriginCheck
from webquarry.surfaces.http.workers import supervise
from webquarry.surfaces.mcp.server import settings_of
from webquarry.surfaces.mcp.stdio import Logs, built, ours_in

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.types import ASGIApp

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_GRACE_SECONDS = 5  # for calls under way when the process is told to end
_GUARDED = ("/mcp",)


def app_of(
    server: Server[Any],
    max_request_bytes: int,
    stateless: bool = True,
    access: Access | None = None,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
) -> ASGIApp:
    """The ASGI application of a server. Only tools that ask the client something need state, and we have none.

    `hosts` and `origins` are those that count besides this machine's own; behind a gate, no hosts mean any.
    """
    app = server.streamable_http_app(
        stateless_http=stateless,
        max_request_body_size=max_request_bytes,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=access is None or bool(hosts),
            allowed_hosts=[*(place for name in _NAMES for place in (name, f"{name}:*")), *hosts],
            allowed_origins=[*_own_origins(), *origins],
        ),
    )
    # A redirect from one to the other would lose the body with many clients.
    app.router.routes.append(Route("/mcp/", endpoint=StreamableHTTPASGIApp(server.session_manager)))
    app.router.routes.append(Route("/health/live", endpoint=_live, methods=["GET"]))
    if access is None:
        return app
    if access.metadata_path:
        app.router.routes.append(Route(access.metadata_path, endpoint=_told(access.metadata), methods=["GET"]))
    gate = Gate(app, access.verifier, access.challenge, _GUARDED)
    return OriginCheck(gate, frozenset([*_own_origins(), *origins]))


def _own_origins() -> list[str]:
    return [f"http://{place}" for name in _NAMES for place in (name, f"{name}:*")]


def _told(metadata: Mapping[str, object] | None) -> Callable[[Request], Awaitable[Response]]:
    async def tell(request: Request) -> Response:
        return JSONResponse(metadata, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=3600"})

    return tell


def listen(host: str, port: int) -> socket.socket:
    """The socket, bound before anything else is opened, so that a port that is taken is told at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no port"
        raise BadInput(
            f"Port {port} on {host} cannot be used: {reason}.",
            suggested_action="Choose another one with --port, or another address with --host.",
        ) from error


class GracefulServer(uvicorn.Server):
    """Ends when told to by a signal, with calls under way given a moment, and without raising the signal again."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        try:
            for one in signals:
                loop.add_signal_handler(one, self.handle_exit, one, None)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            with super().capture_signals():
                yield
            return
        try:
            yield
        finally:
            for one in signals:
                loop.remove_signal_handler(one)


async def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Serve until told to end; the socket is closed by then."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    with listening:
        await GracefulServer(config).serve(sockets=[listening])


def announce(listening: socket.socket) -> None:
    """Say where we serve. From now on connections wait for us, so nobody has to try twice."""
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    sys.stderr.write(f"webquarry: serving MCP at http://{shown}:{port}/mcp\n")
    sys.stderr.flush()


@dataclass(frozen=True)
class Place:
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
    place: Place = Place(),  # noqa: B008 - frozen
) -> int:
    """The whole life of an HTTP server; what a command returns."""
    try:
        settings = settings_of(set_name)
        set_up(logs[0] or settings.log_level, logs[1] or settings.log_format)
        access_of(settings, os.environ, place.host)  # what cannot be served is told before anybody listens

        async def whole() -> None:
            access = access_of(settings, os.environ, place.host)
            server = await built(name, set_name, with_tools, text)
            app = app_of(
                server, settings.http_max_request_bytes, True, access, settings.http_hosts, settings.http_origins
            )
            try:
                await serve(app, listening)
            finally:
                if access:
                    await access.verifier.aclose()

        with listen(place.host, place.port) as listening:
            announce(listening)
            if place.workers > 1:
                return supervise(place.workers, lambda: _reported(name, lambda: asyncio.run(whole())))
            return _reported(name, lambda: asyncio.run(whole()))
    except WebquarryError as error:
        return _failed(name, error)


def _reported(name: str, life: Callable[[], None]) -> int:
    try:
        life()
    except (WebquarryError, BaseExceptionGroup) as raised:
        error = ours_in(raised)
        if error is None:
            raise
        return _failed(name, error)
    return 0


def _failed(name: str, error: WebquarryError) -> int:
    sys.stderr.write(redact(f"{name}: {error.message} {error.suggested_action}\n"))
    return 1


async def _live(request: Request) -> Response:
    return JSONResponse({"status": "ok"})
