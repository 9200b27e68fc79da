"""The one bridge from sync to async: a loop on a thread of its own, shared by `webquarry.call` and
the command line.

A coroutine goes in from any thread, its result or its error comes out there. The loop starts with
the first piece of work and is closed at exit. Ctrl-C in the waiting thread cancels the work and
lets it clean up. A forked child gets a bridge of its own; the parent's is left alone.
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
_GRACE_SECONDS = 5  # for cancelled work to close what it opened
_TICK_SECONDS = 1  # a wait without end cannot be interrupted on every platform

log = logging.getLogger(__name__)


class Bridge:
    """A loop on a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closers: list[Callable[[], Awaitable[None]]] = []

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the bridge's loop and wait for it, whatever loop runs in this
        thread.
        """
        loop = self._start()
        if threading.current_thread() is self._thread:
            work.close()
            raise BadInput(
                "A sync call was made from inside a running tool, which would wait for itself.",
                suggested_action="Await the tool's function there instead.",
            )
        outcome: concurrent.futures.Future[T] = concurrent.futures.Future()
        tasks: list[asyncio.Task[None]] = []

        async def hand_over() -> None:
            # Whatever the work ends in. A SystemExit too (a terminal that went away): here it
            # would end the loop.
            try:
                outcome.set_result(await work)
            except BaseException as error:
                outcome.set_exception(error)

        def begin() -> None:
            task = loop.create_task(hand_over())
            task.add_done_callback(lambda _: work.close())  # cancelled before it was awaited
            task.add_done_callback(lambda _: outcome.done() or outcome.cancel())
            tasks.append(task)

        def cancel() -> None:
            for task in tasks:
                task.cancel()

        try:
            loop.call_soon_threadsafe(begin)
            while not concurrent.futures.wait([outcome], _TICK_SECONDS).done:
                pass
        except BaseException:
            # The wait was interrupted, not the work: Ctrl-C, or what a signal handler raised.
            loop.call_soon_threadsafe(cancel)
            concurrent.futures.wait([outcome], _GRACE_SECONDS)
            raise
        return outcome.result()  # cancelled by a close of the bridge: CancelledError

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the bridge's loop and await it on another; whoever stops waiting
        cancels it.
        """
        loop = self._start()
        if loop is asyncio.get_running_loop():
            return await work
        outcome = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))
        try:
            # A loop that sleeps does not see what a signal handler told it, as that of Jupyter.
            while not outcome.done():
                await asyncio.wait([outcome], timeout=_TICK_SECONDS)
        finally:
            outcome.cancel()
        return await outcome

    def at_close(self, closer: Callable[[], Awaitable[None]]) -> None:
        """Await this on the loop before it is closed."""
        self._closers.append(closer)

    def close(self) -> None:
        """Cancel what still runs, close what was opened, end the thread. The next `run` starts
        anew.
        """
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
            for closer in reversed(closers):  # what was opened last is closed first
                await closer()
            await loop.shutdown_asyncgens()

        ending = asyncio.run_coroutine_threadsafe(shut_down(), loop)
        try:
            ending.result(_GRACE_SECONDS)
        except TimeoutError:
            log.warning(
                "something did not end within %s seconds and is left behind", _GRACE_SECONDS
            )
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_GRACE_SECONDS)
        if not thread.is_alive():
            loop.close()

    def _start(self) -> asyncio.AbstractEventLoop:
        """The loop, started if it does not run yet."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon, because the interpreter joins all others before it runs the exit
                # handlers.
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="webquarry-bridge", daemon=True
                )
                self._thread.start()
            return self._loop

    def _forget(self) -> None:
        """In a forked child: the thread is gone, and closing the shared selector would harm the
        parent.
        """
        self._lock = threading.Lock()
        self._loop, self._thread, self._closers = None, None, []


bridge = Bridge()
atexit.register(bridge.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=bridge._forget)
