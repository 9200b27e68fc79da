"""What belongs to one database: keys, options, the engine with its memo, the loop it works on.

Nothing is opened before the first call. `release` closes everything that was opened; a call after it, from another
connection to the same database, opens it again, with the keys and options that were set.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from webquarry.settings import Settings
from webquarry.surfaces.bridge import Bridge
from webquarry.surfaces.sql.interrupts import watcher
from webquarry.surfaces.sql.progress_line import ProgressLine
from webquarry.surfaces.sql.statements import Scope, Statements
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from webquarry.ask.engine import Engine

T = TypeVar("T")
log = logging.getLogger(__name__)
_GRACE_SECONDS = 1.4  # for calls under way to end and be kept; Ctrl-C is to take less than two


@dataclass
class _Open:
    """What is open between the first call and the release."""

    bridge: Bridge
    kit: Toolkit
    engine: Engine
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)


class Instance:
    """One database's state. Any of DuckDB's threads may use it."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self.environ = environ
        self.statements = Statements()
        self.line = ProgressLine()
        self._lock = threading.RLock()
        self._open: _Open | None = None
        self._warned: set[str] = set()
        self._said: list[tuple[str, str, str]] = []  # keys and options, in the order they were set

    @property
    def engine(self) -> Engine:
        return self._opened().engine

    @property
    def kit(self) -> Toolkit:
        return self._opened().kit

    def set_key(self, variable: str, value: str) -> None:
        """Use this key in this database."""
        self.engine.keys.set(variable, value)
        self._said.append(("key", variable, value))

    def set_option(self, name: str, value: str) -> str:
        """Set an option of this database; its value as it is kept comes back."""
        kept = self.engine.options.set(name, value)
        self._said.append(("option", name, value))
        return kept

    def warn_once(self, about: str, message: str) -> None:
        """Say it on the log, once for this database."""
        with self._lock:
            if about in self._warned:
                return
            self._warned.add(about)
        log.warning("%s", message)

    def run(self, work: Coroutine[Any, Any, T], scope: Scope | None = None) -> T:
        """Run a coroutine on the loop and wait. A Ctrl-C here lets paid calls end first, for a moment."""
        opened = self._opened()
        return opened.bridge.run(_patiently(work, opened.tasks, scope))

    def cancel(self) -> None:
        """Stop what runs: no further paid call, and calls under way are kept if they end soon. Any thread may call it."""
        self.statements.cancel()
        opened = self._open
        for task in list(opened.tasks) if opened is not None else []:
            task.get_loop().call_soon_threadsafe(task.cancel)

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
        if threading.current_thread().name == "webquarry-bridge":  # a loop cannot wait for its own end
            threading.Thread(target=_close, args=(opened,), name="webquarry-close").start()
        else:
            _close(opened)

    def _opened(self) -> _Open:
        with self._lock:
            if self._open is None:
                kit = Toolkit(self.settings, self.environ)
                engine = kit.open_engine()
                for kind, name, value in self._said:
                    if kind == "key":
                        engine.keys.set(name, value)
                    else:
                        engine.options.set(name, value)
                self._open = _Open(Bridge(), kit, engine)
                watcher.watch(self)
            return self._open


async def _patiently(work: Coroutine[Any, Any, T], tasks: set[asyncio.Task[Any]], scope: Scope | None) -> T:
    """The work as a task; cancelled from outside, it may end by itself before it is really cancelled."""
    task = asyncio.get_running_loop().create_task(work)
    if scope is None:
        tasks.add(task)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if scope is not None:
            scope.cancel()
            with contextlib.suppress(Exception):
                await asyncio.wait([task], timeout=_GRACE_SECONDS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    finally:
        tasks.discard(task)


def _close(opened: _Open) -> None:
    async def wind_up() -> None:
        await opened.engine.aclose()
        await opened.kit.aclose()
        await asyncio.get_running_loop().shutdown_default_executor()

    opened.bridge.run(wind_up())
    opened.bridge.close()
