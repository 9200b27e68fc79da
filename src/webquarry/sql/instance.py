"""What belongs to one database: keys, options, the engine with its memo, the loop it works on.

Nothing is opened before the first call. `release` closes everything that was opened; a call after
it, from another connection to the same database, opens it again, with the keys and options that
were set.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from webquarry.bridge import Bridge
from webquarry.errors import Cancelled
from webquarry.progress import is_in_kernel
from webquarry.secret import Secret
from webquarry.settings import Settings
from webquarry.sql.interrupts import watcher
from webquarry.sql.progress import open_progress_line
from webquarry.sql.statements import Scope, Statements
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from webquarry.ask.engine import Engine

T = TypeVar("T")
log = logging.getLogger(__name__)
_KERNEL_GRACE_SECONDS = 0.5  # of the two that a cell may take to stop, the kernel needs some
_GRACE_SECONDS = 1.4  # for calls under way to end and be kept; Ctrl-C is to take less than two


@dataclass
class _OpenResources:
    """What is open between the first call and the release."""

    bridge: Bridge
    kit: Toolkit
    engine: Engine


class Instance:
    """One database's state. Any of DuckDB's threads may use it."""

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
        """Set an option of this database; its value as it is kept comes back."""
        kept = self.engine.options.set(name, value)
        self._options[name] = value
        return kept

    def warn_once(self, about: str, message: str) -> None:
        """Say it on the log, once for this database."""
        with self._lock:
            if about in self._warned:
                return
            self._warned.add(about)
        log.warning("%s", message)

    def run(self, work: Coroutine[Any, Any, T], scope: Scope, *, paid: bool) -> T:
        """Run a coroutine on the loop and wait. When it is stopped, paid calls may end first, for a
        moment.
        """
        bridge = self._ensure_open().bridge
        if paid:
            guarded = run_with_grace(work, scope)
        else:
            guarded = _run_until_cancelled(work, scope)
        try:
            return bridge.run(guarded)
        except (asyncio.CancelledError, concurrent.futures.CancelledError):
            raise Cancelled("The statement was cancelled.") from None

    def cancel(self) -> None:
        """Stop what runs: no further paid call, and calls under way are kept if they end soon. Any
        thread may call it.
        """
        self.statements.cancel()

    def interrupt(self) -> None:
        """The same because of a Ctrl-C."""
        self.statements.interrupt()
        self.cancel()

    def release(self) -> None:
        """Close what was opened, wherever this is called from."""
        with self._lock:
            opened, self._open = self._open, None
        watcher.forget(self)
        if opened is None:
            return
        # A loop cannot wait for its own end.
        if threading.current_thread().name == "webquarry-bridge":
            threading.Thread(target=_close, args=(opened,), name="webquarry-close").start()
        else:
            _close(opened)

    def _ensure_open(self) -> _OpenResources:
        """What is open; opened now, with the keys and options that were set, if nothing is."""
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
            watcher.watch(self)
            return self._open


class CanCancel(Protocol):
    """What can be told to begin nothing more."""

    def cancel(self) -> None: ...


async def run_with_grace(work: Coroutine[Any, Any, T], scope: CanCancel) -> T:
    """Paid work: cancelled from outside, it may end by itself before it is really cancelled."""
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
    """Work that costs nothing ends as soon as the statement is cancelled."""
    task = asyncio.get_running_loop().create_task(work)
    try:
        with scope.cancelling(task):
            return await task
    finally:
        task.cancel()


def _close(opened: _OpenResources) -> None:
    """Close the engine, the toolkit and the loop that they ran on."""

    async def wind_up() -> None:
        await opened.engine.aclose()
        await opened.kit.aclose()
        await asyncio.get_running_loop().shutdown_default_executor()

    opened.bridge.run(wind_up())
    opened.bridge.close()
