"""JSON-RPC and the lifecycle of MCP, independent of the transport.

    server = Server(server_info)
    server.handlers["ping"] = answer_ping        # async (Request) -> result
    response = await server.handle(session, parse(line), send)

stdio answers its first requests with this module before an event loop exists, so it imports neither
asyncio nor anything else that is slow to import; a handler that never suspends can be run without
an event loop (`run_without_loop`).
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False  # importing typing takes 2 ms
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any, TypeVar

    T = TypeVar("T", str, dict[str, Any])
    Message = dict[str, Any]
    RequestId = str | int
    Send = Callable[[Message], Awaitable[None]]
    Result = Message | bytes  # bytes: a result that is already serialized
    Handler = Callable[["Request"], Awaitable[Result]]
else:
    Message = dict

HANDSHAKE_REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_HANDSHAKE = HANDSHAKE_REVISIONS[-1]
MODERN = "2026-07-28"  # without a handshake: each request names its revision
BATCH_REVISION = "2025-03-26"  # the only one with batches
MAX_BATCH = 100
MAX_DEPTH = 100  # nested arrays and objects in a message

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CONNECTION_CLOSED = -32000
RESOURCE_NOT_FOUND = -32002  # before 2026-07-28; INVALID_PARAMS since then
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

_META_PREFIX = "io.modelcontextprotocol/"
META_VERSION = _META_PREFIX + "protocolVersion"
META_CAPABILITIES = _META_PREFIX + "clientCapabilities"
META_CLIENT = _META_PREFIX + "clientInfo"
META_SERVER = _META_PREFIX + "serverInfo"

_MODERN_ONLY = ("server/discover", "subscriptions/listen")
_HANDSHAKE_ONLY = (
    "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"
)  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_ID_MEMBER = re.compile(r'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,18})\s*(?:[,}]|$)')


class ProtocolError(Exception):
    """An error response: JSON-RPC code, message and optional data."""

    def __init__(
        self, code: int, message: str, data: Any = None, request_id: RequestId | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.request_id = request_id  # of a message that could not be parsed


class Session:
    """State of one connection: negotiated revision and calls in progress."""

    def __init__(self, revision: str | None = None) -> None:
        self.revision = revision
        self.calls: dict[RequestId, asyncio.Task[Any]] = {}


class Request:
    """A request that is being handled."""

    __slots__ = ("id", "method", "params", "send", "session")

    def __init__(
        self, session: Session, id: RequestId, method: str, params: Message, send: Send
    ) -> None:
        self.session = session
        self.id = id
        self.method = method
        self.params = params
        self.send = send

    @property
    def revision(self) -> str:
        """The negotiated revision; the latest one with a handshake before there is any."""
        return self.session.revision or LATEST_HANDSHAKE

    @property
    def is_modern(self) -> bool:
        return self.session.revision == MODERN

    @property
    def progress_token(self) -> RequestId | None:
        """The token of progress notifications; None if the client wants none."""
        token: RequestId | None = (self.params.get("_meta") or {}).get("progressToken")
        return token

    def read(self, name: str, kind: type[T], default: T | None = None) -> T:
        """Return a parameter; raise INVALID_PARAMS for another type, or without any value."""
        value = self.params.get(name)
        if value is None:
            value = default
        if not isinstance(value, kind):
            raise invalid_params(f"params.{name}")
        return value


class Response:
    """A serialized response; `error_code` is None for results."""

    __slots__ = ("body", "error_code")

    def __init__(self, body: bytes, error_code: int | None = None) -> None:
        self.body = body
        self.error_code = error_code


class Server:
    """Dispatches messages to `handlers`, a dict from method to async function."""

    def __init__(self, server_info: Message) -> None:
        self.server_info = server_info
        self.handlers: dict[str, Handler] = {}

    async def handle(self, session: Session, message: Any, send: Send) -> Response | None:
        """Return the response to a request; None for a notification or a response.

        `send` delivers messages that belong to this request, such as progress notifications.
        """
        problem = find_problem(message)
        if problem is not None:
            return error_response(_echo_id(message), ProtocolError(INVALID_REQUEST, problem))
        if "method" not in message:
            return None  # a response, though we send no requests
        method, params = message["method"], message.get("params") or {}
        if "id" not in message:
            cancelled = params.get("requestId") if method == "notifications/cancelled" else None
            if isinstance(cancelled, str | int) and cancelled in session.calls:
                session.calls[cancelled].cancel()
            return None
        request = Request(session, message["id"], method, params, send)
        try:
            check_revision(request)
            result = await self._find_handler(request)(request)
            return self._respond(request, result)
        except Exception as error:
            return error_response(request.id, explain(error))

    async def handle_batch(
        self, session: Session, messages: list[Any], send: Send
    ) -> Response | None:
        """Handle the messages of a batch one after the other; None if none needs a response."""
        problem = None
        if session.revision != BATCH_REVISION:
            problem = f"Only revision {BATCH_REVISION} has batches; send one message at a time."
        elif not 0 < len(messages) <= MAX_BATCH:
            problem = f"A batch has 1 to {MAX_BATCH} messages."
        if problem is not None:
            return error_response(None, ProtocolError(INVALID_REQUEST, problem))
        bodies = []
        for message in messages:
            if isinstance(message, dict) and message.get("method") == "initialize":
                error = ProtocolError(INVALID_REQUEST, "initialize cannot be in a batch.")
                response: Response | None = error_response(_echo_id(message), error)
            else:
                response = await self.handle(session, message, send)
            if response is not None:
                bodies.append(response.body)
        return Response(b"[%b]" % b",".join(bodies)) if bodies else None

    def _find_handler(self, request: Request) -> Handler:
        method, is_modern = request.method, request.is_modern
        handler = self.handlers.get(method)
        if handler is None or method in (_HANDSHAKE_ONLY if is_modern else _MODERN_ONLY):
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
        if request.session.revision is None and method not in ("initialize", "ping"):
            raise ProtocolError(INVALID_PARAMS, "Not initialized: send initialize first.")
        return handler

    def _respond(self, request: Request, result: Result) -> Response:
        if not isinstance(result, bytes):
            if request.is_modern:
                meta = {**(result.get("_meta") or {}), META_SERVER: self.server_info}
                result = {"resultType": "complete", **result, "_meta": meta}
            result = encode(result)
        return Response(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (encode(request.id), result))


def parse(data: bytes | str) -> Any:
    """Parse a JSON text in UTF-8; raise PARSE_ERROR or, beyond our limits, INVALID_REQUEST."""
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    try:
        if isinstance(data, bytes):
            data.decode()
        value = _DECODER.decode(text)
        # JSON text may hold half of a surrogate pair only as an escape sequence.
        if "\\u" in text and _SURROGATE.search(_encode(value)):
            units = _encode(value).encode("utf-16-le", "surrogatepass")
            value = _DECODER.decode(units.decode("utf-16-le", "replace"))  # by U+FFFD
        return value
    except UnicodeDecodeError:
        code, problem = PARSE_ERROR, "Invalid JSON: not UTF-8."
    except json.JSONDecodeError as error:
        code, problem = PARSE_ERROR, f"Invalid JSON: {error.msg} at character {error.pos + 1}."
    except ValueError:
        code, problem = PARSE_ERROR, "Invalid JSON: a number is too long, NaN or infinite."
    except RecursionError:
        code, problem = INVALID_REQUEST, _TOO_DEEP
    raise ProtocolError(code, problem, request_id=_find_id(text))


def encode(value: Any) -> bytes:
    """Serialize compactly in UTF-8; raise ValueError for NaN and Infinity."""
    text = _encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def as_json(value: Any) -> str:
    """The same as text."""
    return encode(value).decode()


def text_block(text: str) -> Message:
    """A text in the content of a result."""
    return {"type": "text", "text": text}


def error_response(id: RequestId | float | None, error: ProtocolError) -> Response:
    """The response to a request that failed; the id is None where it is unknown."""
    body: Message = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return Response(encode({"jsonrpc": "2.0", "id": id, "error": body}), error.code)


def explain(error: BaseException) -> ProtocolError:
    """Convert any exception into an error response without internals of the server."""
    if isinstance(error, ProtocolError):
        return error
    from webquarry.errors import WebquarryError
    from webquarry.secret import redact

    if isinstance(error, WebquarryError):
        return ProtocolError(INTERNAL_ERROR, redact(error.sentences))
    import logging

    logging.getLogger(__name__).error("request failed", exc_info=error)
    return ProtocolError(INTERNAL_ERROR, f"Internal server error: {type(error).__name__}.")


def run_without_loop(coroutine: Coroutine[Any, Any, Response | None]) -> Response | None:
    """Run a coroutine that does not suspend, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        response: Response | None = stop.value
        return response
    coroutine.close()
    raise RuntimeError("this request needs an event loop")


