"""MCP over streamable HTTP, without sessions.

    POST /mcp  and  /mcp/                        the protocol
    GET  /health/live, /health/ready, /metrics   probes
    GET  /ui                                     the web UI of the caller

A request is answered with JSON, or with an event stream as soon as the handler sends a notification
or has been silent for 15 seconds. The client cancels a call by closing the connection. From the
outside in a request passes: request id, Host and Origin, authentication, body limits, rate limits.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from webquarry.mcp.asgi import (
    HostCheck,
    RequestReader,
    RequestTracking,
    error_response,
    read_header,
)
from webquarry.mcp.auth import Access, Authentication
from webquarry.mcp.limits import LimitedApp, RateLimits
from webquarry.mcp.protocol import (
    BATCH_REVISION,
    CONNECTION_CLOSED,
    HANDSHAKE_REVISIONS,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    MAX_BATCH,
    META_VERSION,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    MODERN,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
    Session,
    encode,
    find_problem,
    parse,
    read_envelope,
    unsupported_version,
)
from webquarry.mcp.protocol import error_response as jsonrpc_error

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from webquarry.mcp.handlers import ToolServer
    from webquarry.mcp.health import Health
    from webquarry.mcp.protocol import Message
    from webquarry.mcp.protocol import Response as ProtocolResponse
    from webquarry.settings import Settings

PING_SECONDS = 15.0
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
LOCAL_HOSTS = [host for name in _LOCAL_NAMES for host in (name, f"{name}:*")]
_LOCAL_ORIGINS = [f"http://{host}" for host in LOCAL_HOSTS]
_UI = "/ui"
_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
    CONNECTION_CLOSED: 503,
}
_HANDSHAKE_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, CONNECTION_CLOSED: 503}
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
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
    limits: RateLimits | None = None,
    build_page: Callable[[], ASGIApp] | None = None,
) -> ASGIApp:
    """Return the ASGI application; `build_page` makes that of the web UI for its first request."""
    endpoint = McpEndpoint(server, limits)
    routes = [Route("/mcp", endpoint), Route("/mcp/", endpoint), *health.routes()]
    app: ASGIApp = Router(routes)
    if access is not None and limits is not None:
        app = LimitedApp(app, limits)
    app = RequestReader(app, settings.http_max_request_bytes)
    if access is not None:
        app = Authentication(app, access)
    app = HostCheck(app, find_hosts(settings, access), [*_LOCAL_ORIGINS, *settings.http_origins])
    return RequestTracking(_Dispatch(app, settings, health, access, build_page))


def find_hosts(settings: Settings, access: Access | None) -> list[str] | None:
    """Return the allowed values of the `Host` header; None for any, where tokens are required."""
    if access is not None and not settings.http_hosts:
        return None
    return [*LOCAL_HOSTS, *settings.http_hosts]


class _Dispatch:
    """Routes the web UI and the OAuth metadata, which have their own checks."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        health: Health,
        access: Access | None,
        build_page: Callable[[], ASGIApp] | None,
    ) -> None:
        self._app = app
        self._max_header_bytes = settings.http_max_header_bytes
        self._health = health
        self._access = access
        self._build_page = build_page
        self._page: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._route(scope)(scope, receive, send)

    def _route(self, scope: Scope) -> ASGIApp:
        path, access = scope["path"], self._access
        if self._health.closing:
            headers = {"Retry-After": "5", "Connection": "close"}
            return error_response(503, "ending", "The server is shutting down.", headers)
        if (
            sum(len(name) + len(value) + 4 for name, value in scope["headers"])
            > self._max_header_bytes
        ):
            problem = "The headers of the request are too large."
            return error_response(431, "head_too_large", problem, {"Connection": "close"})
        if access is not None and access.metadata and path == urlsplit(access.metadata_url).path:
            # Pages of any origin may look up the issuer.
            headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=3600"}
            return JSONResponse(access.metadata, headers=headers)
        if self._build_page is not None and (path == _UI or path.startswith(_UI + "/")):
            self._page = self._page or self._build_page()
            return self._page
        return self._app


