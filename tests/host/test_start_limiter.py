"""How many programs are let in at once."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack

import pytest

from webquarry.host import start_limiter
from webquarry.host.start_limiter import StartLimiter


async def enter(limiter: StartLimiter, stack: AsyncExitStack, pid: int) -> None:
    started = await stack.enter_async_context(limiter.admit())
    started(pid)


def let_in(state: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many are inside together before there is no room, when every process has this state."""
    monkeypatch.setattr(start_limiter, "read_state", lambda pid: state)
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    async def crowd() -> int:
        limiter, inside = StartLimiter(), 0
        async with AsyncExitStack() as stack:
            while limiter._has_room():
                await enter(limiter, stack, inside)
                inside += 1
        return inside

    return asyncio.run(crowd())


@pytest.mark.parametrize(
    ("state", "count"), [("S", 64), ("R", 8), ("", 12)], ids=["waiting", "computing", "unseen"]
)
def test_programs_that_wait_may_be_many_and_those_that_compute_few(
    state: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert let_in(state, monkeypatch) == count


def test_who_leaves_makes_room_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_limiter, "read_state", lambda pid: "R")
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    most = 0

    async def one(limiter: StartLimiter, inside: set[int], pid: int) -> None:
        nonlocal most
        async with limiter.admit() as started:
            started(pid)
            inside.add(pid)
            most = max(most, len(inside))
            await asyncio.sleep(0)
            inside.discard(pid)

    async def all_of_them() -> None:
        limiter, inside = StartLimiter(), set[int]()
        await asyncio.gather(*(one(limiter, inside, pid) for pid in range(50)))

    asyncio.run(all_of_them())

    assert most <= 4


def test_one_that_could_not_be_started_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)

    async def fail_often() -> None:
        limiter = StartLimiter()
        for _ in range(200):
            with pytest.raises(OSError, match="no"):
                async with limiter.admit():
                    raise OSError("no")

    asyncio.run(fail_often())


def test_the_state_of_this_process_is_seen() -> None:
    assert start_limiter.read_state(os.getpid()) in ("R", "S")
    assert start_limiter.read_state(2**22 + 1) == "X"
