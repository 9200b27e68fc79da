"""The connection to Redis, for everything that several servers share: cache, journals, rate limits
and the bill.

    value = await connection.run(lambda redis: redis.get(key))      # or `RedisUnavailable`

After a timeout or a lost connection, Redis is not asked for a few seconds; then one caller tries
again. The outage is logged once, and so is its end. `refusal` is the reason when Redis answers but
refuses writes: memory full, read only, its own disk full.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
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
_RENEWALS = 3  # within the time of one lease
_BYTES_A_SECOND = 10_000_000  # added to the timeout of a large value
# parts of the errors with which Redis refuses all writes
_REFUSALS = (("maxmemory", "full"), ("MISCONF", "failing"), ("read only replica", "read_only"))
_PROBE = PREFIX + b"probe"
_PROBE_MS = 1000


class RedisUnavailable(Exception):
    """Redis did not answer in time or refused the command. The text contains no secret."""

    def __init__(self, reason: str, lost: bool = False) -> None:
        super().__init__(reason)
        self.lost = lost  # whether the connection failed, so that another attempt may succeed


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
        # no automatic retries: a command may have been executed
        pool = BlockingConnectionPool.from_url(
            url.reveal(),
            max_connections=_CONNECTIONS,
            timeout=None,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            socket_connect_timeout=max(timeout_seconds, 0.1),
            **options,
        )
        # raises TypeError for unknown options, connects to nothing
        pool.connection_class(**pool.connection_kwargs)
        self.place = place
        self._timeout_seconds = timeout_seconds
        self._redis: Redis = Redis.from_pool(pool)
        self._key = key
        self._rest = rest_seconds
        self._scripts: dict[str, AsyncScript] = {}
        self._ciphers: dict[str, Cipher] = {}
        self._rests_until = 0.0
        self._outage: str | None = None  # why the last command failed
        self._has_answered = False
        self._logged_refusal = ""
        self.refusal: str | None = None  # why writes are refused

    @property
    def is_up(self) -> bool:
        """Whether the last command was answered."""
        return self._outage is None

    def cipher(self, purpose: str) -> Cipher:
        """Return the cipher of one purpose, with a key derived from the shared one."""
        if purpose not in self._ciphers:
            key = hmac.digest(self._key, f"webquarry {purpose}".encode(), "sha256")
            self._ciphers[purpose] = Cipher(key)
        return self._ciphers[purpose]

    def key(self, purpose: str, name: str, section: str = "") -> bytes:
        """Return the key of a name: a keyed hash after the prefix of its purpose."""
        hashed = self.cipher(purpose).hash_name(name).hex()
        return PREFIX + f"{purpose}:{section}{hashed}".encode()

    def seconds_for(self, size: int) -> float:
        """Return the timeout of a command that transfers `size` bytes."""
        return self._timeout_seconds + size / _BYTES_A_SECOND

    async def run(
        self,
        work: Callable[[Redis], Awaitable[T]],
        *,
        seconds: float | None = None,
        insist: bool = False,
    ) -> T:
        """Run a command with a timeout. After a failure, Redis is asked by callers that `insist`
        only, until the pause has ended.
        """
        seconds = seconds or self._timeout_seconds
        now = time.monotonic()
        if now < self._rests_until and not insist:
            raise RedisUnavailable(self._outage or "it did not answer")
        if self._outage is not None:  # only this caller tries again
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
        """Return why writes are refused, after trying again if they were."""
        if self.refusal is not None:
            with suppress(RedisUnavailable):
                await self.run(lambda redis: redis.set(_PROBE, b"", px=_PROBE_MS))
                self.note_written()
        return self.refusal

    def note_written(self) -> None:
        """Note that a write succeeded."""
        if self.refusal is not None:
            log.warning("Redis at %s takes writes again", self.place)
        self.refusal = None

    async def script(
        self,
        text: str,
        keys: Sequence[bytes],
        arguments: Sequence[Any],
        *,
        seconds: float | None = None,
        insist: bool = False,
    ) -> Any:
        """Run a Lua script."""
        script = self._scripts.get(text)
        if script is None:
            script = self._scripts[text] = self._redis.register_script(text)

        async def work(_: Redis) -> Any:
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
            # a Redis that never answered is an error of the first caller
            level = logging.WARNING if self._has_answered else logging.INFO
            log.log(level, "Redis at %s is gone (%s)", self.place, reason)
        self._outage = reason
        self._rests_until = time.monotonic() + self._rest
        return RedisUnavailable(reason, lost)

    def _note_refusal(self, reason: str) -> RedisUnavailable:
        """Note that Redis answered and refused a command."""
        self._note_answer()
        for sign, word in _REFUSALS:
            if sign not in reason:
                continue
            if word != self.refusal:
                log.error("Redis at %s refused a command (%s): %s", self.place, word, reason)
            self.refusal = word
            return RedisUnavailable(reason)
        if reason != self._logged_refusal:
            log.warning("Redis at %s refused a command: %s", self.place, reason)
            self._logged_refusal = reason
        return RedisUnavailable(reason)


@asynccontextmanager
async def renewing(
    lease_seconds: float, renew: Callable[[], Awaitable[object]]
) -> AsyncIterator[None]:
    """Renew a lease in the background for the length of the block, until `renew` returns false."""

    async def keep_renewing() -> None:
        while True:
            await asyncio.sleep(lease_seconds / _RENEWALS)
            with suppress(RedisUnavailable):
                if not await renew():
                    return

    task = asyncio.create_task(keep_renewing())
    try:
        yield
    finally:
        task.cancel()


async def _wait_for(work: Awaitable[T], seconds: float) -> T:
    """Return the result, or raise TimeoutError. Unlike with `asyncio.timeout`, a result that
    arrived while the loop was busy is not a timeout.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # retrieve it
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
