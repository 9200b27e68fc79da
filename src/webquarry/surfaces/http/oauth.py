"""Tokens of an OAuth 2.1 issuer: a JWT in, the principal it speaks for out.

We are a resource server: we check signature, issuer, audience and time ourselves, with the issuer's published keys, which
are found by its metadata (RFC 8414, then OpenID), kept for an hour, and asked for again when a token names a key that is
not among them, but not more often than twice a minute: a stranger's key names must not make us knock at the issuer's door.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any
from urllib.parse import urlsplit

import httpx2

from webquarry.clock import Clock
from webquarry.errors import MissingExtra, WebquarryError
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.surfaces.http.principal import CannotTell, Denied, Principal, Verifier

log = logging.getLogger(__name__)

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_KEYS_SECONDS = 3600.0
_AGAIN_SECONDS = 30.0
_LEEWAY_SECONDS = 30
_FETCH_SECONDS = 10.0
_LONGEST = 16_384  # of a token


class OAuthVerifier(Verifier):
    """Tokens that one issuer made for this server."""

    def __init__(
        self, issuer: str, audience: str, settings: Settings, clock: Clock | None = None, client: Client | None = None
    ) -> None:
        try:
            import jwt
        except ImportError:
            raise MissingExtra("http", "Checking the tokens of an OAuth issuer") from None
        self._jwt = jwt
        self._issuer = issuer
        self._audience = audience
        self._keys_url = settings.oauth_jwks
        self._clock = clock or Clock()
        self._client = client or Client(settings, self._clock)
        self._keys: dict[str | None, Any] = {}
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def verify(self, token: str) -> Principal:
        jwt = self._jwt
        if len(token) > _LONGEST or token.count(".") != 2:
            raise Denied("The token is no JWT.")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise Denied("The token is no JWT.") from None
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise Denied("The token is signed in a way that is not accepted.")
        key = await self._key(header.get("kid"))
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError as error:
            raise Denied(_reason(jwt, error)) from None
        return _principal(claims)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _key(self, name: str | None) -> Any:
        """The issuer's key of this name; without a name, the only one there is."""
        async with self._lock:
            now = self._clock.monotonic()
            missing = self._found(name) is None
            stale = now - self._fetched > _KEYS_SECONDS
            if (stale or missing) and now - self._tried > _AGAIN_SECONDS:
                self._tried = now
                await self._refresh(now)
            key = self._found(name)
        if key is None and not self._keys:
            raise CannotTell
        if key is None:
            raise Denied("The token is signed with a key that the issuer does not publish.")
        return key

    def _found(self, name: str | None) -> Any:
        if name is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys.get(name)

    async def _refresh(self, now: float) -> None:
        """Ask the issuer for its keys; those at hand stay when it does not answer."""
        try:
            url = self._keys_url or await self._discover()
            found = self._jwt.PyJWKSet.from_dict(await self._json(url))
        except (WebquarryError, self._jwt.PyJWTError, ValueError, KeyError, TypeError, AttributeError) as error:
            log.warning("the keys of the issuer %s cannot be had: %s", self._issuer, error)
            return
        self._keys = {key.key_id: key for key in found.keys}
        self._fetched = now

    async def _discover(self) -> str:
        """Where the issuer says its keys are; the metadata must be of this very issuer."""
        parts = urlsplit(self._issuer)
        root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        places = (
            f"{root}/.well-known/oauth-authorization-server{path}",
            f"{root}/.well-known/openid-configuration{path}",
            f"{root}{path}/.well-known/openid-configuration",
        )
        for place in dict.fromkeys(places):
            try:
                found = await self._json(place)
            except (WebquarryError, ValueError) as error:
                log.info("no metadata of the issuer at %s: %s", place, error)
                continue
            if found.get("issuer") != self._issuer:
                log.warning("the metadata at %s is of another issuer", place)
                continue
            return str(found["jwks_uri"])
        raise ValueError("none of the usual places has its metadata")

    async def _json(self, url: str) -> dict[str, Any]:
        request = httpx2.Request("GET", url, headers={"Accept": "application/json"})
        reply = await self._client.send(request, timeout_seconds=_FETCH_SECONDS)
        if reply.status != 200:
            raise ValueError(f"status {reply.status}")
        found = json.loads(reply.body)
        if not isinstance(found, dict):
            raise ValueError("it is no JSON object")
        return found


def _principal(claims: dict[str, Any]) -> Principal:
    who = claims.get("sub") or claims.get("client_id") or claims.get("azp")
    if not isinstance(who, str) or not who:
        raise Denied("The token does not say for whom it speaks.")
    granted = claims.get("scope", claims.get("scp", ""))
    scopes = granted.split() if isinstance(granted, str) else [str(one) for one in granted or []]
    return Principal(json.dumps(["oauth", claims["iss"], who]), who, frozenset(scopes))


def _reason(jwt: Any, error: Exception) -> str:
    """What is wrong with the token, in words of our own: those of the library may repeat what it holds."""
    reasons = (
        (jwt.ExpiredSignatureError, "The token has expired."),
        (jwt.ImmatureSignatureError, "The token is not good yet."),
        (jwt.InvalidAudienceError, "The token was made for another server."),
        (jwt.InvalidIssuerError, "The token is of another issuer."),
        (jwt.MissingRequiredClaimError, "The token lacks a claim that it must have: exp, iss or aud."),
    )
    return next((text for kind, text in reasons if isinstance(error, kind)), "The token's signature is not good.")
