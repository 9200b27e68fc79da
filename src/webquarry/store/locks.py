"""Single flight: concurrent callers share one computation, in a process and across processes."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, TypeVar

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)
T = TypeVar("T")

_FIRST_PAUSE, _LAST_PAUSE = 0.01, 0.1  # seconds between two attempts
_TIMEOUT = 60.0  # seconds; then the value is computed twice
_OFFSETS = (1 << 62) - 1  # the file stays empty


@dataclass
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Shared tasks by key. A task continues while at least one caller waits for it, and is
    cancelled when the last one is cancelled. Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def share(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of the task of this key, which is started if there is none."""
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = self._flights[key] = _Flight(asyncio.create_task(make()))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            is_done = flight.task.done()
            if is_done or not flight.waiting:
                if self._flights.get(key) is flight:
                    del self._flights[key]
                flight.task.cancel()


@dataclass(frozen=True)
class ProcessLock:
    """A lock that was acquired; `offset` is None if there are no locks."""

    offset: int | None = None
    has_waited: bool = False  # for another process


class ProcessLocks:
    """Cross-process locks (fcntl byte ranges), so that only one process computes a cache entry.

    The lock of a name is one byte of `folder`/cache.locks, at the offset given by a hash of the
    name. The system releases the locks of a process that ends. Where there are no such locks, or
    the file cannot be written, every lock is free.
    """

    def __init__(self, folder: Path | None) -> None:
        """Without a folder, every lock is free."""
        self._path = folder / "cache.locks" if folder else None
        self._handle: int | None = None

    async def acquire(self, name: str) -> ProcessLock:
        """Wait until no other process has the lock."""
        digest = blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
        offset = int.from_bytes(digest) & _OFFSETS
        pause = _FIRST_PAUSE
        has_waited = False
        end = time.monotonic() + _TIMEOUT
        while not self._lock(offset):
            has_waited = True
            if time.monotonic() > end:
                return ProcessLock(None, has_waited)
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LAST_PAUSE)
        return ProcessLock(offset, has_waited)

    def release(self, lock: ProcessLock) -> None:
        if lock.offset is not None and self._handle is not None:
            with suppress(OSError):
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, lock.offset)

    def close(self) -> None:
        """Release all locks."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _lock(self, offset: int) -> bool:
        """Return False if another process has the lock."""
        if self._path is None or fcntl is None:
            return True
        try:
            if self._handle is None:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
        except BlockingIOError:
            return False
        except OSError as error:
            log.debug("cache entries are not locked across processes: %s", error)
            self._path = None
        return True
