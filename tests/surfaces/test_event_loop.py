"""The event loop of a server: work at hand goes first, and nobody is left waiting for it."""

from __future__ import annotations

import asyncio
import os
import selectors
import sys

import pytest

from webquarry.surfaces import event_loop
from webquarry.surfaces.event_loop import WorkFirstSelector

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its loops have no selector")


def test_what_has_come_is_told_after_a_few_rounds_of_work() -> None:
    reading, writing = os.pipe()
    with WorkFirstSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        os.write(writing, b"x")
        told = [len(selector.select(0)) for _ in range(10)]
    os.close(reading)
    os.close(writing)

    assert told == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]


def test_whoever_waits_is_told_at_once() -> None:
    reading, writing = os.pipe()
    with WorkFirstSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        os.write(writing, b"x")
        selector.select(0)
        told = [len(selector.select(None)), len(selector.select(10))]
    os.close(reading)
    os.close(writing)

    assert told == [1, 1]


def test_a_coroutine_that_never_rests_does_not_keep_others_from_being_heard() -> None:
    async def run() -> int:
        loop = asyncio.get_running_loop()
        reading, writing = os.pipe()
        has_come = asyncio.Event()
        loop.add_reader(reading, has_come.set)
        os.write(writing, b"x")
        rounds = 0
        while not has_come.is_set():
            await asyncio.sleep(0)
            rounds += 1
        loop.remove_reader(reading)
        os.close(reading)
        os.close(writing)
        return rounds

    assert 0 < event_loop.run(run()) < 20


def test_a_program_that_is_started_from_it_is_heard_to_its_end() -> None:
    async def run() -> bytes:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print('done')", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        return out

    assert event_loop.run(run()).strip() == b"done"
