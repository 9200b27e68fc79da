"""MCP over HTTP, for this machine only: stateless, every revision of the protocol, one toolkit for the process.

    POST /mcp  and  /mcp/      the protocol
    GET  /health/live          200 as long as the process serves

Whoever asks must name this machine as the host, and come from no page of another site: a page in a browser could reach
a loopback address otherwise.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
from webquarry.surfaces.mcp.server import settings_of
from webquarry.surfaces.mcp.stdio import Logs, built, ours_in

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server
    from starlette.applications import Starlette

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_NAMES = ("127.0.0.1", "localhost", "[::1]")
_GRACE_SECONDS = 5  # for calls under way when the process is told to end


def app_of(server: Server[Any], max_request_bytes: int, stateless: bool = True) -> Starlette:
    """The ASGI application of a server. Only tools that ask the client something need state, and we have none."""
    app = server.streamable_http_app(
        stateless_http=stateless,
        max_request_body_size=max_request_bytes,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[place for name in _NAMES for place in (name, f"{name}:*")],
            allowed_origins=[f"http://{place}" for name in _NAMES for place in (name, f"{name}:*")],
        ),
    )
    # A redirect from one to the other would lose the body with many clients.
    app.router.routes.append(Route("/mcp/", endpoint=StreamableHTTPASGIApp(server.session_manager)))
    app.router.routes.append(Route("/health/live", endpoint=_live, methods=["GET"]))
    return app


def listen(host: str, port: int) -> socket.socket:
    """The socket, bound before anything else is opened, so that a port that is taken is told at once."""
    if host not in LOOPBACK:
        raise BadInput(
            f"The host {host} is not this machine, and nobody is asked who they are yet.",
            suggested_action="Use 127.0.0.1; serving others comes in a later release, together with authentication.",
        )
    family = socket.AF_INET6 if host == "::1" else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no port"
        raise BadInput(
            f"Port {port} on {host} cannot be used: {reason}.", suggested_action="Choose another one with --port."
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


async def serve(app: Starlette, listening: socket.socket) -> None:
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
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        sys.stderr.write(f"webquarry: serving MCP at http://{shown}:{port}/mcp\n")
        sys.stderr.flush()
        await GracefulServer(config).serve(sockets=[listening])


def run(
    name: str,
    set_name: str,
    with_tools: bool = False,
    text: str | None = None,
    logs: Logs = (None, None),
    host: str = "127.0.0.1",
    port: int = 8000,
) -> int:
    """The whole life of an HTTP server; what a command returns."""
    try:
        settings = settings_of(set_name)
        set_up(logs[0] or settings.log_level, logs[1] or settings.log_format)

        async def whole() -> None:
            listening = listen(host, port)
            with listening:
                server = await built(name, set_name, with_tools, text)
                await serve(app_of(server, settings.http_max_request_bytes), listening)

        asyncio.run(whole())
    except (WebquarryError, BaseExceptionGroup) as raised:
        error = ours_in(raised)
        if error is None:
            raise
        sys.stderr.write(redact(f"{name}: {error.message} {error.suggested_action}\n"))
        return 1
    return 0


async def _live(request: Request) -> Response:
    return JSONResponse({"status": "ok"})
