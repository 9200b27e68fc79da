"""Tokens of an OAuth 2.1 issuer: a JWT in, the principal it speaks for out.

We are a resource server: we check signature, issuer, audience and time ourselves, with the issuer's
published keys, which are found by its metadata (RFC 8414, then OpenID), kept for an hour, and asked
for again when a token names a key that is not among them, but not more often than twice a minute: a
stranger's key names must not make us knock at the issuer's door.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from webquarry.clock import Clock
from webquarry.errors import MissingExtra, WebquarryError
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.surfaces.server.principal import (
    AccessDenied,
    Principal,
    Verifier,
    VerifierUnavailable,
)

log = logging.getLogger(__name__)

_FITTING = {  # what a key of a kind and curve may have signed, unless the issuer says which one
    ("RSA", None): ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA",),
}
ALGORITHMS = frozenset(algorithm for fitting in _FITTING.values() for algorithm in fitting)
_KEYS_SECONDS = 3600.0
_AGAIN_SECONDS = 30.0
_LEEWAY_SECONDS = 30
_FETCH_SECONDS = 10.0
_LONGEST = 16_384  # of a token


@dataclass(frozen=True)
class _Key:
    """A key that the issuer publishes, as a token with this name and algorithm means it."""

    name: str | None
    algorithm: str
    key: Any


class OAuthVerifier(Verifier):
    """Tokens that one issuer made for this server."""

    def __init__(
        self,
        issuer: str,
        audience: str,
        settings: Settings,
        clock: Clock | None = None,
        client: Client | None = None,
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
        self._keys: list[_Key] = []
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def verify(self, token: str) -> Principal:
        jwt = self._jwt
        if len(token) > _LONGEST or token.count(".") != 2:
            raise AccessDenied("The token is no JWT.")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise AccessDenied("The token is no JWT.") from None
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise AccessDenied("The token is signed in a way that is not accepted.")
        key = await self._key(header.get("kid"), algorithm)
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
            raise AccessDenied(_reason(jwt, error)) from None
        return _principal(claims)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _key(self, name: str | None, algorithm: str) -> Any:
        """The issuer's key of this name; without a name, the only one there is. Whose key is known
        waits for nobody's: a stranger's key names, or an issuer that is slow, must not hold up
        those who are known.
        """
        key = self._found(name, algorithm)
        if key is not None and (self._lock.locked() or not self._is_due()):
            return key
        async with self._lock:
            if self._is_due() or self._found(name, algorithm) is None:
                await self._refresh()
            key = self._found(name, algorithm)
        if key is None and not self._keys:
            raise VerifierUnavailable
        if key is None:
            raise AccessDenied("The token is signed with a key that the issuer does not publish.")
        return key

    def _found(self, name: str | None, algorithm: str) -> Any:
        fitting = [
            one for one in self._keys if one.algorithm == algorithm and name in (None, one.name)
        ]
        if len(fitting) == 1 or (fitting and name is not None):
            return fitting[0].key
        return None

    def _is_due(self) -> bool:
        """Whether the keys are old, and the issuer may be asked again."""
        now = self._clock.monotonic()
        return now - self._fetched > _KEYS_SECONDS and now - self._tried > _AGAIN_SECONDS

    async def _refresh(self) -> None:
        """Ask the issuer for its keys, not too often; those at hand stay when it does not answer."""
        now = self._clock.monotonic()
        if now - self._tried <= _AGAIN_SECONDS:
            return
        self._tried = now
        try:
            url = self._keys_url or await self._discover()
            found = (await self._json(url))["keys"]
            keys = [key for one in found for key in self._read(one)]
        except (WebquarryError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("the keys of the issuer %s cannot be had: %s", self._issuer, error)
            return
        if not keys:
            log.warning("the issuer %s publishes no key that can be used", self._issuer)
            return
        self._keys, self._fetched = keys, now

    def _read(self, told: Any) -> list[_Key]:
        """What one published key is good for; an odd one for nothing, and the others do not suffer
        from it.
        """
        if not isinstance(told, dict) or told.get("use", "sig") != "sig":
            return []
        kind = str(told.get("kty"))
        fitting = _FITTING.get((kind, None if kind == "RSA" else str(told.get("crv"))), ())
        wanted = [one for one in fitting if told.get("alg") in (None, one)]
        try:
            return [_Key(told.get("kid"), one, self._jwt.PyJWK(told, one)) for one in wanted]
        except (self._jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError) as error:
            log.info(
                "a key of the issuer %s cannot be used: %s", self._issuer, type(error).__name__
            )
            return []

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
        raise AccessDenied("The token does not say for whom it speaks.")
    granted = claims.get("scope", claims.get("scp", ""))
    if isinstance(granted, str):
        scopes = granted.split()
    else:
        scopes = [str(one) for one in granted or []]
    return Principal(json.dumps(["oauth", claims["iss"], who]), who, frozenset(scopes))


def _reason(jwt: Any, error: Exception) -> str:
    """What is wrong with the token, in words of our own: those of the library may repeat what it
    holds.
    """
    reasons = (
        (jwt.ExpiredSignatureError, "The token has expired."),
        (jwt.ImmatureSignatureError, "The token is not good yet."),
        (jwt.InvalidAudienceError, "The token was made for another server."),
        (jwt.InvalidIssuerError, "The token is of another issuer."),
        (
            jwt.MissingRequiredClaimError,
            "The token lacks a claim that it must have: exp, iss or aud.",
        ),
        (jwt.exceptions.InvalidSubjectError, "The token does not say for whom it speaks."),
    )
    return next(
        (text for kind, text in reasons if isinstance(error, kind)),
        "The token's signature is not good.",
    )
