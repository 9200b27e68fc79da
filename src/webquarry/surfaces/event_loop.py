"""The event loop of a server: a coroutine comes in, and is run to its end.

asyncio asks the system for news before every round, also where it has work at hand: a call takes a
dozen rounds, and three of them wait for something. So a few rounds of work at hand go by before
the system is asked.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_MOST_ROUNDS = 4  # without a look at what has come

Events = list[tuple[selectors.SelectorKey, int]]


class WorkFirstSelector(selectors.DefaultSelector):
    """Is asked what has come. Whoever does not want to wait for it, having work at hand, is told
    of nothing a few times in a row.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rounds = 0

    def select(self, timeout: float | None = None) -> Events:
        has_work = timeout is not None and timeout <= 0
        if has_work and self._rounds < _MOST_ROUNDS:
            self._rounds += 1
            return []
        self._rounds = 0
        return super().select(timeout)


def run(main: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, for servers."""
    if sys.platform == "win32":  # whose loops have no selector
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=_make_loop) as runner:
        return runner.run(main)


def _make_loop() -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(WorkFirstSelector())
