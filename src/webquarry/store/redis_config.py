"""Which Redis the servers share, and the key that encrypts their data there.

    WEBQUARRY_REDIS_URL (or ~/.config/webquarry/redis-url), then REDIS_URL
                            redis://, rediss:// or unix://; "off" is none
    WEBQUARRY_STORE_KEY (or ~/.config/webquarry/store-key)
                            32 bytes, the same on all servers

Both are credentials: the URL may contain a password. Only servers read REDIS_URL.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from webquarry.credentials import Credential, find
from webquarry.errors import AuthFailure, BadInput, MissingExtra, NetworkFailure
from webquarry.secret import Secret
from webquarry.settings import Settings
from webquarry.store.encryption import KEY_BYTES

if TYPE_CHECKING:
    from redis.asyncio import Redis

    from webquarry.store.redis_connection import RedisConnection

REDIS_URL = Credential("WEBQUARRY_REDIS_URL", "redis-url")
USUAL_URL = Credential("REDIS_URL", "redis-url")
STORE_KEY = Credential("WEBQUARRY_STORE_KEY", "store-key")

_MAKE_ONE = (
    "Make one with `openssl rand -hex 32` and give the same to all servers as "
    f"{STORE_KEY.variable}."
)
# a text with `:password@` between user and host would be redacted
_SHAPE = (
    "Give it as redis://host:6379/0, with :password@ before the host if it needs one, or "
    "rediss:// for TLS."
)
_START_IT = f"Start it, or correct {REDIS_URL.variable} (or REDIS_URL); `off` serves without it."
_REFUSALS = ("WRONGPASS", "NOAUTH", "NOPERM", "invalid username-password", "Authentication")
_CHECK_SECONDS = 5.0
_CANARY = b"webquarry:key-check"


def find_redis_url(environ: Mapping[str, str]) -> tuple[Secret, str] | None:
    """Return the URL and where it was found; None without one, or if it is "off"."""
    found = find(REDIS_URL, environ) or find(USUAL_URL, environ)
    if found is None:
        return None
    if found.value.reveal().lower() in ("off", "none"):
        return None
    _ = place_of(found.value, found.source)  # raises if it is not a URL
    return found.value, found.source


def place_of(url: Secret, source: str = REDIS_URL.variable) -> str:
    """Return the part of the URL without secrets: host and port, or the socket."""
    try:
        parts = urlsplit(url.reveal())
        port = parts.port or 6379
    except ValueError:
        parts, port = urlsplit(""), 0
    in_query = parse_qs(parts.query).get("password", [])
    for password in (parts.password or "", *in_query):
        Secret(password)  # redacted in messages of libraries, too
        Secret(unquote(password))
    if parts.scheme == "unix" and parts.path:
        return parts.path
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise BadInput(f"The value in {source} is not a URL of a Redis.", suggested_action=_SHAPE)
    return f"{parts.hostname}:{port}"


def read_store_key(environ: Mapping[str, str]) -> bytes:
    """Return the key that all servers share, written in hex or base64."""
    found = find(STORE_KEY, environ)
    if found is None:
        raise AuthFailure(
            f"Data in Redis is encrypted, and {STORE_KEY.variable} was not found.",
            suggested_action=_MAKE_ONE,
        )
    text = found.value.reveal()
    with suppress(ValueError):
        key = bytes.fromhex(text)
        if len(key) == KEY_BYTES:
            return key
    plain = text.replace("-", "+").replace("_", "/")
    padding = "=" * (-len(plain) % 4)
    with suppress(ValueError, binascii.Error):
        key = base64.b64decode(plain + padding, validate=True)
        if len(key) == KEY_BYTES:
            return key
    raise AuthFailure(
        f"The value in {found.source} is not a key: {KEY_BYTES} bytes in hex or base64 are needed.",
        suggested_action=_MAKE_ONE,
    )


def open_redis(settings: Settings, environ: Mapping[str, str]) -> RedisConnection | None:
    """Return the connection to the configured Redis, which connects on first use; None without
    one.
    """
    found = find_redis_url(environ)
    if found is None:
        return None
    url, source = found
    key = read_store_key(environ)
    try:
        from webquarry.store.redis_connection import RedisConnection
    except ModuleNotFoundError as error:
        raise MissingExtra("http", "Sharing a Redis") from error
    tls: dict[str, Any] = {}
    if settings.ca_file and url.reveal().startswith("rediss"):
        tls["ssl_ca_certs"] = str(settings.ca_file)
    place = place_of(url, source)
    try:
        return RedisConnection(
            url, key, place=place, timeout_seconds=settings.redis_timeout_seconds, **tls
        )
    except (ValueError, TypeError) as error:  # such as ?db=none or ?unknown=1
        raise BadInput(
            f"The value in {source} is not a valid URL of a Redis.",
            suggested_action=_SHAPE,
        ) from error


async def check_redis(connection: RedisConnection, *, write: bool = True) -> None:
    """Raise unless Redis can be used and all servers use it with the same key. The first server
    stores a mark, unless `write` is False.
    """
    from webquarry.store.redis_connection import RedisUnavailable

    place = connection.place
    cipher = connection.cipher("key check")

    async def ask(redis: Redis) -> Any:
        if write:
            await redis.set(_CANARY, cipher.encrypt(b"webquarry", _CANARY), nx=True)
        return await redis.get(_CANARY)

    try:
        mark = await connection.run(ask, seconds=_CHECK_SECONDS, insist=True)
    except RedisUnavailable as error:
        reason = str(error).rstrip(".")
        if str(error).startswith(_REFUSALS):
            text = f"Redis at {place} refuses access: {reason}."
            raise AuthFailure(text, suggested_action=_START_IT) from error
        text = f"Redis at {place} cannot be used: {reason}."
        raise NetworkFailure(text, suggested_action=_START_IT) from error
    if mark is not None and cipher.decrypt(mark, _CANARY) is None:
        raise AuthFailure(
            f"Redis at {place} is in use with another {STORE_KEY.variable}.",
            suggested_action="Give all servers the same key. To use this one, stop "
            "them all and delete the keys with the prefix webquarry: in Redis; or use another "
            f"database of it (…/1 in {REDIS_URL.variable}).",
        )
