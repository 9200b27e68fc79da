"""The gate before the protocol: a request in, the same request in the name of its principal out, or
a challenge.

What it guards is named by path, each with the scopes that it takes: who may ask the tools may not
see the figures for that. Everything else (health, the metadata that tells a client where to get a
token) is open. Challenges are those of RFC 6750, with the scopes and the metadata that the MCP
specification asks for.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry.caller import serving
from webquarry.surfaces.server.principal import (
    AccessDenied,
    Principal,
    Verifier,
    VerifierUnavailable,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

_RETRY_SECONDS = 30


@dataclass(frozen=True)
class AuthChallenge:
    """What a token needs for a path, and what a client that was turned away is told: the scopes,
    where to learn who gives out tokens, and a sentence for one whose token is good for something
    else.
    """

    scopes: tuple[str, ...] = ()
    metadata_url: str | None = None
    lacking: str = "The token does not have all the scopes that it needs."

    def header(self, error: str = "", description: str = "") -> str:
        told = {
            "error": error,
            "error_description": description,
            "scope": " ".join(self.scopes)
            if self.metadata_url
            else "",  # our own tokens are not asked for by scope
            "resource_metadata": self.metadata_url or "",
        }
        parts = ", ".join(f'{name}="{value}"' for name, value in told.items() if value)
        return f"Bearer {parts}".rstrip()


class Authentication:
    """An ASGI application before another one: nobody passes to a guarded path without a token that
    is good for it.
    """

    def __init__(
        self, app: ASGIApp, verifier: Verifier, guarded: Mapping[str, AuthChallenge]
    ) -> None:
        self._app = app
        self._verifier = verifier
        self._guarded = guarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        challenge = None
        if scope["type"] == "http":
            challenge = self._guarded.get(scope["path"].rstrip("/"))
        if challenge is None:
            await self._app(scope, receive, send)
            return
        principal = await self._admitted(scope, send, challenge)
        if principal is None:
            return
        scope.setdefault("state", {})["principal"] = principal
        with serving(principal.id):
            await self._app(scope, receive, send)

    async def _admitted(
        self, scope: Scope, send: Send, challenge: AuthChallenge
    ) -> Principal | None:
        """Who it is; None where the refusal has been sent."""
        token = _bearer(scope)
        if token is None:
            await _refuse(send, challenge, 401, "", "Send a token: Authorization: Bearer ...")
            return None
        try:
            principal = await self._verifier.verify(token)
        except AccessDenied as denied:
            log.info("a token was turned away: %s", denied.reason)
            await _refuse(send, challenge, 401, "invalid_token", denied.reason)
        except VerifierUnavailable:
            headers = [(b"retry-after", str(_RETRY_SECONDS).encode())]
            await answer(
                send,
                503,
                "temporarily_unavailable",
                "Tokens cannot be checked at the moment.",
                headers,
            )
        else:
            if principal.scopes.issuperset(challenge.scopes):
                return principal
            log.info("%r may not use %s", principal.name, scope["path"])
            await _refuse(send, challenge, 403, "insufficient_scope", challenge.lacking)
        return None


async def _refuse(
    send: Send, challenge: AuthChallenge, status: int, error: str, description: str
) -> None:
    header = challenge.header(error, description if error else "")
    headers = [(b"www-authenticate", header.encode("latin-1", "replace"))]
    await answer(send, status, error or "unauthorized", description, headers)


async def answer(
    send: Send,
    status: int,
    error: str,
    description: str,
    headers: list[tuple[bytes, bytes]] | None = None,
) -> None:
    """A refusal as JSON."""
    body = json.dumps({"error": error, "error_description": description}).encode()
    fixed = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": status, "headers": [*fixed, *(headers or [])]}
    )
    await send({"type": "http.response.body", "body": body})


def _bearer(scope: Scope) -> str | None:
    """The token of the request, if it has exactly one."""
    given = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(given) != 1:
        return None
    scheme, _, token = given[0].decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip() or None
    return None
