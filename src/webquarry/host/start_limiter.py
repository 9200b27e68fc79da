"""How many programs are started at once, so that they do not starve each other.

Each has a few seconds from its own start. Programs that wait can all wait together; programs that
compute share the processors, and their time is soon used up when fifty of them start at once. So a
few are always let in, and more only while few of those inside want a processor right now. Where the
kernel does not tell, a fixed number is let in.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

_MOST = 64  # two pipes each: below the 256 files that some systems allow a process
_MOST_UNSEEN = 12  # where the state of a process cannot be read
_LOOK_SECONDS = 0.003


class StartLimiter:
    """Lets programs start; each reports its process number, and counts until its context ends."""

    def __init__(self) -> None:
        self._few = min(4 * (os.cpu_count() or 1), _MOST)
        self._running: set[int] = set()  # process numbers
        self._starting = 0  # let in, but not started yet
        self._queue = asyncio.Lock()  # one looks, the others wait
        self._next_end: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[Callable[[int], None]]:
        """Wait to be let in; what is given takes the number of the process that was started."""
        pids: list[int] = []

        def register(pid: int) -> None:
            pids.append(pid)
            self._running.add(pid)
            self._starting -= 1

        async with self._queue:
            while not self._has_room():
                # No event tells of a change of state, so it is looked at again and again.
                self._next_end = asyncio.get_running_loop().create_future()
                await asyncio.wait([self._next_end], timeout=_LOOK_SECONDS)
            self._starting += 1
        try:
            yield register
        finally:
            if pids:
                self._running.discard(pids[0])
            else:
                self._starting -= 1
            if self._next_end is not None and not self._next_end.done():
                self._next_end.set_result(None)

    def _has_room(self) -> bool:
        """Whether one more may be started now."""
        total = len(self._running) + self._starting
        if total < self._few:
            return True
        states = [read_state(pid) for pid in self._running]
        if "" in states:
            return total < _MOST_UNSEEN
        busy = states.count("R") + self._starting
        return total < _MOST and busy < self._few


def read_state(pid: int) -> str:
    """The state of a process in one letter: R for running or waiting for a processor; empty when
    the kernel does not tell.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return "X"  # it has ended, but its context has not
        return ""
    except OSError:
        return ""
    after_name = stat.rpartition(b")")[2]  # a name may hold anything, parentheses too
    return after_name.split()[0].decode()
