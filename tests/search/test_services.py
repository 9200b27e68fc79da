"""A services of members: known by name, asked with patience, left alone when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.patents.recorded import LENS_ONLY
from webquarry.errors import BadInput, NetworkFailure, RateLimited
from webquarry.net.client import Client
from webquarry.search.patents.provider import PatentProvider
from webquarry.search.services.services import Services, Turn
from webquarry.settings import Settings

T = TypeVar("T")
PACKAGE = "webquarry.search.patents.providers"


def using(
    use: Callable[[Services[PatentProvider]], Awaitable[T]], clock: FakeClock | None = None
) -> T:
    clock = clock or FakeClock()
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200))

    async def run() -> T:
        async with Client(Settings(), clock, pages=transport, providers=transport) as client:
            return await use(
                Services(
                    PACKAGE,
                    PatentProvider,
                    client,
                    Settings(),
                    LENS_ONLY | {"HOME": "/nonexistent"},
                    clock,
                )
            )

    return asyncio.run(run())


async def turn(
    services: Services[PatentProvider], work: Callable[[float], Awaitable[list[int]]]
) -> Turn[list[int]]:
    return await services.turn(services.find("lens"), work, seconds=5, count=len)


async def limited(seconds: float) -> list[int]:
    raise RateLimited("Slow down.", retry_after_seconds=30)


async def found(seconds: float) -> list[int]:
    return [1, 2]


async def broken(seconds: float) -> list[int]:
    raise KeyError("title")


async def nothing(seconds: float) -> list[int]:
    return []


def test_members_are_known_by_name_and_alias_and_nobody_else_is() -> None:
    async def use(services: Services[PatentProvider]) -> None:
        assert [member.name for member in services.all()] == ["epo", "lens"]
        assert [member.name for member in services.configured()] == ["lens"]
        assert services.find(" Espacenet").name == "epo"
        with pytest.raises(BadInput, match="no search provider 'acorn'"):
            services.find("acorn")

    using(use)


def test_a_turn_says_what_came_of_it() -> None:
    async def use(services: Services[PatentProvider]) -> list[Turn[list[int]]]:
        return [await turn(services, work) for work in (found, nothing, broken)]

    good, empty, failed = using(use)

    assert (good.value, good.attempt.outcome, good.attempt.reason) == ([1, 2], "ok", "2 results.")
    assert (empty.value, empty.attempt.outcome) == ([], "empty")
    assert (failed.value, failed.attempt.outcome) == (None, "network")
    assert failed.error
    assert failed.error.message == "The Lens failed: KeyError."


def test_a_member_that_asked_for_rest_is_not_asked_until_it_is_over() -> None:
    clock = FakeClock()

    async def use(services: Services[PatentProvider]) -> list[Turn[list[int]]]:
        turns = [await turn(services, limited), await turn(services, found)]
        assert services.healthy() == []
        clock.seconds += 31
        return [*turns, await turn(services, found)]

    first, second, third = using(use, clock)

    assert [one.attempt.outcome for one in (first, second, third)] == [
        "rate_limited",
        "skipped",
        "ok",
    ]
    assert isinstance(second.error, RateLimited)
    assert second.error.retry_after_seconds == 30


def test_a_member_that_takes_too_long_is_cut_short() -> None:
    async def use(services: Services[PatentProvider]) -> Turn[list[int]]:
        async def slow(seconds: float) -> list[int]:
            await asyncio.Event().wait()
            return []

        return await services.turn(services.find("lens"), slow, seconds=0.01, count=len)

    error = using(use).error

    assert isinstance(error, NetworkFailure)
    assert "cut short" in error.message


def test_a_caller_who_leaves_has_learnt_nothing_about_the_member() -> None:
    async def use(services: Services[PatentProvider]) -> str:
        async def left(seconds: float) -> list[int]:
            raise asyncio.CancelledError

        for _ in range(5):
            with pytest.raises(asyncio.CancelledError):
                await turn(services, left)
        return (await turn(services, found)).attempt.outcome

    assert using(use) == "ok"
