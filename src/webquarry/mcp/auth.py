"""Authentication over HTTP: bearer tokens of a token file, or JWTs of an OAuth 2.1 issuer.

`configure_access` chooses the method from the settings; `Authentication` is the ASGI middleware.
Challenges follow RFC 6750, with the scope and metadata parameters of the MCP specification.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import secrets
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webquarry.caller import serving
from webquarry.clock import Clock
from webquarry.credentials import expand_home, find_home, folders
from webquarry.errors import BadInput, MissingExtra, NotFound, WebquarryError
from webquarry.store.open import write_private

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from webquarry.mcp.limits import RateLimits
    from webquarry.net.client import Client
    from webquarry.settings import Settings

log = logging.getLogger(__name__)

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MCP, METRICS = "mcp", "metrics"  # scopes of tokens in the token file
_RETRY_SECONDS = 30  # between requests to the issuer
_KEYS_SECONDS = 3600  # cache lifetime of the issuer's keys
_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_CURVES = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512", "Ed25519": "EdDSA"}
_INVALID = {  # by exception of PyJWT, whose messages may quote the token
    "ExpiredSignatureError": "The token has expired.",
    "ImmatureSignatureError": "The token is not valid yet.",
    "InvalidAudienceError": "The token was issued for another server.",
    "InvalidIssuerError": "The token is from another issuer.",
    "MissingRequiredClaimError": "The token lacks a required claim: exp, iss or aud.",
    "InvalidSubjectError": "The token has no subject.",
}


@dataclass(frozen=True)
class Principal:
    """An authenticated caller. Stored data belongs to `id`; `name` is for logs."""

    id: str
    name: str
    scopes: frozenset[str] = frozenset()


class AccessDenied(Exception):
    """The token is not accepted; the message is returned to the client."""


class VerifierUnavailable(Exception):
    """Tokens cannot be verified at the moment."""


@dataclass(frozen=True)
class Access:
    """Access control: `verify` returns the principal of a token or raises one of the above."""

    verify: Callable[[str], Coroutine[Any, Any, Principal]]
    protected: Mapping[str, tuple[str, ...]]  # required scopes by path
    metadata: Mapping[str, object] | None = None  # RFC 9728
    metadata_url: str | None = None
    limits: RateLimits | None = None
    unlimited: tuple[str, ...] = ()  # protected paths without limits


class Authentication:
    """ASGI middleware: applies access control and limits to requests to protected paths."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, app = scope["path"].rstrip("/"), self._app
        required = self._access.protected.get(path)
        if required is None:
            await app(scope, receive, send)
            return
        principal = await self._authenticate(scope, required)
        if not isinstance(principal, Principal):
            await principal(scope, receive, send)
            return
        scope.setdefault("state", {})["principal"] = principal
        async with AsyncExitStack() as slots:
            if self._access.limits is not None and path not in self._access.unlimited:
                app = await self._access.limits.enter(slots, principal) or app
            with serving(principal.id):
                await app(scope, receive, send)

    async def _authenticate(self, scope: Scope, required: tuple[str, ...]) -> Principal | Response:
        """Return the principal, or the response that refuses the request."""
        from webquarry.mcp.asgi import error_response

        values = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, token = (values[0] if len(values) == 1 else b"").decode("latin-1").partition(" ")
        status, error, problem = 401, "unauthorized", "Send a token: Authorization: Bearer ..."
        try:
            if scheme.lower() == "bearer" and token.strip():
                principal = await self._access.verify(token.strip())
                if principal.scopes.issuperset(required):
                    return principal
                status, error = 403, "insufficient_scope"
                problem = f"The token does not have the required scope: {' '.join(required)}."
        except AccessDenied as denied:
            error, problem = "invalid_token", str(denied)
        except VerifierUnavailable:
            problem = "Tokens cannot be verified at the moment."
            retry = {"Retry-After": str(_RETRY_SECONDS)}
            return error_response(503, "temporarily_unavailable", problem, retry)
        log.info("refused a request to %s: %s", scope["path"], problem)
        fields = {"error": error, "error_description": problem}
        if error == "unauthorized":  # RFC 6750: no error parameters without a token
            fields = {}
        if self._access.metadata_url:
            fields |= {"scope": " ".join(required), "resource_metadata": self._access.metadata_url}
        parameters = [f'{name}="{value}"' for name, value in fields.items() if value]
        challenge = f"Bearer {', '.join(parameters)}".rstrip()
        return error_response(status, error, problem, {"WWW-Authenticate": challenge})


