"""The requests that are asked most, answered in one pass: a handshake, a ping, a list from what is
prepared, a call of a tool, each as one JSON answer.

    POST -> head -> caller -> body -> message -> limits -> answer

Only what is certainly in order is answered here, by the same rules as everything else. Any other
request goes on, as it came, to the application behind: it knows the whole protocol, and says what
is wrong. Who is let in, how much they may ask and what is counted is the same for both.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from webquarry.caller import serving
from webquarry.surfaces.mcp.front.calls import explain_failure
from webquarry.surfaces.mcp.front.light_loop import frame
from webquarry.surfaces.mcp.front.plain import MODERN_REVISION
from webquarry.surfaces.mcp.front.protocol import ANSWERED, CALL, NOTHING, REST
from webquarry.surfaces.server.authentication import find_token
from webquarry.surfaces.server.front.exchange import HttpExchange
from webquarry.surfaces.server.front.heads import find_revision_of, repeats_message
from webquarry.surfaces.server.front.streams import PING_SECONDS
from webquarry.surfaces.server.principal import AccessDenied, VerifierUnavailable
from webquarry.surfaces.server.request_tracking import REQUEST_ID, choose_id
from webquarry.surfaces.server.slow_clients import CONNECTION, refuse_late_body, replay

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from webquarry.surfaces.mcp.front.calls import ToolCalls
    from webquarry.surfaces.mcp.front.protocol import KnownRequests, Verdict
    from webquarry.surfaces.server.access import Access
    from webquarry.surfaces.server.front.heads import Head, HeadCheck
    from webquarry.surfaces.server.limits import RequestLimits, Work
    from webquarry.surfaces.server.principal import Principal
    from webquarry.surfaces.server.slow_clients import LimitedConnection, SlowClientLimits

_PATH = "/mcp"
_PATHS = (_PATH, _PATH + "/")
_REQUEST = {"jsonrpc", "id", "method", "params"}
_NOTICES = ("notifications/initialized", "notifications/cancelled")  # of which nothing comes here
_MOST_ID = 2**53  # larger numbers are not the same for all who read JSON


@dataclass(frozen=True)
class Admission:
    """Who may ask: what is checked of heads and bodies, how callers are told apart, and how much
    each of them may ask.
    """

    heads: HeadCheck
    bodies: SlowClientLimits
    access: Access | None = None
    limits: RequestLimits | None = None

    async def find_principal(self, scope: Scope) -> Principal | None:
        """Whose request it is; None where callers are not told apart. `AccessDenied` where it is
        nobody's who may ask.
        """
        if self.access is None:
            return None
        challenge = self.access.guarded[_PATH]
        token = find_token(scope)
        if token is None:
            raise AccessDenied("There is no token.")
        principal = await self.access.verifier.verify(token)
        if not principal.scopes.issuperset(challenge.scopes):
            raise AccessDenied(challenge.lacking)
        return principal


class HttpFront:
    """An ASGI application before another one, which gets what is not answered here."""

    def __init__(
        self,
        behind: ASGIApp,
        known: KnownRequests,
        calls: ToolCalls,
        admission: Admission,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self._behind = behind
        self._known = known
        self._calls = calls
        self._admission = admission
        self._ping_seconds = ping_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        head = None
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in _PATHS:
            head = self._admission.heads.read(scope)
        if head is None:
            await self._behind(scope, receive, send)
            return
        try:
            principal = await self._admission.find_principal(scope)
        except (AccessDenied, VerifierUnavailable):
            await self._behind(scope, receive, send)  # which says so
            return
        connection: LimitedConnection | None = scope.get(CONNECTION)
        exchange = HttpExchange(choose_id(head.get(REQUEST_ID)), send, connection)
        if connection is not None and connection.has_whole_body:
            came: list[Message] | None = [await receive()]
        else:
            came = await self._admission.bodies.receive_body(receive, connection)
        if came is None:
            await exchange.track(_PATH, refuse_late_body(exchange.put, connection))
            return
        work = self._find_work(exchange, head, came, receive)
        if work is None:
            await self._behind(scope, replay(came, receive), send)
            return
        await exchange.track(_PATH, self._serve(exchange, principal, work))

    def _find_work(
        self, exchange: HttpExchange, head: Head, came: list[Message], receive: Receive
    ) -> Work | None:
        """What is to be done for a request; None where it is not done here."""
        message = _parse(came, self._admission.heads.max_body_bytes)
        revision = find_revision_of(head)
        if message is None or revision is None:
            return None
        verdict, result = self._look(message, head, revision)
        if verdict == CALL:
            return partial(self._call, exchange, message, revision, receive)
        if verdict == ANSWERED:
            return partial(exchange.answer, frame(message, result))
        if verdict == NOTHING:
            return partial(exchange.answer, b"", 202)
        return None

    def _look(self, message: dict[str, Any], head: Head, revision: str) -> Verdict:
        """What becomes of a message that came alone, in a request of a revision."""
        method, params = message["method"], message.get("params")
        is_modern = revision == MODERN_REVISION
        if "id" not in message:
            is_idle = method in _NOTICES and not is_modern
            return (NOTHING if is_idle else REST), b""
        if params is not None and "progressToken" in (params.get("_meta") or ()):
            return REST, b""  # progress needs a stream
        if is_modern:
            name = params.get("name") if params is not None and method == "tools/call" else None
            if not repeats_message(head, method, name):
                return REST, b""
        elif method == "initialize":
            agreed, result = self._known.agree(message)
            return (REST if agreed is None else ANSWERED), result
        return self._known.look(method, params, revision)

    async def _serve(self, exchange: HttpExchange, principal: Principal | None, work: Work) -> None:
        """Do the work in the name of whoever asks, within their limits."""
        limits = self._admission.limits
        if principal is None:
            await work()
            return
        with serving(principal.id):
            if limits is None:
                await work()
            else:
                await limits.pass_on(principal, exchange.put, work)

    async def _call(
        self, exchange: HttpExchange, message: dict[str, Any], revision: str, receive: Receive
    ) -> None:
        """Call a tool, and send what comes of it."""
        seconds = self._ping_seconds
        loop = asyncio.get_running_loop()
        timer = loop.call_later(seconds, exchange.begin_stream, seconds)
        try:
            await exchange.work_for_client(self._make_answer(message, revision), receive)
        finally:
            timer.cancel()

    async def _make_answer(self, message: dict[str, Any], revision: str) -> bytes:
        try:
            return await self._calls.answer(message, revision)
        except Exception as raised:  # what does not even load
            return explain_failure(message, raised)


def _parse(came: list[Message], most: int) -> dict[str, Any] | None:
    """The request or the notification that a body holds, as far as its shape is certainly right
    and it has so many bytes at most; None for anything else.
    """
    if came[-1]["type"] != "http.request" or came[-1].get("more_body"):
        return None
    body = came[0]["body"] if len(came) == 1 else b"".join(part["body"] for part in came)
    if len(body) > most:
        return None
    try:
        message = from_json(body)
    except ValueError:
        return None
    if type(message) is not dict or not message.keys() <= _REQUEST:
        return None
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return None
    if "params" in message and type(message["params"]) is not dict:
        return None
    if "id" in message and not _is_id(message["id"]):
        return None
    return message


def _is_id(id: Any) -> bool:
    return isinstance(id, str) or (type(id) is int and abs(id) < _MOST_ID)
