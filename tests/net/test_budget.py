from __future__ import annotations

import asyncio

import pytest

from tests.net.doubles import FakeClock
from webquarry.errors import NetworkFailure
from webquarry.net.sender import Budget


def test_a_block_that_takes_too_long_ends_with_what_it_was_doing() -> None:
    async def run() -> None:
        budget = Budget(FakeClock(), 0.01, 0)
        budget.activity = "counting sheep"
        with pytest.raises(
            NetworkFailure, match=r"longer than 0\.01 s; the time ran out while counting sheep"
        ):
            async with budget:
                await asyncio.Event().wait()

    asyncio.run(run())


def test_timeout_of_the_caller_is_not_converted() -> None:
    async def run() -> None:
        budget = Budget(FakeClock(), 60, 0)
        with pytest.raises(TimeoutError, match="theirs"):
            async with budget:
                raise TimeoutError("theirs")

    asyncio.run(run())
