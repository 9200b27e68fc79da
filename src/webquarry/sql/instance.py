"""The state of one database: keys, options, the engine with its memory, and the loop it runs on.

Nothing is opened before the first call. `release` closes everything; a later call, from another
connection to the same database, opens it again with the same keys and options.

Ctrl-C: Python runs signal handlers on the main thread between two of its own instructions, and the
main thread waits inside DuckDB until the statement has ended. But the operating system's part of
the handler writes a byte to the wakeup descriptor at once, which a thread of ours reads.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from webquarry.bridge import Bridge
from webquarry.errors import Cancelled
from webquarry.progress import is_in_kernel
from webquarry.secret import Secret
from webquarry.settings import Settings
from webquarry.sql.progress import open_progress_line
from webquarry.sql.statements import Scope, Statements
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from webquarry.ask.engine import Engine
    from webquarry.ask.ledger import SpendingRecord
    from webquarry.ask.statement import Statement

T = TypeVar("T")
log = logging.getLogger(__name__)
_KERNEL_GRACE_SECONDS = 0.5  # the kernel needs some of the two seconds for stopping a cell
_GRACE_SECONDS = 1.4  # for calls in progress to finish and be stored; Ctrl-C takes at most two


class Watcher:
    """Calls functions on SIGINT. One for the process; its thread runs while there are any. An
    earlier wakeup descriptor gets its bytes, too.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._watched: list[Callable[[], None]] = []
        self._ends: tuple[socket.socket, socket.socket] | None = None
        self._thread: threading.Thread | None = None
        self._previous = -1

    def watch(self, interrupt: Callable[[], None]) -> None:
        """Call this on Ctrl-C. Only the main thread can start listening."""
        with self._lock:
            if interrupt not in self._watched:
                self._watched.append(interrupt)
            is_main = threading.current_thread() is threading.main_thread()
            if self._thread is not None or not is_main:
                return
            self._ends = reading, writing = socket.socketpair()
            writing.setblocking(False)  # a signal handler must not wait
            self._previous = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
            self._thread = threading.Thread(
                target=self._read, args=(reading,), name="webquarry-interrupts", daemon=True
            )
            self._thread.start()

    def forget(self, interrupt: Callable[[], None]) -> None:
        """Do not call this any more; after the last one, end the thread."""
        with self._lock:
            if interrupt in self._watched:
                self._watched.remove(interrupt)
            is_main = threading.current_thread() is threading.main_thread()
            if self._watched or not is_main or self._ends is None or self._thread is None:
                return
            reading, writing = self._ends
            previous = self._previous
            try:
                os.fstat(previous)
            except OSError:  # it was closed in the meantime
                previous = -1
            current = signal.set_wakeup_fd(previous)
            if current not in (writing.fileno(), -1):  # a later descriptor stays
                signal.set_wakeup_fd(current, warn_on_full_buffer=False)
            writing.close()  # ends the thread
            self._thread.join()
            reading.close()
            self._ends, self._thread, self._previous = None, None, -1

    def _read(self, reading: socket.socket) -> None:
        """Call the functions on every SIGINT, until the other end is closed."""
        while received := reading.recv(256):
            if signal.SIGINT in received:
                with self._lock:
                    watched = list(self._watched)
                for interrupt in watched:
                    interrupt()
            if self._previous >= 0:
                with contextlib.suppress(OSError):  # it was closed in the meantime
                    os.write(self._previous, received)


watcher = Watcher()


@dataclass
class _OpenResources:
    """Resources between the first call and the release."""

    bridge: Bridge
    kit: Toolkit
    engine: Engine


class Instance:
    """One database's state. Thread-safe."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self.environ = environ
        self.statements = Statements()
        self.progress_line = open_progress_line()
        self._lock = threading.RLock()
        self._open: _OpenResources | None = None
        self._warned: set[str] = set()
        self._keys: dict[str, Secret] = {}
        self._options: dict[str, str] = {}

    @property
    def engine(self) -> Engine:
        return self._ensure_open().engine

    @property
    def kit(self) -> Toolkit:
        return self._ensure_open().kit

    def set_key(self, variable: str, value: str) -> None:
        """Use this key in this database."""
        self.engine.keys.set(variable, value)
        self._keys[variable] = Secret(value)

    def set_option(self, name: str, value: str) -> str:
        """Set an option of this database and return its value in canonical form."""
        canonical = self.engine.options.set(name, value)
        self._options[name] = value
        return canonical

    def read_bill(self, days: int) -> list[SpendingRecord]:
        """Return the spending of the last days."""
        return self._ensure_open().bridge.run(self.engine.usage(days=days))

    def warn_once(self, about: str, message: str) -> None:
        """Log a warning once for this database."""
        with self._lock:
            is_new = about not in self._warned
            self._warned.add(about)
        if is_new:
            log.warning("%s", message)

    def run(self, work: Coroutine[Any, Any, T], scope: Scope, *, paid: bool) -> T:
        """Run a coroutine on the loop and wait. When it is cancelled, paid calls may finish within
        a grace period.
        """
        bridge = self._ensure_open().bridge
        guarded = run_with_grace(work, scope) if paid else _run_until_cancelled(work, scope)
        try:
            return bridge.run(guarded)
        except (asyncio.CancelledError, concurrent.futures.CancelledError):
            raise Cancelled("The statement was cancelled.") from None

    def interrupt(self) -> None:
        """Ctrl-C: send no further paid call; calls in progress are stored if they finish soon."""
        self.statements.interrupt()

    def release(self) -> None:
        """Close all resources, on any thread."""
        with self._lock:
            opened, self._open = self._open, None
        watcher.forget(self.interrupt)
        if opened is None:
            return
        # A loop cannot wait for its own end.
        if threading.current_thread().name == "webquarry-bridge":
            threading.Thread(target=_close, args=(opened,), name="webquarry-close").start()
        else:
            _close(opened)

    def _ensure_open(self) -> _OpenResources:
        """Return the resources; open them first, with the keys and options that were set."""
        with self._lock:
            if self._open is not None:
                return self._open
            kit = Toolkit(self.settings, self.environ, runner="workers")
            engine = kit.open_engine()
            if is_in_kernel():
                engine.grace_seconds = _KERNEL_GRACE_SECONDS
            for variable, key in self._keys.items():
                engine.keys.set(variable, key.reveal())
            for name, value in self._options.items():
                engine.options.set(name, value)
            self._open = _OpenResources(Bridge(), kit, engine)
            watcher.watch(self.interrupt)
            return self._open


async def run_with_grace(work: Coroutine[Any, Any, T], scope: Scope | Statement) -> T:
    """Do paid work: cancelled from outside, it may finish within a grace period."""
    task = asyncio.get_running_loop().create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        scope.cancel()
        await asyncio.wait([task], timeout=_GRACE_SECONDS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise


async def _run_until_cancelled(work: Coroutine[Any, Any, T], scope: Scope) -> T:
    """Do free work, which is cancelled with the statement."""
    task = asyncio.get_running_loop().create_task(work)
    try:
        with scope.cancelling(task):
            return await task
    finally:
        task.cancel()


def _close(opened: _OpenResources) -> None:
    """Close the engine, the toolkit and their loop."""

    async def close() -> None:
        await opened.engine.aclose()
        await opened.kit.aclose()
        await asyncio.get_running_loop().shutdown_default_executor()

    opened.bridge.run(close())
    opened.bridge.close()
