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

# By the kind and curve of a key: what it may have signed, unless the issuer says which one.
_ALGORITHMS_OF_KEYS = {
    ("RSA", None): ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    ("EC", "P-256"): ("ES256",),
    ("EC", "P-384"): ("ES384",),
    ("EC", "P-521"): ("ES512",),
    ("OKP", "Ed25519"): ("EdDSA",),
}
ALGORITHMS = frozenset(
    algorithm for fitting in _ALGORITHMS_OF_KEYS.values() for algorithm in fitting
)
_KEYS_SECONDS = 3600.0
_RETRY_SECONDS = 30.0
_LEEWAY_SECONDS = 30
_FETCH_SECONDS = 10.0
_MOST_TOKEN_CHARACTERS = 16_384


@dataclass(frozen=True)
class _Key:
    """A key that the issuer publishes, as a token with this name and algorithm means it."""

    name: str | None
    algorithm: str
    jwk: Any


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
        if len(token) > _MOST_TOKEN_CHARACTERS or token.count(".") != 2:
            raise AccessDenied("The token is no JWT.")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise AccessDenied("The token is no JWT.") from None
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS:
            raise AccessDenied("The token is signed in a way that is not accepted.")
        key = await self._find_key(header.get("kid"), algorithm)
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
            raise AccessDenied(self._describe(error)) from None
        subject = claims.get("sub") or claims.get("client_id") or claims.get("azp")
        if not isinstance(subject, str) or not subject:
            raise AccessDenied("The token does not say for whom it speaks.")
        granted = claims.get("scope", claims.get("scp", ""))
        if isinstance(granted, str):
            scopes = granted.split()
        else:
            scopes = [str(scope) for scope in granted or []]
        # Subjects are unique for one issuer only.
        principal_id = json.dumps(["oauth", claims["iss"], subject])
        return Principal(principal_id, subject, frozenset(scopes))

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _find_key(self, name: str | None, algorithm: str) -> Any:
        """The issuer's key of this name; without a name, the only one there is. Whose key is known
        waits for nobody's: a stranger's key names, or an issuer that is slow, must not hold up
        those who are known.
        """
        key = self._pick_key(name, algorithm)
        if key is not None and (self._lock.locked() or not self._is_due()):
            return key
        async with self._lock:
            if self._is_due() or self._pick_key(name, algorithm) is None:
                await self._refresh()
            key = self._pick_key(name, algorithm)
        if key is None and not self._keys:
            raise VerifierUnavailable
        if key is None:
            raise AccessDenied("The token is signed with a key that the issuer does not publish.")
        return key

    def _pick_key(self, name: str | None, algorithm: str) -> Any:
        """The key at hand; None where there is none, or several and no name to choose by."""
        fitting = []
        for key in self._keys:
            if key.algorithm == algorithm and name in (None, key.name):
                fitting.append(key)
        if len(fitting) == 1 or (fitting and name is not None):
            return fitting[0].jwk
        return None

    def _is_due(self) -> bool:
        """Whether the keys are old, and the issuer may be asked again."""
        now = self._clock.monotonic()
        is_old = now - self._fetched > _KEYS_SECONDS
        return is_old and now - self._tried > _RETRY_SECONDS

    async def _refresh(self) -> None:
        """Ask the issuer for its keys, not too often; those at hand stay when it does not
        answer.
        """
        now = self._clock.monotonic()
        if now - self._tried <= _RETRY_SECONDS:
            return
        self._tried = now
        try:
            url = self._keys_url or await self._discover()
            published = await self._fetch_json(url)
            keys: list[_Key] = []
            for jwk in published["keys"]:
                keys.extend(self._read_jwk(jwk))
        except (WebquarryError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("the keys of the issuer %s cannot be had: %s", self._issuer, error)
            return
        if not keys:
            log.warning("the issuer %s publishes no key that can be used", self._issuer)
            return
        self._keys = keys
        self._fetched = now

    def _read_jwk(self, published: Any) -> list[_Key]:
        """What one published key is good for; an odd one for nothing, and the others do not suffer
        from it.
        """
        if not isinstance(published, dict) or published.get("use", "sig") != "sig":
            return []
        kind = str(published.get("kty"))
        curve = None if kind == "RSA" else str(published.get("crv"))
        keys = []
        try:
            for algorithm in _ALGORITHMS_OF_KEYS.get((kind, curve), ()):
                if published.get("alg") in (None, algorithm):
                    jwk = self._jwt.PyJWK(published, algorithm)
                    keys.append(_Key(published.get("kid"), algorithm, jwk))
        except (self._jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError) as error:
            log.info(
                "a key of the issuer %s cannot be used: %s", self._issuer, type(error).__name__
            )
            return []
        return keys

    async def _discover(self) -> str:
        """Where the issuer says its keys are; the metadata must be of this very issuer."""
        parts = urlsplit(self._issuer)
        root = f"{parts.scheme}://{parts.netloc}"
        path = parts.path.rstrip("/")
        urls = (
            f"{root}/.well-known/oauth-authorization-server{path}",
            f"{root}/.well-known/openid-configuration{path}",
            f"{root}{path}/.well-known/openid-configuration",
        )
        for url in dict.fromkeys(urls):
            try:
                metadata = await self._fetch_json(url)
            except (WebquarryError, ValueError) as error:
                log.info("no metadata of the issuer at %s: %s", url, error)
                continue
            if metadata.get("issuer") != self._issuer:
                log.warning("the metadata at %s is of another issuer", url)
                continue
            return str(metadata["jwks_uri"])
        raise ValueError("none of the usual places has its metadata")

    async def _fetch_json(self, url: str) -> dict[str, Any]:
        request = httpx2.Request("GET", url, headers={"Accept": "application/json"})
        reply = await self._client.send(request, timeout_seconds=_FETCH_SECONDS)
        if reply.status != 200:
            raise ValueError(f"status {reply.status}")
        content = json.loads(reply.body)
        if not isinstance(content, dict):
            raise ValueError("it is no JSON object")
        return content

    def _describe(self, error: Exception) -> str:
        """What is wrong with the token, in words of our own: those of the library may repeat what
        it holds.
        """
        jwt = self._jwt
        reasons = {
            jwt.ExpiredSignatureError: "The token has expired.",
            jwt.ImmatureSignatureError: "The token is not good yet.",
            jwt.InvalidAudienceError: "The token was made for another server.",
            jwt.InvalidIssuerError: "The token is of another issuer.",
            jwt.MissingRequiredClaimError: (
                "The token lacks a claim that it must have: exp, iss or aud."
            ),
            jwt.exceptions.InvalidSubjectError: "The token does not say for whom it speaks.",
        }
        for kind, reason in reasons.items():
            if isinstance(error, kind):
                return reason
        return "The token's signature is not good."
