"""Where the work on pages is done: in threads, the large ones one at a time on a thread of their
own.

A large page takes up to thirty times its size while it is read, for its tree and the pieces of its
text, and ten at once take no less time than ten in turn: Python works on one at a time anyway.
Those that wait have nothing but their bytes. One thread also means one heap: with several, each
keeps what its largest page has taken. It is given back at once.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
Heap = Callable[[int], object]

LARGE = 1_000_000  # bytes; hardly any page has as many, and what is smaller never waits


def is_large(size: int) -> bool:
    """Whether so many bytes are worked on one at a time."""
    return size >= LARGE


class Room:
    """Threads for the work on pages, for one loop."""

    def __init__(self) -> None:
        self._one = ThreadPoolExecutor(
            1, thread_name_prefix="webquarry-large"
        )  # begun with the first large page
        self._busy = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def run(self, size: int, work: Callable[[], T], *, ahead: bool = False) -> T:
        """What the work on so many bytes gives; large work in the order it came, or ahead of what
        has not begun.
        """
        if not is_large(size):
            return await asyncio.to_thread(work)
        await self._turn(ahead)
        try:
            context = contextvars.copy_context()
            return await asyncio.get_running_loop().run_in_executor(
                self._one, context.run, _tidily, work
            )
        finally:
            self._next()

    async def _turn(self, ahead: bool) -> None:
        if not self._busy:
            self._busy = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if ahead else self._waiting.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it had the turn, and was called off before it knew
                self._next()
            raise

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():  # whoever was called off has gone
                turn.set_result(None)
                return
        self._busy = False

    def close(self) -> None:
        """Let the thread go when it has ended what it is at."""
        self._one.shutdown(wait=False, cancel_futures=True)


def _tidily(work: Callable[[], T]) -> T:
    try:
        return work()
    finally:
        _trim()(0)


@cache
def _trim() -> Heap:
    """How memory that was freed is given back: glibc keeps it unless told, and others have no such
    function.
    """
    import ctypes

    try:
        trim: Heap = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _: None
    return trim