def find_problem(message: Any) -> str | None:
    """Why a value is not a JSON-RPC message of MCP; None if it is."""
    if not isinstance(message, dict):
        return "A message must be an object."
    if message.get("jsonrpc") != "2.0":
        return 'A message must have "jsonrpc": "2.0".'
    if _is_deeper(message, MAX_DEPTH):
        return _TOO_DEEP
    id = message.get("id")
    has_id = isinstance(id, str | int) and not isinstance(id, bool)
    if "method" in message:
        if not isinstance(message["method"], str):
            return "The method must be a string."
        if not isinstance(message.get("params"), dict | None):
            return "The params must be an object."
        if "id" in message and not has_id:
            return "The id must be a string or an integer."
        return None
    error = message.get("error")
    if isinstance(error, dict):
        is_error = type(error.get("code")) is int and isinstance(error.get("message"), str)
        if is_error and (has_id or (id is None and "id" in message)):
            return None
    elif isinstance(message.get("result"), dict) and has_id and "error" not in message:
        return None
    return "The message is neither a request nor a notification nor a response."


def check_revision(request: Request) -> None:
    """Check that a request fits the revision of its session; its first request may decide it."""
    session, params = request.session, request.params
    meta = params.get("_meta", {})
    if request.method == "initialize":
        if session.revision == MODERN:
            raise version_error(params.get("protocolVersion"))
        return
    names_revision = isinstance(meta, dict) and META_VERSION in meta
    if session.revision is None and names_revision:
        session.revision = MODERN
    if session.revision == MODERN:
        version = read_envelope(params)
        if version != MODERN:
            raise version_error(version)
    elif names_revision:
        raise ProtocolError(
            INVALID_REQUEST, f"Requests of {MODERN} are not accepted after an initialize handshake."
        )
    token = meta.get("progressToken", "") if isinstance(meta, dict) else None
    if not isinstance(token, str | int) or isinstance(token, bool):
        raise invalid_params("params._meta.progressToken")


