"""MCP over streamable HTTP, without sessions.

A request is answered with JSON, or with an event stream as soon as the handler sends a notification
or has been silent for 15 seconds. The client cancels a call by closing the connection. From the
outside in a request passes: request id, Host and Origin, authentication and limits, body limits.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from webquarry.mcp import protocol
from webquarry.mcp.asgi import (
    HostCheck,
    RequestReader,
    RequestTracking,
    error_response,
    read_header,
)
from webquarry.mcp.auth import Access, Authentication
from webquarry.mcp.protocol import HEADER_MISMATCH, INVALID_REQUEST, MODERN, ProtocolError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from webquarry.mcp.handlers import ToolServer
    from webquarry.mcp.health import Health
    from webquarry.mcp.protocol import Message
    from webquarry.settings import Settings

    BuildPage = Callable[[Collection[str] | None, Access | None], ASGIApp]

PING_SECONDS = 15.0
LOCAL_HOSTS = [
    f"{name}{port}" for name in ("127.0.0.1", "localhost", "[::1]") for port in ("", ":*")
]
_STATUS = {protocol.PARSE_ERROR: 400, INVALID_REQUEST: 400, protocol.CONNECTION_CLOSED: 503}
_MODERN_STATUS = _STATUS | {
    protocol.INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    protocol.MISSING_CAPABILITY: 400,
    protocol.UNSUPPORTED_VERSION: 400,
    protocol.METHOD_NOT_FOUND: 404,
}
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_BASE64 = re.compile(r"=\?base64\?(.*)\?=")
_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


def build_app(
    server: ToolServer,
    settings: Settings,
    health: Health,
    access: Access | None = None,
    build_page: BuildPage | None = None,
) -> ASGIApp:
    """Return the ASGI application of a server; `build_page` adds the web UI."""
    hosts = None  # any, where tokens are required
    if access is None or settings.http_hosts:
        hosts = [*LOCAL_HOSTS, *settings.http_hosts]
    origins = [*(f"http://{host}" for host in LOCAL_HOSTS), *settings.http_origins]
    endpoint = McpEndpoint(server, access)
    app: ASGIApp = Router([Route("/mcp", endpoint), Route("/mcp/", endpoint), *health.routes()])
    app = RequestReader(app, settings.http_max_request_bytes)
    if access is not None:
        app = Authentication(app, access)
    routes = []
    if build_page is not None:
        routes.append(Route("/ui{rest:path}", build_page(hosts, access)))
    if access is not None and access.metadata_url:
        metadata = access.metadata

        async def describe_issuer(request: Request) -> Response:
            # Pages of any origin may look up the issuer.
            headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=3600"}
            return JSONResponse(metadata, headers=headers)

        routes.append(Route(urlsplit(access.metadata_url).path, describe_issuer))
    router = Router(routes, default=HostCheck(app, hosts, origins))

    async def check_request(scope: Scope, receive: Receive, send: Send) -> None:
        app: ASGIApp = router
        size = sum(len(name) + len(value) + len(": \r\n") for name, value in scope["headers"])
        if health.closing:
            headers = {"Retry-After": "5", "Connection": "close"}
            app = error_response(503, "ending", "The server is shutting down.", headers)
        elif size > settings.http_max_header_bytes:
            problem = "The headers of the request are too large."
            app = error_response(431, "head_too_large", problem, {"Connection": "close"})
        await app(scope, receive, send)

    return RequestTracking(check_request)


class McpEndpoint:
    """The ASGI application of the protocol."""

    def __init__(
        self,
        server: ToolServer,
        access: Access | None = None,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self._server = server
        self._limits = access.limits if access is not None else None
        self._ping_seconds = ping_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _check_headers(scope)
        message: Any = None
        version = read_header(scope, b"mcp-protocol-version").decode("latin-1")
        is_modern = bool(version) and version not in protocol.HANDSHAKE_REVISIONS
        session = protocol.Session(MODERN if is_modern else version or protocol.BATCH_REVISION)
        exchange = Exchange(send, self._ping_seconds)
        try:
            if refusal is None:
                message = protocol.parse((await receive())["body"])
                refusal = await self._count_batch(scope, message)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
            if isinstance(message, list):
                work = self._server.handle_batch(session, message, exchange.notify)
            else:
                if is_modern:
                    self._check_modern(scope, message, version)
                elif isinstance(message, dict):
                    _prepare_handshake(session, message)
                work = self._server.handle(session, message, exchange.notify)
            response = await exchange.run(work, receive)
        except ProtocolError as error:
            id = error.request_id
            if error.code == protocol.CONNECTION_CLOSED and isinstance(message, dict):
                id = message.get("id")
            response = protocol.error_response(id, error)
        await exchange.finish(response, _MODERN_STATUS if is_modern else _STATUS)

    async def _count_batch(self, scope: Scope, message: Any) -> Response | None:
        """Count each message of a batch as a request; the first is already counted."""
        principal = scope.get("state", {}).get("principal")
        if self._limits is None or principal is None or not isinstance(message, list):
            return None
        return await self._limits.take(principal, len(message[: protocol.MAX_BATCH]) - 1)

    def _check_modern(self, scope: Scope, message: Any, version: str) -> None:
        """Compare the headers of a request of 2026-07-28 with its body."""
        if protocol.find_problem(message) is not None:
            return  # an error of `handle`
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            problem = "Body must be a single JSON-RPC request or notification object"
            raise ProtocolError(INVALID_REQUEST, problem)
        if "id" not in message:
            if version != MODERN:
                raise protocol.version_error(version)
            return
        try:
            if protocol.read_envelope(params) != version:
                problem = "header does not match the request envelope's protocol version"
                raise ProtocolError(HEADER_MISMATCH, f"mcp-protocol-version {problem}")
            problem = self._find_mismatch(scope, method, params)
            if problem:
                raise ProtocolError(HEADER_MISMATCH, problem)
            if method == "initialize":
                raise ProtocolError(protocol.METHOD_NOT_FOUND, "Method not found", method)
        except ProtocolError as error:
            error.request_id = message["id"]
            raise

    def _find_mismatch(self, scope: Scope, method: str, params: Message) -> str:
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name.startswith(b"mcp-"):
                return f"{name.decode()} header appears more than once"
            headers[name] = value
        if _decode(headers.get(b"mcp-method")) != method:
            return "mcp-method header does not match the request body's method"
        key = _NAMES.get(method, "")
        if key in params and _decode(headers.get(b"mcp-name")) != params[key]:
            return f"mcp-name header does not match the request body's {key!r} parameter"
        external = self._server.external
        others = external.descriptions.values() if external else ()
        for tool in [*self._server.listing.lists["tools"], *others]:
            if method == "tools/call" and tool["name"] == params.get("name"):
                for header, argument, kind in _find_mirrored(
                    tool["inputSchema"], params.get("arguments")
                ):
                    sent = headers.get(f"mcp-param-{header}".lower().encode())
                    if not _is_same(sent, argument, kind):
                        return f"Mcp-Param-{header} header does not match its argument"
        return ""


class Exchange:
    """The response to one request: JSON, or an event stream once something was sent before it."""

    def __init__(self, send: Send, ping_seconds: float) -> None:
        self._send = send
        self._ping_seconds = ping_seconds
        self._lock = asyncio.Lock()
        self._is_stream = False
        self._is_disconnected = False

    async def run(
        self, work: Awaitable[protocol.Response | None], receive: Receive
    ) -> protocol.Response | None:
        """Await `work`, sending pings; cancel it when the client disconnects."""
        task = asyncio.current_task()
        assert task is not None
        watcher = asyncio.create_task(self._watch(receive, task))
        try:
            return await work
        except asyncio.CancelledError:
            task.uncancel()  # by the client, or at the end of the grace period
            problem = "The server is shutting down."
            raise ProtocolError(protocol.CONNECTION_CLOSED, problem) from None
        finally:
            watcher.cancel()

    async def _watch(self, receive: Receive, task: asyncio.Task[Any]) -> None:
        """Send pings until the client disconnects, then cancel the task."""
        while True:
            try:
                async with asyncio.timeout(self._ping_seconds):
                    await receive()  # the body is complete, so this is a disconnect
                self._is_disconnected = True
                task.cancel()
                return
            except TimeoutError:
                await self._write(b": ping\r\n\r\n")

    async def notify(self, message: Message) -> None:
        """Send a message that belongs to the request."""
        await self._write(b"event: message\r\ndata: %b\r\n\r\n" % protocol.encode(message))

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        async with self._lock:
            if not self._is_stream:
                self._is_stream = True
                start = {"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS}
                await self._send(start)
            await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def finish(self, response: protocol.Response | None, statuses: dict[int, int]) -> None:
        """Send the response, or 202 if there is none."""
        if self._is_disconnected:
            return
        body = b"" if response is None else response.body
        if self._is_stream:
            await self._write(b"event: message\r\ndata: %b\r\n\r\n" % body, more=False)
            return
        status = 202 if response is None else statuses.get(response.error_code or 0, 200)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _check_headers(scope: Scope) -> Response | None:
    """Return a refusal of a request that is not a POST of JSON by a client that accepts both."""
    if scope["method"] != "POST":
        problem = "Send requests with POST; there is no other stream."
        return error_response(405, "method_not_allowed", problem, {"Allow": "POST"})
    content_type = read_header(scope, b"content-type").partition(b";")[0].strip().lower()
    if content_type != b"application/json":
        return PlainTextResponse("Invalid Content-Type header", 400)
    accepted = read_header(scope, b"accept").lower().split(b",")
    types = {entry.partition(b";")[0].strip() for entry in accepted}
    takes_json = types & {b"*/*", b"application/*", b"application/json"}
    if not takes_json or not types & {b"*/*", b"text/*", b"text/event-stream"}:
        problem = "Not Acceptable: Client must accept both application/json and text/event-stream"
        body = protocol.error_response(None, ProtocolError(INVALID_REQUEST, problem)).body
        return Response(body, 406, media_type="application/json")
    return None


def _prepare_handshake(session: protocol.Session, message: Message) -> None:
    """Adapt a message of a revision with a handshake: its header names the revision."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(meta, dict):
        meta.pop(protocol.META_VERSION, None)
    if message.get("method") == "initialize":
        session.revision = None


