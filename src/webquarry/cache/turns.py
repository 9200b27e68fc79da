"""Turns of the processes that share a folder: a name in, the turn to make what it stands for out.

Whoever has a turn holds a lock on one byte of a file, at the place that a hash of the name gives;
whoever wants the same waits until it is let go. The system lets go of the locks of a process that
ends, however it ends. Where there are no such locks, or no right to write, nobody waits.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LAST_PAUSE = 0.01, 0.1  # seconds between two tries
_LONGEST_WAIT = 60.0  # seconds; then the value is made twice
_PLACES = (1 << 62) - 1  # bytes that can be locked: the file stays empty


@dataclass(frozen=True)
class ProcessTurn:
    """The right to make a value, until it is given back with `Turns.end`."""

    place: int | None = None  # of the lock; None where there is none
    has_waited: bool = False  # for another process, which may have made it


class Turns:
    """Locks in `folder`/cache.locks. For one process; its callers are brought together before."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "cache.locks"
        self._handle: int | None = None
        self._is_usable = fcntl is not None

    def take_at_once(self, name: str) -> ProcessTurn | None:
        """A turn; None while another process is at the same."""
        if not self._open():
            return ProcessTurn()
        place = _find_place(name)
        if not self._lock(place):
            return None
        return ProcessTurn(place)

    async def take(self, name: str) -> ProcessTurn:
        """A turn, after that of another process that is at the same."""
        if not self._open():
            return ProcessTurn()
        place = _find_place(name)
        pause = _FIRST_PAUSE
        has_waited = False
        end = time.monotonic() + _LONGEST_WAIT
        while not self._lock(place):
            has_waited = True
            if time.monotonic() > end:
                return ProcessTurn(None, has_waited)
            await asyncio.sleep(pause)
            pause = min(1.5 * pause, _LAST_PAUSE)
        return ProcessTurn(place, has_waited)

    def end(self, turn: ProcessTurn) -> None:
        """Let the next process have its turn."""
        if turn.place is not None and self._handle is not None:
            with suppress(OSError):
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, turn.place)

    def close(self) -> None:
        """Let go of everything."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _open(self) -> bool:
        """Open the file at the first use; False where that cannot be done, which is tried once."""
        if self._handle is not None or not self._is_usable:
            return self._is_usable
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            log.debug("what is read is not shared with other processes (%s)", error)
            self._is_usable = False
        return self._is_usable

    def _lock(self, place: int) -> bool:
        """Take a lock now; False where another process has it."""
        if self._handle is None:
            return True
        try:
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            return False
        except OSError as error:  # a file system without locks
            log.debug("what is read is not shared with other processes (%s)", error)
            self._is_usable = False
        return True


def _find_place(name: str) -> int:
    """The byte whose lock stands for a name."""
    digest = blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) & _PLACES
