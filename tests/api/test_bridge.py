"""The bridge runs coroutines for sync callers: from any thread, interruptible, closed at exit, safe
to fork.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from webquarry.bridge import Bridge
from webquarry.errors import BadInput, NotFound


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    made = Bridge()
    yield made
    made.close()


async def loop_id() -> int:
    return id(asyncio.get_running_loop())


def test_a_result_comes_back(bridge: Bridge) -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return "done"

    assert bridge.run(work()) == "done"


def test_an_error_comes_back_as_it_was_raised(bridge: Bridge) -> None:
    async def work() -> None:
        raise NotFound("There is no such page.")

    with pytest.raises(NotFound, match="no such page"):
        bridge.run(work())


@pytest.mark.parametrize("ended", [SystemExit(3), KeyboardInterrupt()])
def test_work_that_wants_to_end_the_process_ends_the_caller_and_not_the_loop(
    bridge: Bridge, ended: BaseException
) -> None:
    async def work() -> None:
        raise ended

    with pytest.raises(type(ended)):
        bridge.run(work())
    assert bridge.run(loop_id())


def test_it_works_where_a_loop_is_running(bridge: Bridge) -> None:
    async def outer() -> tuple[int, int]:
        return await loop_id(), bridge.run(loop_id())

    own, bridged = asyncio.run(outer())

    assert own != bridged


def test_all_threads_share_one_loop(bridge: Bridge) -> None:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        loops = set(pool.map(lambda _: bridge.run(loop_id()), range(40)))

    assert len(loops) == 1


def test_a_call_from_inside_the_loop_is_refused_instead_of_waiting_for_itself(
    bridge: Bridge,
) -> None:
    async def work() -> int:
        return bridge.run(loop_id())

    with pytest.raises(BadInput, match="wait for itself"):
        bridge.run(work())


def test_an_interrupt_cancels_the_work_and_lets_it_clean_up(bridge: Bridge) -> None:
    cleaned = threading.Event()

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            bridge.run(work())
    finally:
        signal.signal(signal.SIGINT, previous)
    assert cleaned.is_set()
    assert bridge.run(loop_id())


def test_close_awaits_closers_and_the_next_call_starts_a_new_loop() -> None:
    bridge, closed = Bridge(), []

    async def closer() -> None:
        closed.append(threading.current_thread().name)

    bridge.run(loop_id())
    bridge.at_close(closer)
    bridge.close()
    bridge.close()

    assert closed == ["webquarry-bridge"]
    assert bridge.run(loop_id())
    bridge.close()


def test_close_cancels_running_tasks() -> None:
    bridge, cancelled = Bridge(), threading.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def begin() -> asyncio.Task[None]:
        task = asyncio.create_task(endless())
        await asyncio.sleep(0)
        return task

    task = bridge.run(begin())
    bridge.close()

    assert cancelled.is_set()
    assert task.cancelled()


def run_python(code: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", *flags, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
    )


IN_USE = """
import asyncio, os, sys
from webquarry.bridge import bridge
async def work():
    await asyncio.sleep(0)
    return 'done'
assert bridge.run(work()) == 'done'
"""


def test_the_process_ends_by_itself_and_without_a_warning() -> None:
    done = run_python(IN_USE)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_gets_a_bridge_of_its_own_and_the_parents_goes_on() -> None:
    code = IN_USE + (
        "child = os.fork()\n"
        "assert bridge.run(work()) == 'done'\n"
        "if child == 0:\n"
        "    sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "assert bridge.run(work()) == 'done'\n"
    )
    done = run_python(
        code, "-W", "ignore::DeprecationWarning"
    )  # newer Pythons warn of any fork beside threads

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such signals")
def test_signal_handler_can_cancel_on_an_idle_loop(bridge: Bridge) -> None:
    """As a kernel of Jupyter does: nobody wakes its loop when its handler has said so."""
    ended: list[str] = []

    async def work() -> None:
        await asyncio.sleep(30)
        ended.append("by itself")

    async def cell() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        signal.signal(signal.SIGALRM, lambda *_: loop.call_soon(task.cancel))
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        await bridge.run_async(work())

    before = signal.getsignal(signal.SIGALRM)
    try:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cell())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ended == []