def read_envelope(params: Message) -> str:
    """Return the revision that a `_meta` of 2026-07-28 names; raise INVALID_PARAMS without any."""
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        meta = {}
    missing = [key for key in (META_VERSION, META_CAPABILITIES) if key not in meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks: {', '.join(missing)}")
    version, client = meta[META_VERSION], meta.get(META_CLIENT)
    has_client = client is None or is_client_info(client)
    if not (isinstance(version, str) and isinstance(meta[META_CAPABILITIES], dict) and has_client):
        raise invalid_params("a member of params._meta")
    return version


def invalid_params(name: str) -> ProtocolError:
    """The error for a parameter that is missing or does not have the shape of the protocol."""
    problem = f"Invalid request parameters: {name} is missing or has the wrong type"
    return ProtocolError(INVALID_PARAMS, problem, "")


def is_client_info(value: Any) -> bool:
    """Whether a value is an `Implementation` of the protocol."""
    return isinstance(value, dict) and all(
        isinstance(value.get(key), str) for key in ("name", "version")
    )


def version_error(requested: Any) -> ProtocolError:
    """The error for a revision that is not served without a handshake."""
    data: Message = {"supported": [MODERN]}
    if isinstance(requested, str):
        data["requested"] = requested
    return ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_TOO_DEEP = f"The message has more than {MAX_DEPTH} nested arrays and objects."


def _is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        inner: list[Any] = []
        for one in layer:
            inner.extend(one.values() if isinstance(one, dict) else one)
        layer = [one for one in inner if isinstance(one, dict | list)]
        if not layer:
            return False
    return True


def _echo_id(message: Any) -> RequestId | float | None:
    """The id to answer an invalid message with; the id of a response is not one of the client's."""
    if not isinstance(message, dict) or "result" in message or "error" in message:
        return None
    id = message.get("id")
    is_number = isinstance(id, int | float) and not isinstance(id, bool) and abs(id) < 1e300
    return id if isinstance(id, str) or is_number else None


def _find_id(text: str) -> RequestId | None:
    """The id in a text that is not valid JSON, looked for before and after its nested values."""
    start = text.find("{") + 1
    nested = min(
        (at for at in (text.find("{", start), text.find("[", start)) if at > 0), default=-1
    )
    end = max(text.rfind("}", 0, len(text.rstrip()) - 1), text.rfind("]"))
    before, after = text[start : nested if nested > 0 else None], text[end + 1 :]
    found = _ID_MEMBER.search(before) or (_ID_MEMBER.search(after) if end > nested else None)
    if found is None or '"result"' in before or '"error"' in before:
        return None
    id: RequestId = json.loads(found[1])
    return id
