"""Batches over HTTP: one request with a list of messages in, one list of answers out.

Only revision 2025-03-26 has them, whose clients name no revision. Each message is asked as a
request of its own, one after the other, so that a batch has no way around a check or a limit.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webquarry.surfaces.mcp.wire.lines import (
    BATCH_REVISION,
    HANDSHAKE_REVISIONS,
    INVALID_REQUEST,
    BatchAnswers,
    build_refusal,
    encode,
    is_request,
    parse_line,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST = 100  # messages in one batch
_REFUSED = -32000  # one message of a batch, by a check or a limit of ours
_BLANKS = b" \t\r\n"


@dataclass
class _Reply:
    """What the application sent."""

    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = list(message["headers"])
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")

    async def pass_on(self, send: Send) -> None:
        """Send all of it as it came."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})

    def find_answer(self, id: Any) -> str:
        """The answer to a request, out of a stream of events or alone."""
        problem = f"It was refused with status {self.status}."
        for part in [*self._events(), self.body]:
            try:
                message = json.loads(part)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if message.get("id") == id and ("result" in message or "error" in message):
                return part.decode()
            problem = str(message.get("error_description") or problem)
        return encode(build_refusal(_REFUSED, problem, id))

    def _events(self) -> list[bytes]:
        lines = self.body.splitlines()
        return [line.removeprefix(b"data: ") for line in lines if line.startswith(b"data: ")]


class BatchRequests:
    """An ASGI application before another one, which knows no batches."""

    def __init__(self, app: ASGIApp, paths: Collection[str], max_bytes: int) -> None:
        self._app = app
        self._paths = frozenset(paths)
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a single message on, take a batch apart."""
        is_message = scope["type"] == "http" and scope["method"] == "POST"
        revision = _find_revision(scope)
        if not is_message or scope["path"] not in self._paths or not revision:
            await self._app(scope, receive, send)
            return
        body = await _receive_body(receive)
        if len(body) > self._max_bytes or not body.lstrip(_BLANKS).startswith(b"["):
            await self._app(scope, _repeat(body, receive), send)
            return
        await self._answer_batch(body, revision, scope, receive, send)

    async def _answer_batch(
        self, body: bytes, revision: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        line = parse_line(body, revision)
        if not line.is_batch:
            await _send_json(send, 400, encode(line.refusals[0]))
            return
        if len(line.messages) + len(line.refusals) > _MOST:
            problem = f"A batch has {_MOST} messages at most."
            await _send_json(send, 400, encode(build_refusal(INVALID_REQUEST, problem)))
            return
        answers = BatchAnswers(line)
        for number, message in enumerate(line.messages):
            reply = _Reply()
            data = encode(message).encode()
            await self._app(_resize(scope, len(data)), _repeat(data, receive), reply.take)
            if number == 0 and reply.status >= 400:  # whoever asks is refused, or how they ask
                await reply.pass_on(send)
                return
            if is_request(message):
                answers.settle(reply.find_answer(message["id"]))
        text = answers.render()
        await _send_json(send, 202 if text is None else 200, text or "")


def _find_revision(scope: Scope) -> str | None:
    """The revision of a request with a handshake: those before 2025-06-18 are named by no header.
    None for newer ones.
    """
    for name, value in scope.get("headers", ()):
        if name == b"mcp-protocol-version":
            revision = value.decode("latin-1")
            return revision if revision in HANDSHAKE_REVISIONS else None
    return BATCH_REVISION


async def _receive_body(receive: Receive) -> bytes:
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def _repeat(body: bytes, receive: Receive) -> Receive:
    """Gives a body that has come already, then whatever comes."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        if pending:
            return pending.pop()
        return await receive()

    return receive_again


def _resize(scope: Scope, length: int) -> Scope:
    """The same request with a body of this length."""
    headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
    return {**scope, "headers": [*headers, (b"content-length", str(length).encode())]}


async def _send_json(send: Send, status: int, text: str) -> None:
    body = text.encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