class McpEndpoint:
    """The ASGI application of the protocol."""

    def __init__(
        self,
        server: ToolServer,
        limits: RateLimits | None = None,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self._server = server
        self._limits = limits
        self._ping_seconds = ping_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = _check_request(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        exchange = Exchange(send, self._ping_seconds)
        body = (await receive())["body"]
        revision = (read_header(scope, b"mcp-protocol-version") or b"").decode("latin-1")
        is_modern = bool(revision) and revision not in HANDSHAKE_REVISIONS
        session = Session(MODERN if is_modern else revision or BATCH_REVISION)
        message: Any = None
        try:
            message = parse(body)
            if isinstance(message, list):
                refusal = await self._count_batch(scope, message)
                if refusal is not None:
                    await refusal(scope, receive, send)
                    return
                work = self._server.handle_batch(session, message, exchange.notify)
            else:
                if is_modern:
                    self._check_modern(scope, message, revision)
                elif isinstance(message, dict):
                    session.revision = _adapt(message, session.revision)
                work = self._server.handle(session, message, exchange.notify)
            response = await exchange.run(work, receive)
        except ProtocolError as error:
            is_call = isinstance(message, dict) and error.code == CONNECTION_CLOSED
            id = message["id"] if is_call else error.request_id
            response = jsonrpc_error(id, error)
        await exchange.finish(response, _STATUS if is_modern else _HANDSHAKE_STATUS)

    async def _count_batch(self, scope: Scope, messages: list[Any]) -> Response | None:
        """Count the messages of a batch as one request each; the first is already counted."""
        principal = scope.get("state", {}).get("principal")
        if self._limits is None or principal is None:
            return None
        return await self._limits.take(principal, len(messages[:MAX_BATCH]) - 1)

    def _check_modern(self, scope: Scope, message: Any, revision: str) -> None:
        """Compare the headers of a request of 2026-07-28 with its body."""
        if find_problem(message) is not None:
            return  # an error of `handle`
        if "method" not in message:
            problem = "Body must be a single JSON-RPC request or notification object"
            raise ProtocolError(INVALID_REQUEST, problem)
        if "id" not in message:
            if revision != MODERN:
                raise unsupported_version(revision)
            return
        method, params = message["method"], message.get("params") or {}
        try:
            version = read_envelope(params)
            headers: dict[bytes, bytes] = {}
            for name, value in scope["headers"]:
                if name in headers and name.startswith(b"mcp-"):
                    raise _mismatch(f"{name.decode()} header appears more than once")
                headers[name] = value
            if revision != version:
                raise _mismatch(
                    "mcp-protocol-version header does not match the request envelope's protocol "
                    "version"
                )
            if headers.get(b"mcp-method", b"").decode("latin-1") != method:
                raise _mismatch("mcp-method header does not match the request body's method")
            key = _NAMED.get(method, "")
            if key in params and _decode(headers.get(b"mcp-name")) != params[key]:
                raise _mismatch(
                    f"mcp-name header does not match the request body's {key!r} parameter"
                )
            if method == "tools/call":
                self._check_parameters(headers, params)
        except ProtocolError as error:
            error.request_id = message["id"]
            raise

    def _check_parameters(self, headers: dict[bytes, bytes], params: Message) -> None:
        """Compare `Mcp-Param-*` headers with the arguments that the tool's schema maps to them."""
        external = self._server.external
        tools = [*self._server.listing.lists["tools"], *(external.descriptions if external else ())]
        schemas = [tool["inputSchema"] for tool in tools if tool["name"] == params.get("name")]
        for path, header, kind in _find_mapped(schemas[0]) if schemas else ():
            raw = headers.get(f"mcp-param-{header}".lower().encode())
            argument: Any = params.get("arguments")
            for key in path:
                argument = argument.get(key) if isinstance(argument, dict) else None
            sent = _decode(raw)
            if (raw, argument) != (None, None) and not _is_same(sent, argument, kind):
                raise _mismatch(
                    f"Mcp-Param-{header} header does not match the request body's {path[-1]!r} "
                    "argument"
                )


class Exchange:
    """The response to one request: JSON, or an event stream once something was sent before it."""

    def __init__(self, send: Send, ping_seconds: float) -> None:
        self._send = send
        self._ping_seconds = ping_seconds
        self._lock = asyncio.Lock()
        self._pinging: asyncio.Task[None] | None = None
        self._is_stream = False
        self._is_closed = False  # by the client

    async def run(self, work: Any, receive: Receive) -> ProtocolResponse | None:
        """Await `work`, sending pings; cancel it when the client disconnects."""
        task = asyncio.current_task()
        assert task is not None
        pings = asyncio.get_running_loop().call_later(self._ping_seconds, self._start_pings)
        watch = asyncio.create_task(self._watch(receive, task))
        try:
            response: ProtocolResponse | None = await work
            return response
        except asyncio.CancelledError:
            task.uncancel()  # by the client, or at the end of the grace period
            raise ProtocolError(CONNECTION_CLOSED, "The server is shutting down.") from None
        finally:
            pings.cancel()
            watch.cancel()
            if self._pinging is not None:
                self._pinging.cancel()

    async def _watch(self, receive: Receive, task: asyncio.Task[Any]) -> None:
        while (await receive())["type"] != "http.disconnect":
            continue
        self._is_closed = True
        task.cancel()

    def _start_pings(self) -> None:
        self._pinging = asyncio.create_task(self._ping())

    async def _ping(self) -> None:
        while True:
            await self._write(b": ping\r\n\r\n")
            await asyncio.sleep(self._ping_seconds)

    async def notify(self, message: Message) -> None:
        """Send a message that belongs to the request."""
        await self._write(_event(encode(message)))

    async def _write(self, data: bytes, *, more: bool = True) -> None:
        async with self._lock:
            if not self._is_stream:
                self._is_stream = True
                start = {"type": "http.response.start", "status": 200, "headers": _STREAM_HEADERS}
                await self._send(start)
            await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def finish(self, response: ProtocolResponse | None, statuses: dict[int, int]) -> None:
        """Send the response, or 202 if there is none."""
        if self._is_closed:
            return
        if self._is_stream and response is not None:
            await self._write(_event(response.body), more=False)
            return
        status, body = 202, b""
        if response is not None:
            body = response.body
            status = statuses.get(response.error_code or 0, 200)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})


