"""The connection to Redis, for all that several servers share: cache, single flight, journals,
quotas, breakers.

    value = await connection.run(lambda redis: redis.get(name))      # the value, or `RedisUnavailable`

Nobody waits long for it. A Redis that does not answer in time is left alone for a few seconds, then
asked by one caller to see whether it is back, so that it heals by itself; the outage is said once,
and so is its end. Names are keyed hashes behind a prefix and values are locked by whoever keeps
them, so that Redis can read nothing.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.commands.core import AsyncScript
from redis.exceptions import RedisError, ResponseError

from webquarry.secret import Secret, redact
from webquarry.store.encryption import Cipher

log = logging.getLogger(__name__)
T = TypeVar("T")

PREFIX = b"webquarry:"
TIMEOUT_SECONDS = 0.5
REST_SECONDS = 3.0
_CONNECTIONS = 32
_REFUSALS_APART_SECONDS = 60.0


class RedisUnavailable(Exception):
    """Redis did not answer, or not in time, or refused the command; the text says which, and holds
    no secret.
    """

    def __init__(self, reason: str, lost: bool = False) -> None:
        super().__init__(reason)
        self.lost = lost  # there was no connection, or it broke, so that another one may do better


class RedisConnection:
    """One pool of connections. Belongs to one event loop."""

    def __init__(
        self,
        url: Secret,
        key: bytes,
        *,
        place: str = "redis",
        timeout_seconds: float = TIMEOUT_SECONDS,
        rest_seconds: float = REST_SECONDS,
        **options: Any,
    ) -> None:
        # A command that may have been carried out is never sent again behind our back.
        pool = BlockingConnectionPool.from_url(
            url.reveal(),
            max_connections=_CONNECTIONS,
            timeout=None,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=max(timeout_seconds, 0.1),
            **options,
        )
        pool.connection_class(
            **pool.connection_kwargs
        )  # opens nothing; an unknown option is a TypeError now, not later
        self.place = place
        self.timeout_seconds = timeout_seconds
        self._redis: Redis = Redis.from_pool(pool)
        self._key = key
        self._rest = rest_seconds
        self._scripts: dict[str, AsyncScript] = {}
        self._rests_until = 0.0
        self._down: str | None = None
        self._met = False  # it has answered before
        self._refusal_said_at = -_REFUSALS_APART_SECONDS

    @property
    def up(self) -> bool:
        """Whether the last that was heard of Redis was good."""
        return self._down is None

    def cipher(self, purpose: str) -> Cipher:
        """What locks the values of one purpose: each has a key of its own, made from the shared
        one.
        """
        return Cipher(hmac.digest(self._key, f"webquarry {purpose}".encode(), "sha256"))

    async def run(
        self,
        work: Callable[[Redis], Awaitable[T]],
        *,
        seconds: float | None = None,
        insist: bool = False,
    ) -> T:
        """Do it within `seconds`. While Redis rests it is not asked, unless by those who `insist`."""
        now = time.monotonic()
        if now < self._rests_until and not insist:
            raise RedisUnavailable(self._down or "it did not answer")
        if self._down is not None:  # this caller is the one that looks whether it is back
            self._rests_until = now + self._rest
        try:
            result = await _in_time(work(self._redis), seconds or self.timeout_seconds)
        except TimeoutError as error:
            raise self._failed(
                f"it did not answer within {seconds or self.timeout_seconds:g} s"
            ) from error
        except ResponseError as error:
            raise self._refused(error) from error
        except (RedisError, OSError) as error:
            raise self._failed(redact(str(error)) or type(error).__name__, lost=True) from error
        self._answered()
        return result

    async def get(self, name: bytes) -> bytes | None:
        """The value of a key."""
        found: Any = await self.run(lambda redis: redis.get(name))
        if found is None:
            return None
        return bytes(found)

    async def script(
        self,
        text: str,
        keys: Sequence[bytes],
        arguments: Sequence[Any],
        *,
        seconds: float | None = None,
        insist: bool = False,
    ) -> Any:
        """Run a Lua script: all of it, and nothing in between."""

        known = self._scripts.get(text) or self._scripts.setdefault(
            text, self._redis.register_script(text)
        )

        async def work(_: Redis) -> Any:
            return await known(
                keys, arguments
            )  # by its digest; the text is sent when Redis does not know it

        return await self.run(work, seconds=seconds, insist=insist)

    async def aclose(self) -> None:
        await self._redis.aclose()

    def _answered(self) -> None:
        if self._down is not None:
            log.warning("Redis at %s answers again", self.place)
        self._down, self._rests_until, self._met = None, 0.0, True

    def _failed(self, reason: str, lost: bool = False) -> RedisUnavailable:
        if (
            self._down is None
        ):  # one that never was there is an error for whoever asked first, who will say it
            log.log(
                logging.WARNING if self._met else logging.INFO,
                "Redis at %s is gone (%s)",
                self.place,
                reason,
            )
        self._down, self._rests_until = reason, time.monotonic() + self._rest
        return RedisUnavailable(reason, lost)

    def _refused(self, error: ResponseError) -> RedisUnavailable:
        """It is there, and said no: memory full, read only, no right to do so."""
        reason, now = redact(str(error)), time.monotonic()
        self._answered()
        if now - self._refusal_said_at >= _REFUSALS_APART_SECONDS:
            log.warning("Redis at %s refused a command: %s", self.place, reason)
            self._refusal_said_at = now
        return RedisUnavailable(reason)


async def _in_time(work: Awaitable[T], seconds: float) -> T:
    """The result, or TimeoutError. What has come is taken even if this loop was too busy to look in
    time: that is no outage, and a timeout that cancels would make it one.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(
        lambda ended: ended.cancelled() or ended.exception()
    )  # whoever gave up does not ask for it
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except BaseException:
        task.cancel()
        raise
    if done:
        return task.result()
    task.cancel()
    await asyncio.wait({task}, timeout=1)
    raise TimeoutError