def configure_access(
    settings: Settings, environ: Mapping[str, str], host: str, *, running: bool = False
) -> Access | None:
    """Return the access control for a server on `host`, or None for an open loopback server.

    Raises `BadInput` if a server would be open to other machines. A `running` server may have an
    empty token file, because its last token can be revoked.
    """
    method: str = settings.http_auth
    if method == "auto":
        usual = "none" if host in LOOPBACK else "token"
        method = "oauth" if settings.oauth_issuer else usual
    if method == "oauth":
        return _configure_oauth(settings)
    if method == "none" and host in LOOPBACK:
        return None
    if method == "none":
        problem = f"WEBQUARRY_HTTP_AUTH=none is not allowed on {host}, which others can reach."
        action = "Use token or oauth, or serve 127.0.0.1."
        raise BadInput(problem, suggested_action=action)
    file = TokenFile(tokens_path(settings, environ))
    if not running and not any(token.use == MCP for token in file.tokens()):
        problem = f"Callers need a token, but there is none in {file.path}."
        action = "Create one (`webquarry token add NAME`), or set WEBQUARRY_OAUTH_ISSUER."
        raise BadInput(problem, suggested_action=action)
    return Access(file.verify, {"/mcp": (MCP,), "/metrics": (METRICS,)})


def _configure_oauth(settings: Settings) -> Access:
    issuer, resource = settings.oauth_issuer, settings.http_resource
    if not issuer or not resource:
        action = "Set WEBQUARRY_OAUTH_ISSUER and WEBQUARRY_HTTP_RESOURCE (https://HOST/mcp)."
        raise BadInput("OAuth needs an issuer and our own address.", suggested_action=action)
    metadata: dict[str, object] = {
        "resource": resource,
        "authorization_servers": [issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "webquarry",
    }
    scopes = tuple(settings.oauth_scopes)
    if scopes:  # without the scope of /metrics: clients request every scope listed here
        metadata["scopes_supported"] = list(scopes)
    parts = urlsplit(resource)
    path = "/.well-known/oauth-protected-resource" + parts.path.rstrip("/")
    verifier = OAuthVerifier(issuer, settings.oauth_audience or resource, settings)
    protected = {"/mcp": scopes, "/metrics": (settings.metrics_scope,)}
    return Access(verifier.verify, protected, metadata, f"{parts.scheme}://{parts.netloc}{path}")


def tokens_path(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Return the path of the token file."""
    if settings.tokens_file is not None:
        return expand_home(settings.tokens_file)
    if find_home(environ) is None and not environ.get("XDG_CONFIG_HOME"):
        action = "Set WEBQUARRY_TOKENS_FILE to a writable file."
        raise BadInput("This user has no home directory.", suggested_action=action)
    return folders(environ)[1] / "tokens.json"


@dataclass(frozen=True)
class Token:
    """An entry of the token file: the SHA-256 of a random token and its principal."""

    name: str
    principal: str
    sha256: str
    created: str
    expires: str | None = None
    use: str = MCP

    def __post_init__(self) -> None:
        texts = (self.name, self.principal, self.sha256, self.created)
        is_valid = all(isinstance(text, str) and text for text in texts)
        if self.expires is not None and datetime.fromisoformat(self.expires).tzinfo is None:
            is_valid = False
        if not is_valid or self.use not in (MCP, METRICS):
            raise ValueError("malformed token")

    def is_expired(self, now: datetime) -> bool:
        """Return whether the token has expired."""
        return self.expires is not None and datetime.fromisoformat(self.expires) <= now


class TokenFile:
    """The token file: replaced atomically, changed by one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._clock = Clock()
        self._version: tuple[int, ...] = ()  # of the file whose tokens are cached
        self._by_hash: dict[str, Token] | None = {}  # None: the file is unreadable

    def tokens(self) -> list[Token]:
        """Return all tokens, including expired ones."""
        try:
            return [Token(**entry) for entry in json.loads(self.path.read_bytes())["tokens"]]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadInput(f"Cannot read the token file {self.path}: {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, RecursionError):
            action = "Restore a backup, or delete it and add the tokens again."
            problem = f"The token file {self.path} is damaged."
            raise BadInput(problem, suggested_action=action) from None

    def add(
        self, name: str, *, lasts: timedelta | None = None, like: str | None = None, use: str = MCP
    ) -> str:
        """Add a token and return it; with `like`, for the same principal as that token."""
        if not name or len(name) > 64 or not name.isprintable() or name != name.strip():
            raise BadInput("The name of a token must have 1 to 64 printable characters.")
        token = "wq_" + secrets.token_urlsafe(32)
        now = self._clock.now()
        created = now.isoformat(timespec="seconds")
        expires = (now + lasts).isoformat(timespec="seconds") if lasts else None
        with self._edit() as tokens:
            if any(other.name == name for other in tokens):
                action = "Choose another name, or revoke it first."
                raise BadInput(f"A token {name!r} already exists.", suggested_action=action)
            # Random: a new token does not inherit the data of a revoked one with the same name.
            principal = f"token:{secrets.token_hex(16)}"
            if like:
                principal = _find_token(tokens, like).principal
            tokens.append(Token(name, principal, _hash(token), created, expires, use))
        return token

    def revoke(self, name: str) -> None:
        """Remove a token."""
        with self._edit() as tokens:
            tokens.remove(_find_token(tokens, name))

    @contextmanager
    def _edit(self) -> Iterator[list[Token]]:
        """Yield the tokens, and replace the file if the block succeeds."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.path.with_name(self.path.name + ".lock").open("ab") as lock:
                if os.name == "posix":
                    import fcntl

                    fcntl.flock(lock, fcntl.LOCK_EX)
                tokens = self.tokens()
                yield tokens
                content = {"version": 1, "tokens": [asdict(token) for token in tokens]}
                text = json.dumps(content, indent=2, ensure_ascii=False)
                write_private(self.path, text.encode())
        except OSError as error:
            raise BadInput(f"Cannot write the token file {self.path}: {error.strerror}.") from error

    async def verify(self, token: str) -> Principal:
        """Return the principal of a token; the file is read again when it has changed."""
        version: tuple[int, ...] = ()
        with suppress(OSError):
            stat = self.path.stat()
            version = (stat.st_ino, stat.st_ctime_ns, stat.st_mtime_ns, stat.st_size)
        if version != self._version:
            self._version, self._by_hash = version, None
            try:
                self._by_hash = {entry.sha256: entry for entry in self.tokens()}
            except BadInput as error:
                log.error("%s All requests are refused.", error.message)
        if self._by_hash is None:
            raise VerifierUnavailable
        found = self._by_hash.get(_hash(token))
        if found is None:
            raise AccessDenied("The token is unknown.")
        if found.is_expired(self._clock.now()):
            raise AccessDenied("The token has expired.")
        return Principal(found.principal, found.name, frozenset({found.use}))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _find_token(tokens: list[Token], name: str) -> Token:
    for token in tokens:
        if token.name == name:
            return token
    action = "`webquarry token list` lists the tokens."
    raise NotFound(f"There is no token {name!r}.", suggested_action=action)


class OAuthVerifier:
    """Verifies JWTs of one issuer for one audience, with the keys that the issuer publishes.

    Keys are cached for an hour, and fetched again when a token names an unknown key, at most every
    30 seconds.
    """

    def __init__(
        self, issuer: str, audience: str, settings: Settings, clock: Clock | None = None
    ) -> None:
        try:
            import jwt
        except ImportError:
            raise MissingExtra("http", "Verifying OAuth tokens") from None
        self._jwt = jwt
        self._issuer = issuer
        self._checks: dict[str, Any] = {"audience": audience, "issuer": issuer, "leeway": 30}
        self._checks["options"] = {"require": ["exp", "iss", "aud"]}
        self._settings = settings
        self._clock = clock or Clock()
        self._keys: list[tuple[Any, str, Any]] = []  # key id, algorithm, key
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def verify(self, token: str) -> Principal:
        """Return the principal of a token."""
        jwt = self._jwt
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise AccessDenied("The token is not a JWT.") from None
        algorithm = header.get("alg")
        if algorithm not in (*_RSA, *_CURVES.values()):
            raise AccessDenied("The signature algorithm of the token is not accepted.")
        key = await self._find_key(header.get("kid"), algorithm)
        try:
            claims = jwt.decode(token, key, [algorithm], **self._checks)
        except jwt.PyJWTError as error:
            reason = _INVALID.get(type(error).__name__, "The signature of the token is invalid.")
            raise AccessDenied(reason) from None
        subject = claims.get("sub") or claims.get("client_id") or claims.get("azp")
        if not isinstance(subject, str) or not subject:
            raise AccessDenied(_INVALID["InvalidSubjectError"])
        scopes = claims.get("scope", claims.get("scp")) or []
        if isinstance(scopes, str):
            scopes = scopes.split()
        principal = json.dumps(["oauth", claims["iss"], subject])  # subjects of issuers may collide
        return Principal(principal, subject, frozenset(map(str, scopes)))

    async def _find_key(self, key_id: Any, algorithm: str) -> Any:
        """Return a key, fetching the keys if it is unknown or the cache is stale."""
        key = self._pick_key(key_id, algorithm)
        is_stale = self._clock.monotonic() - self._fetched > _KEYS_SECONDS
        # A request with a cached key does not wait for a fetch that another request has started.
        if key is None or (is_stale and not self._lock.locked()):
            async with self._lock:
                await self._refresh()
            key = self._pick_key(key_id, algorithm)
        if key is None and not self._keys:
            raise VerifierUnavailable
        if key is None:
            raise AccessDenied("The token is signed with a key that the issuer does not publish.")
        return key

    def _pick_key(self, key_id: Any, algorithm: str) -> Any:
        """Return the cached key; without a key id, the only key for the algorithm."""
        usable = [(id, key) for id, usage, key in self._keys if usage == algorithm]
        keys = [key for id, key in usable if key_id in (None, id)]
        return keys[0] if keys and (key_id is not None or len(keys) == 1) else None

    async def _refresh(self) -> None:
        """Fetch the keys, unless that was tried recently; on failure the cached keys remain."""
        now = self._clock.monotonic()
        if now - self._tried <= _RETRY_SECONDS:
            return
        self._tried = now
        try:
            self._keys = self._read_keys(await self._fetch_keys())
            self._fetched = now
        except (WebquarryError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.warning("cannot fetch the keys of the issuer %s: %s", self._issuer, error)

    def _read_keys(self, published: list[Any]) -> list[tuple[Any, str, Any]]:
        """Return the usable signature keys of a JWKS, once for each algorithm."""
        keys = []
        for jwk in published:
            try:
                for algorithm in _RSA if jwk["kty"] == "RSA" else (_CURVES[jwk["crv"]],):
                    if jwk.get("use", "sig") == "sig" and jwk.get("alg") in (None, algorithm):
                        keys.append((jwk.get("kid"), algorithm, self._jwt.PyJWK(jwk, algorithm)))
            except (self._jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError) as error:
                log.info("skipped a key of %s: %s", self._issuer, type(error).__name__)
        if not keys:
            raise ValueError("no usable key is published")
        return keys

    async def _fetch_keys(self) -> Any:
        """Fetch the JWKS from its configured address, or from the one in the issuer's metadata."""
        from webquarry.net.client import Client

        parts = urlsplit(self._issuer)
        root, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
        places = (
            f"{root}/.well-known/oauth-authorization-server{path}",
            f"{root}/.well-known/openid-configuration{path}",
            f"{root}{path}/.well-known/openid-configuration",
        )
        configured = self._settings.oauth_jwks
        async with Client(self._settings, self._clock) as client:
            if configured:
                return (await _fetch_json(client, configured))["keys"]
            for place in dict.fromkeys(places):
                with suppress(WebquarryError, ValueError):
                    metadata = await _fetch_json(client, place)
                    if metadata.get("issuer") == self._issuer:
                        return (await _fetch_json(client, str(metadata["jwks_uri"])))["keys"]
                    log.warning("the metadata at %s belongs to another issuer", place)
        raise ValueError("no metadata found")


async def _fetch_json(client: Client, url: str) -> dict[str, Any]:
    import httpx2

    request = httpx2.Request("GET", url, headers={"Accept": "application/json"})
    reply = await client.send(request, timeout_seconds=10.0)
    content = json.loads(reply.body)
    if reply.status != 200 or not isinstance(content, dict):
        raise ValueError(f"no JSON object at {url} (status {reply.status})")
    return content