def _event(body: bytes) -> bytes:
    return b"event: message\r\ndata: %b\r\n\r\n" % body


def _check_request(scope: Scope) -> Response | None:
    """Return a refusal of a request that is not a POST of JSON by a client that accepts both."""
    if scope["method"] != "POST":
        problem = "Send requests with POST; there is no other stream."
        return error_response(405, "method_not_allowed", problem, {"Allow": "POST"})
    content_type = (read_header(scope, b"content-type") or b"").partition(b";")[0]
    if content_type.strip().lower() != b"application/json":
        return PlainTextResponse("Invalid Content-Type header", 400)
    accepted = (read_header(scope, b"accept") or b"").decode("latin-1").lower().split(",")
    types = {entry.partition(";")[0].strip() for entry in accepted}
    takes_json = types & {"*/*", "application/*", "application/json"}
    if not takes_json or not types & {"*/*", "text/*", "text/event-stream"}:
        problem = "Not Acceptable: Client must accept both application/json and text/event-stream"
        body = jsonrpc_error(None, ProtocolError(INVALID_REQUEST, problem)).body
        return Response(body, 406, media_type="application/json")
    return None


def _adapt(message: Message, revision: str | None) -> str | None:
    """Return the revision of a handshake request: None for `initialize`, which negotiates it."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(meta, dict):
        meta.pop(META_VERSION, None)  # the header decides
    return None if message.get("method") == "initialize" else revision


def _mismatch(problem: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, problem)


def _decode(value: bytes | None) -> str | None:
    """Return a header value; None if it is missing or malformed base64."""
    text = None if value is None else value.decode("latin-1")
    found = _BASE64.fullmatch(text or "")
    if found is None:
        return text
    with suppress(ValueError):
        data = base64.b64decode(found[1], validate=True)
        if base64.b64encode(data).decode() == found[1]:
            return data.decode()
    return None


def _find_mapped(
    schema: Message, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Yield path, header and type of each property with `x-mcp-header`."""
    for name, part in (schema.get("properties") or {}).items():
        if isinstance(part, dict):
            if isinstance(part.get("x-mcp-header"), str):
                yield (*path, name), part["x-mcp-header"], part.get("type")
            yield from _find_mapped(part, (*path, name))


def _is_same(sent: str | None, argument: Any, kind: Any) -> bool:
    if sent is None or not isinstance(argument, str | int | float):
        return False
    if isinstance(argument, bool):
        return sent == str(argument).lower()
    if kind == "integer" and re.fullmatch(r"-?\d{1,400}(\.0+)?", sent):
        return argument == int(sent.partition(".")[0])
    return sent == str(argument)
