"""Authentication before the protocol: a request in, the same request in the name of its principal
out, or a challenge.

What is guarded is named by path, each with the scopes that it takes: who may ask the tools may not
see the metrics for that. Everything else (health, the metadata that tells a client where to get a
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
        """The value of `WWW-Authenticate`; what is empty is left out."""
        fields = {"error": error, "error_description": description}
        if self.metadata_url:  # our own tokens are not asked for by scope
            fields["scope"] = " ".join(self.scopes)
            fields["resource_metadata"] = self.metadata_url
        parts = [f'{name}="{value}"' for name, value in fields.items() if value]
        return f"Bearer {', '.join(parts)}".rstrip()


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
        """Pass the request on in the name of its principal, or refuse it."""
        challenge = None
        if scope["type"] == "http":
            challenge = self._guarded.get(scope["path"].rstrip("/"))
        if challenge is None:
            await self._app(scope, receive, send)
            return
        principal = await self._authenticate(scope, send, challenge)
        if principal is None:
            return
        scope.setdefault("state", {})["principal"] = principal
        with serving(principal.id):
            await self._app(scope, receive, send)

    async def _authenticate(
        self, scope: Scope, send: Send, challenge: AuthChallenge
    ) -> Principal | None:
        """Who it is; None where the refusal has been sent."""
        token = find_token(scope)
        if token is None:
            description = "Send a token: Authorization: Bearer ..."
            await _refuse(send, 401, "unauthorized", description, challenge.header())
            return None
        try:
            principal = await self._verifier.verify(token)
        except AccessDenied as denied:
            log.info("a token was turned away: %s", denied.reason)
            header = challenge.header("invalid_token", denied.reason)
            await _refuse(send, 401, "invalid_token", denied.reason, header)
            return None
        except VerifierUnavailable:
            headers = [(b"retry-after", str(_RETRY_SECONDS).encode())]
            description = "Tokens cannot be checked at the moment."
            await send_error(send, 503, "temporarily_unavailable", description, headers)
            return None
        if not principal.scopes.issuperset(challenge.scopes):
            log.info("%r may not use %s", principal.name, scope["path"])
            header = challenge.header("insufficient_scope", challenge.lacking)
            await _refuse(send, 403, "insufficient_scope", challenge.lacking, header)
            return None
        return principal


async def _refuse(send: Send, status: int, error: str, description: str, header: str) -> None:
    """Send a refusal with the challenge that says which token would do."""
    headers = [(b"www-authenticate", header.encode("latin-1", "replace"))]
    await send_error(send, status, error, description, headers)


async def send_error(
    send: Send,
    status: int,
    error: str,
    description: str,
    headers: list[tuple[bytes, bytes]] | None = None,
) -> None:
    """Send a refusal as JSON."""
    body = json.dumps({"error": error, "error_description": description}).encode()
    all_headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *(headers or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body})


def find_token(scope: Scope) -> str | None:
    """The token of the request, if it has exactly one."""
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(values) != 1:
        return None
    scheme, _, token = values[0].decode("latin-1").partition(" ")
    if scheme.lower() != "bearer":
        return None
    return token.strip() or None
