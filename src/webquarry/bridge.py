"""Bridge from sync to async code: one event loop in its own thread.

`bridge` is shared by `webquarry.call` and the command line. The loop starts on first use and is
closed at exit; a forked child gets a new one.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from webquarry.errors import BadInput

T = TypeVar("T")
_GRACE_SECONDS = 5  # for the cleanup of cancelled work
_POLL_SECONDS = 1  # an endless wait cannot be interrupted on every platform

log = logging.getLogger(__name__)


class Bridge:
    """An event loop in its own thread."""

    def __init__(self) -> None:
        self._closers: list[Callable[[], Awaitable[None]]] = []
        self._reset()

    def _reset(self) -> None:
        """Forget the loop; in a forked child its thread does not exist."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closers = []

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and wait for its result; an interrupt cancels it."""
        loop = self._start()
        if threading.current_thread() is self._thread:
            work.close()
            raise BadInput(
                "A sync call was made from inside a running tool, which would wait for itself.",
                suggested_action="Await the tool's function there instead.",
            )
        outcome: concurrent.futures.Future[T] = concurrent.futures.Future()
        tasks: list[asyncio.Task[None]] = []

        async def set_outcome() -> None:
            try:
                outcome.set_result(await work)
            except BaseException as error:  # a SystemExit would end the loop
                outcome.set_exception(error)

        def start() -> None:
            task = loop.create_task(set_outcome())
            task.add_done_callback(lambda _: work.close())  # if cancelled before it started
            task.add_done_callback(lambda _: outcome.done() or outcome.cancel())
            tasks.append(task)

        def cancel() -> None:
            for task in tasks:
                task.cancel()

        try:
            loop.call_soon_threadsafe(start)
            while not concurrent.futures.wait([outcome], _POLL_SECONDS).done:
                pass
        except BaseException:  # the wait was interrupted, by Ctrl-C or a signal handler
            loop.call_soon_threadsafe(cancel)
            concurrent.futures.wait([outcome], _GRACE_SECONDS)
            raise
        return outcome.result()  # CancelledError if the bridge was closed

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the loop of the bridge and await it on another one."""
        loop = self._start()
        if loop is asyncio.get_running_loop():
            return await work
        outcome = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))
        try:
            # An idle loop, as that of Jupyter, does not notice a signal handler.
            while not outcome.done():
                await asyncio.wait([outcome], timeout=_POLL_SECONDS)
        finally:
            outcome.cancel()
        return await outcome

    def at_close(self, closer: Callable[[], Awaitable[None]]) -> None:
        """Await `closer` on the loop before it is closed."""
        self._closers.append(closer)

    def close(self) -> None:
        """Cancel running work, await the closers and stop the thread. `run` starts a new one."""
        with self._lock:
            loop, thread, closers = self._loop, self._thread, self._closers
            self._loop, self._thread, self._closers = None, None, []
        if loop is None or thread is None:
            return

        async def shut_down() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            for closer in reversed(closers):
                await closer()
            await loop.shutdown_asyncgens()

        ending = asyncio.run_coroutine_threadsafe(shut_down(), loop)
        try:
            ending.result(_GRACE_SECONDS)
        except TimeoutError:
            log.warning("a task did not end within %s seconds and is abandoned", _GRACE_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_GRACE_SECONDS)
        if not thread.is_alive():
            loop.close()

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon: the interpreter joins other threads before it runs exit handlers.
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="webquarry-bridge", daemon=True
                )
                self._thread.start()
            return self._loop


bridge = Bridge()
atexit.register(bridge.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=bridge._reset)
