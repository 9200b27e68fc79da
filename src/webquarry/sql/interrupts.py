"""Ctrl-C for statements that run on DuckDB's own threads: a SIGINT comes in, every database's paid
work is cancelled.

Python runs signal handlers on the main thread between two of its own instructions, and the main
thread waits inside DuckDB until the statement has ended. The operating system's half of the
handler, however, writes a byte to the wakeup descriptor at once; a thread of ours reads it. Whoever
had set a descriptor before gets the bytes handed on.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
from typing import Protocol


class Interruptible(Protocol):
    """What can be cancelled by a Ctrl-C."""

    def interrupt(self) -> None: ...


class Watcher:
    """One for the process, running while somebody has something to cancel."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._watched: list[Interruptible] = []
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._thread: threading.Thread | None = None
        self._previous = -1

    def watch(self, one: Interruptible) -> None:
        """Cancel this when Ctrl-C is pressed. Python lets only the main thread listen; elsewhere
        nothing changes.
        """
        with self._lock:
            if one not in self._watched:
                self._watched.append(one)
            if self._thread is None and threading.current_thread() is threading.main_thread():
                self._start()

    def forget(self, one: Interruptible) -> None:
        """Leave this alone; with nothing left to cancel, the thread ends."""
        with self._lock:
            if one in self._watched:
                self._watched.remove(one)
            if not self._watched and threading.current_thread() is threading.main_thread():
                self._stop()

    def _start(self) -> None:
        """Listen to signals, in a thread of ours."""
        reading, writing = socket.socketpair()
        writing.setblocking(False)  # a signal handler must not wait
        self._previous = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        self._ends = (reading, writing)
        self._thread = threading.Thread(
            target=self._read, args=(reading,), name="webquarry-interrupts", daemon=True
        )
        self._thread.start()

    def _stop(self) -> None:
        """Give the wakeup descriptor back, and end the thread."""
        if self._ends is None or self._thread is None:
            return
        reading, writing = self._ends
        previous = self._previous
        try:
            os.fstat(previous)
        except OSError:  # whoever it belonged to has gone
            previous = -1
        current = signal.set_wakeup_fd(previous)
        if current not in (writing.fileno(), -1):  # somebody came after us: theirs stays
            signal.set_wakeup_fd(current, warn_on_full_buffer=False)
        writing.close()  # the reader sees the end, and ends
        self._thread.join()
        reading.close()
        self._ends, self._thread, self._previous = None, None, -1

    def _read(self, reading: socket.socket) -> None:
        """Cancel on every SIGINT, until the other end is closed."""
        while received := reading.recv(256):
            if signal.SIGINT in received:
                with self._lock:
                    watched = list(self._watched)
                for one in watched:
                    one.interrupt()
            if self._previous >= 0:
                with contextlib.suppress(OSError):  # whoever it belonged to has gone
                    os.write(self._previous, received)


watcher = Watcher()