def _decode(value: bytes | None) -> str | None:
    """Return a header value; None if it is missing or malformed base64."""
    text = None if value is None else value.decode("latin-1").strip(" \t")
    found = _BASE64.fullmatch(text or "")
    if found is None:
        return text
    with suppress(ValueError):
        data = base64.b64decode(found[1], validate=True)
        if base64.b64encode(data).decode() == found[1]:
            return data.decode()
    return None


def _find_mirrored(schema: Message, arguments: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield header, argument and type of each parameter with `x-mcp-header` in its schema."""
    for name, part in (schema.get("properties") or {}).items():
        argument = arguments.get(name) if isinstance(arguments, dict) else None
        if isinstance(part, dict):
            if isinstance(part.get("x-mcp-header"), str):
                yield part["x-mcp-header"], argument, part.get("type")
            yield from _find_mirrored(part, argument)


def _is_same(header: bytes | None, argument: Any, kind: Any) -> bool:
    """Return whether a header mirrors an argument; both may be absent."""
    sent = _decode(header)
    if sent is None or not isinstance(argument, str | int | float):
        return header is None and argument is None
    if isinstance(argument, bool):
        return sent == str(argument).lower()
    if kind == "integer" and re.fullmatch(r"-?\d{1,400}(\.0+)?", sent):
        return argument == int(sent.partition(".")[0])
    return sent == str(argument)
