"""Room for large pages: so many bytes are made sense of at a time, the others wait with nothing but their bytes.

A page takes twenty times its size while it is read, for its tree above all, and ten large ones at once take no less time
than ten in turn. Small pages do not wait: they go past, however large those are that do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

SMALL = 256 * 1024  # bytes; what is smaller never waits
LIMIT = 8 * 1024 * 1024  # bytes of large pages in work at the same time; one that is larger is alone


class Room:
    """Runs work on pages in threads. One per loop; first come, first served."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._taken = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def run(self, size: int, work: Callable[[], T]) -> T:
        """What the work on a page of this size gives, done in a thread as soon as there is room for it."""
        if size < SMALL:
            return await asyncio.to_thread(work)
        await self._enter(size)
        running = asyncio.ensure_future(asyncio.to_thread(work))
        running.add_done_callback(lambda _: self._leave(size))
        return await asyncio.shield(running)  # a thread cannot be stopped: its room is taken until it ends

    async def _enter(self, size: int) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # let in and called off at the same moment
                self._leave(size)
            self._admit()
            raise

    def _leave(self, size: int) -> None:
        self._taken -= size
        self._admit()

    def _admit(self) -> None:
        """Let in those who have waited longest, as far as they fit; who has gone away is forgotten."""
        while self._waiting:
            size, turn = self._waiting[0]
            if not turn.done():
                if self._taken and self._taken + size > self._limit:
                    return
                self._taken += size
                turn.set_result(None)
            self._waiting.popleft()
