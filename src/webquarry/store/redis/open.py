"""Which Redis the servers share, and the key that locks what they keep there: environment in, a
`RedisConnection` out.

    WEBQUARRY_REDIS_URL (or ~/.config/webquarry/redis-url), then REDIS_URL      redis://, rediss:// or unix://; "off" is none
    WEBQUARRY_STORE_KEY (or ~/.config/webquarry/store-key)                      32 bytes, the same on all servers

Both are credentials: the URL may hold a password. Only a server asks here; a REDIS_URL that is
there for something else changes nothing for anybody else.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from webquarry.credentials import Credential, find
from webquarry.errors import AuthFailure, BadInput, MissingExtra, NetworkFailure
from webquarry.secret import Secret
from webquarry.settings import Settings

if TYPE_CHECKING:
    from redis.asyncio import Redis

    from webquarry.store.redis.connection import RedisConnection

REDIS_URL = Credential("WEBQUARRY_REDIS_URL", "redis-url")
USUAL_URL = Credential("REDIS_URL", "redis-url")
STORE_KEY = Credential("WEBQUARRY_STORE_KEY", "store-key")

_KEY_BYTES = 32
_MAKE_ONE = f"Make one with `openssl rand -hex 32` and give the same to all servers as {STORE_KEY.variable}."
# A password between the two would be taken out of the sentence.
_SHAPE = "Give it as redis://host:6379/0, with :password@ before the host if it needs one, or rediss:// for TLS."
_CHECK_SECONDS = 5.0
_CANARY = b"webquarry:key-check"
_FIRST_COUNTS = "redis.call('SET', KEYS[1], ARGV[1], 'NX') return redis.call('GET', KEYS[1])"


def redis_url(environ: Mapping[str, str]) -> tuple[Secret, str] | None:
    """The URL and where it was found; None where there is none, or it is "off"."""
    found = find(REDIS_URL, environ) or find(USUAL_URL, environ)
    if found is None or found.value.reveal().lower() in ("off", "none"):
        return None
    _ = place_of(found.value, found.source)
    return found.value, found.source


def place_of(url: Secret, source: str = REDIS_URL.variable) -> str:
    """The part of the URL that may be shown: host and port, or the socket."""
    try:
        parts = urlsplit(url.reveal())
        port = parts.port or 6379
    except ValueError:
        parts, port = urlsplit(""), 0
    for password in (parts.password or "", *parse_qs(parts.query).get("password", [])):
        Secret(password)  # so that it is taken out of whatever a library may say
        Secret(unquote(password))
    if parts.scheme == "unix" and parts.path:
        return parts.path
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise BadInput(
            f"The value in {source} is no URL of a Redis.",
            suggested_action=_SHAPE,
        )
    return f"{parts.hostname}:{port}"


def store_key(environ: Mapping[str, str]) -> bytes:
    """The key that all servers share; without it nothing is given to Redis."""
    found = find(STORE_KEY, environ)
    if found is None:
        raise AuthFailure(
            f"What servers share in Redis is encrypted, and {STORE_KEY.variable} was not found.",
            suggested_action=_MAKE_ONE,
        )
    key = _decoded(found.value.reveal())
    if key is None:
        raise AuthFailure(
            f"The value in {found.source} is no key: {_KEY_BYTES} bytes in hex or base64 are "
            "needed.",
            suggested_action=_MAKE_ONE,
        )
    return key


def _decoded(text: str) -> bytes | None:
    for decode in (bytes.fromhex, _base64):
        try:
            key = decode(text)
        except (ValueError, binascii.Error):
            continue
        if len(key) == _KEY_BYTES:
            return key
    return None


def _base64(text: str) -> bytes:
    plain = text.replace("-", "+").replace("_", "/")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def open_redis(settings: Settings, environ: Mapping[str, str]) -> RedisConnection | None:
    """The connection to the Redis that is configured, which connects when it is first used; None where
    none is.
    """
    found = redis_url(environ)
    if found is None:
        return None
    url, source = found
    key = store_key(environ)
    try:
        from webquarry.store.redis.connection import RedisConnection
    except ModuleNotFoundError as error:
        raise MissingExtra("http", "Sharing a Redis") from error
    tls: dict[str, Any] = (
        {"ssl_ca_certs": str(settings.ca_file)}
        if settings.ca_file and url.reveal().startswith("rediss")
        else {}
    )
    try:
        return RedisConnection(
            url,
            key,
            place=place_of(url, source),
            timeout_seconds=settings.redis_timeout_seconds,
            **tls,
        )
    except (ValueError, TypeError) as error:  # such as ?db=none or ?nobody=knows
        raise BadInput(
            f"The value in {source} is no URL of a Redis that can be used.",
            suggested_action=_SHAPE,
        ) from error


async def check_redis(connection: RedisConnection) -> None:
    """See that Redis is there, lets us work, and is used with one key by all; what is wrong is
    raised. The first that comes leaves its mark.
    """
    from webquarry.store.redis.connection import RedisUnavailable

    mine = connection.cipher("key check").encrypt(b"webquarry", _CANARY)

    try:
        kept = await connection.script(
            _FIRST_COUNTS, [_CANARY], [mine], seconds=_CHECK_SECONDS, insist=True
        )
    except RedisUnavailable as error:
        raise _unusable(connection.place, str(error)) from error
    _check_key(connection, kept)


async def ping_redis(connection: RedisConnection) -> None:
    """See that Redis is there and, if others use it, that they use it with our key; nothing is
    written.
    """
    from webquarry.store.redis.connection import RedisUnavailable

    async def ask(redis: Redis) -> Any:
        await redis.ping()
        return await redis.get(_CANARY)

    try:
        kept = await connection.run(ask, seconds=_CHECK_SECONDS, insist=True)
    except RedisUnavailable as error:
        raise _unusable(connection.place, str(error)) from error
    if kept is not None:
        _check_key(connection, kept)


def _check_key(connection: RedisConnection, kept: bytes) -> None:
    if connection.cipher("key check").decrypt(kept, _CANARY) is None:
        raise AuthFailure(
            f"Redis at {connection.place} is in use with another {STORE_KEY.variable}.",
            suggested_action="Give all servers the same key. To begin anew with this one, stop "
            "them all and delete "
            "the keys that begin with webquarry: in Redis; or use another database of it (…/1 "
            f"in {REDIS_URL.variable}).",
        )


def _unusable(place: str, reason: str) -> AuthFailure | NetworkFailure:
    words: dict[str, Any] = {
        "suggested_action": f"Start it, or correct {REDIS_URL.variable} (or REDIS_URL); `off` "
        "serves without it."
    }
    if reason.startswith(
        ("WRONGPASS", "NOAUTH", "NOPERM", "invalid username-password", "Authentication")
    ):
        return AuthFailure(f"Redis at {place} does not let us in: {reason.rstrip('.')}.", **words)
    return NetworkFailure(f"Redis at {place} cannot be used: {reason.rstrip('.')}.", **words)
