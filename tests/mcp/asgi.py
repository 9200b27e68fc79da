"""Requests to an ASGI application without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass
class Reply:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)


async def request(
    app: ASGIApp,
    path: str = "/mcp",
    headers: Mapping[str, str] | None = None,
    state: Mapping[str, Any] | None = None,
    body: bytes = b"{}",
    method: str = "POST",
) -> Reply:
    """Send a request whose body arrives at once, and collect the response."""
    reply = Reply()
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.Future[Message]()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            reply.body += message.get("body", b"")

    await app(make_scope(path, headers, state) | {"method": method}, receive, send)
    return reply


def make_scope(
    path: str = "/mcp",
    headers: Mapping[str, str] | None = None,
    state: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    pairs = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": pairs,
        "state": dict(state or {}),
    }
