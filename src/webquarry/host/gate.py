"""How many programs are started at once, so that they do not starve each other.

Each has a second from its own start. Programs that wait can all wait together; programs that
compute share the processors, and a second is soon used up when fifty of them start at once. So a
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


class Gate:
    """Lets programs in; each reports its process number, and is out when its context ends."""

    def __init__(self) -> None:
        self._few = min(4 * (os.cpu_count() or 1), _MOST)
        self._inside: set[int] = set()  # process numbers
        self._entering = 0
        self._door = asyncio.Lock()  # one looks, the others queue
        self._left: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def admitted(self) -> AsyncIterator[Callable[[int], None]]:
        """Wait to be let in; what is given takes the number of the process that was started."""
        mine: list[int] = []

        def started(pid: int) -> None:
            mine.append(pid)
            self._inside.add(pid)
            self._entering -= 1

        async with self._door:
            while not self._room():
                self._left = asyncio.get_running_loop().create_future()
                await asyncio.wait(
                    [self._left], timeout=_LOOK_SECONDS
                )  # no event tells of a change of state
            self._entering += 1
        try:
            yield started
        finally:
            if mine:
                self._inside.discard(mine[0])
            else:
                self._entering -= 1
            if self._left is not None and not self._left.done():
                self._left.set_result(None)

    def _room(self) -> bool:
        total = len(self._inside) + self._entering
        if total < self._few:
            return True
        states = [_state(pid) for pid in self._inside]
        if "" in states:
            return total < _MOST_UNSEEN
        return total < _MOST and states.count("R") + self._entering < self._few


def _state(pid: int) -> str:
    """One letter: R for running or waiting for a processor; empty when the kernel does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return "X"  # it has ended, but its context has not
        return ""
    except OSError:
        return ""
    return stat.rpartition(b")")[2].split()[0].decode()
