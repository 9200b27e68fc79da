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

LARGE = 1_000_000  # bytes; hardly any page has as many, and what is smaller never waits


def is_large(size: int) -> bool:
    """Whether so many bytes are worked on one at a time."""
    return size >= LARGE


class PageExecutor:
    """Threads for the work on pages, for one event loop."""

    def __init__(self) -> None:
        # Its thread is started with the first large page.
        self._large_pages = ThreadPoolExecutor(1, thread_name_prefix="webquarry-large")
        self._busy = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def run(self, size: int, work: Callable[[], T], *, ahead: bool = False) -> T:
        """What the work on so many bytes gives; large work in the order it came, or ahead of what
        has not begun.
        """
        if not is_large(size):
            return await asyncio.to_thread(work)

        def run_and_trim() -> T:
            """The work, and what it held in memory given back behind it."""
            try:
                return work()
            finally:
                _malloc_trim()(0)

        await self._acquire(ahead)
        try:
            context = contextvars.copy_context()
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._large_pages, context.run, run_and_trim)
        finally:
            self._release()

    async def _acquire(self, ahead: bool) -> None:
        """Wait until no other large page is worked on."""
        if not self._busy:
            self._busy = True
            return
        released: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if ahead:
            self._waiting.appendleft(released)
        else:
            self._waiting.append(released)
        try:
            await released
        except asyncio.CancelledError:
            if not released.cancelled():  # it was let in, and called off before it knew
                self._release()
            raise

    def _release(self) -> None:
        """Let in the next one that still waits."""
        while self._waiting:
            released = self._waiting.popleft()
            if not released.done():  # whoever was called off has gone
                released.set_result(None)
                return
        self._busy = False

    def close(self) -> None:
        """Let the thread go when it has ended what it is at."""
        self._large_pages.shutdown(wait=False, cancel_futures=True)


@cache
def _malloc_trim() -> Callable[[int], object]:
    """The function that gives freed memory back: glibc keeps it unless told, and others have no
    such function.
    """
    import ctypes

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _: None
    return trim
