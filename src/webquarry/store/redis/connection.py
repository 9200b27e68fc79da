"""The connection to Redis, for all that several servers share: cache, single flight, journals,
quotas, breakers.

    value = await connection.run(lambda redis: redis.get(key))      # or `RedisUnavailable`

Nobody waits long for it. A Redis that does not answer in time is left alone for a few seconds, then
asked by one caller to see whether it is back, so that it heals by itself; the outage is logged
once, and so is its end. The same holds for one that answers and takes nothing (`refusal`): memory
full, read only, its own disk full.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
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
_BYTES_A_SECOND = 10_000_000  # what a large value may take on top of the usual time
_REFUSALS_APART_SECONDS = 60.0
# What Redis says when it takes no writes from anybody, and the word for it.
_REFUSALS = (("maxmemory", "full"), ("MISCONF", "failing"), ("read only replica", "read_only"))
_PROBE = PREFIX + b"probe"
_PROBE_MS = 1000


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
        # Opens nothing; an unknown option is a TypeError now, not later.
        pool.connection_class(**pool.connection_kwargs)
        self.place = place
        self._timeout_seconds = timeout_seconds
        self._redis: Redis = Redis.from_pool(pool)
        self._key = key
        self._rest = rest_seconds
        self._scripts: dict[str, AsyncScript] = {}
        self._rests_until = 0.0
        self._outage: str | None = None  # why the last command had no answer
        self._has_answered = False
        self._refusal_logged_at = -_REFUSALS_APART_SECONDS
        self.refusal: str | None = None  # why nothing can be written, as far as is known

    @property
    def is_up(self) -> bool:
        """Whether the last that was heard of Redis was good."""
        return self._outage is None

    def cipher(self, purpose: str) -> Cipher:
        """What encrypts the values of one purpose: each has a key of its own, made from the shared
        one.
        """
        return Cipher(hmac.digest(self._key, f"webquarry {purpose}".encode(), "sha256"))

    def seconds_for(self, size: int) -> float:
        """How long a command with so many bytes may take."""
        return self._timeout_seconds + size / _BYTES_A_SECOND

    async def run(
        self,
        work: Callable[[Redis], Awaitable[T]],
        *,
        seconds: float | None = None,
        insist: bool = False,
    ) -> T:
        """Do it within `seconds`. While Redis rests it is not asked, unless by those who
        `insist`.
        """
        seconds = seconds or self._timeout_seconds
        now = time.monotonic()
        if now < self._rests_until and not insist:
            raise RedisUnavailable(self._outage or "it did not answer")
        if self._outage is not None:  # this caller is the one that looks whether it is back
            self._rests_until = now + self._rest
        try:
            result = await _wait_for(work(self._redis), seconds)
        except TimeoutError as error:
            raise self._note_outage(f"it did not answer within {seconds:g} s") from error
        except ResponseError as error:
            raise self._note_refusal(redact(str(error))) from error
        except (RedisError, OSError) as error:
            reason = redact(str(error)) or type(error).__name__
            raise self._note_outage(reason, lost=True) from error
        self._note_answer()
        return result

    async def check_refusal(self) -> str | None:
        """Why nothing can be written; where that was so, it is tried again."""
        if self.refusal is not None:
            with suppress(RedisUnavailable):
                await self.run(lambda redis: redis.set(_PROBE, b"", px=_PROBE_MS))
                self.note_written()
        return self.refusal

    def note_written(self) -> None:
        """Something was written: Redis takes it again."""
        if self.refusal is not None:
            log.warning("Redis at %s takes writes again", self.place)
        self.refusal = None

    async def get(self, key: bytes) -> bytes | None:
        """The value of a key."""
        found: Any = await self.run(lambda redis: redis.get(key))
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
        script = self._scripts.get(text)
        if script is None:
            script = self._scripts[text] = self._redis.register_script(text)

        async def work(_: Redis) -> Any:
            # By its digest; the text is sent when Redis does not know it.
            return await script(keys, arguments)

        return await self.run(work, seconds=seconds, insist=insist)

    async def aclose(self) -> None:
        await self._redis.aclose()

    def _note_answer(self) -> None:
        if self._outage is not None:
            log.warning("Redis at %s answers again", self.place)
        self._outage = None
        self._rests_until = 0.0
        self._has_answered = True

    def _note_outage(self, reason: str, lost: bool = False) -> RedisUnavailable:
        if self._outage is None:
            # One that never was there is an error for whoever asked first, who will say it.
            level = logging.WARNING if self._has_answered else logging.INFO
            log.log(level, "Redis at %s is gone (%s)", self.place, reason)
        self._outage = reason
        self._rests_until = time.monotonic() + self._rest
        return RedisUnavailable(reason, lost)

    def _note_refusal(self, reason: str) -> RedisUnavailable:
        """It is there, and said no: memory full, read only, no right to do so."""
        self._note_answer()
        for sign, word in _REFUSALS:
            if sign not in reason:
                continue
            if word != self.refusal:
                log.error("Redis at %s refused a command (%s): %s", self.place, word, reason)
            self.refusal = word
            return RedisUnavailable(reason)
        now = time.monotonic()
        if now - self._refusal_logged_at >= _REFUSALS_APART_SECONDS:
            log.warning("Redis at %s refused a command: %s", self.place, reason)
            self._refusal_logged_at = now
        return RedisUnavailable(reason)


async def _wait_for(work: Awaitable[T], seconds: float) -> T:
    """The result, or TimeoutError. What has come is taken even if this loop was too busy to look in
    time: that is no outage, and a timeout that cancels would make it one.
    """
    task = asyncio.ensure_future(work)
    # Whoever gave up does not ask for what came of it.
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
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
