"""An ASGI application asked without a server: what it answers, message by message."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass
class Answered:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


async def asked(
    app: ASGIApp,
    path: str = "/mcp",
    headers: Mapping[str, str] | None = None,
    state: Mapping[str, Any] | None = None,
    body: bytes = b"{}",
) -> Answered:
    """One request that arrives at once."""
    found = Answered()
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        return await asyncio.Future[Message]()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            found.status = message["status"]
            found.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            found.body += message.get("body", b"")

    await app(scope_of(path, headers, state), receive, send)
    return found


def scope_of(
    path: str, headers: Mapping[str, str] | None = None, state: Mapping[str, Any] | None = None
) -> Any:
    given = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": given,
        "state": dict(state or {}),
    }
