"""Services: known by name, asked with patience, left alone when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.patents.recorded import LENS_ONLY
from webquarry._search.guard import GuardedCall
from webquarry._search.patents.provider import PatentProvider
from webquarry._search.services import Services
from webquarry.errors import BadInput, NetworkFailure, RateLimited
from webquarry.net.client import Client
from webquarry.settings import Settings

T = TypeVar("T")
PACKAGE = "webquarry._search.patents.providers"


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


Work = Callable[[], Awaitable[list[int]]]
Answer = tuple[GuardedCall, list[int] | None]


async def ask(services: Services[PatentProvider], work: Work, seconds: float = 5) -> Answer:
    value = None
    async with services.guard(services.find("lens"), seconds) as call:
        if call.is_admitted:
            with call.service.explain_errors():
                value = await work()
            call.found = len(value)
    return call, value


async def limited() -> list[int]:
    raise RateLimited("Slow down.", retry_after_seconds=30)


async def found() -> list[int]:
    return [1, 2]


async def broken() -> list[int]:
    raise KeyError("title")


async def nothing() -> list[int]:
    return []


def test_services_are_known_by_name_and_alias_and_nobody_else_is() -> None:
    async def use(services: Services[PatentProvider]) -> None:
        assert [one.name for one in services.all()] == ["epo", "lens"]
        assert [one.name for one in services.get_configured()] == ["lens"]
        assert services.find(" Espacenet").name == "epo"
        with pytest.raises(BadInput, match="no search provider 'acorn'"):
            services.find("acorn")

    using(use)


def test_a_call_says_what_came_of_it() -> None:
    async def use(services: Services[PatentProvider]) -> list[Answer]:
        return [await ask(services, work) for work in (found, nothing, broken)]

    (good, two), (empty, none), (failed, missing) = using(use)

    assert (two, good.attempt.outcome, good.attempt.reason) == ([1, 2], "ok", "2 results.")
    assert (none, empty.attempt.outcome) == ([], "empty")
    assert (missing, failed.attempt.outcome) == (None, "network")
    assert failed.error
    assert failed.error.message == "The Lens failed: KeyError."


def test_a_service_that_asked_for_rest_is_not_asked_until_it_is_over() -> None:
    clock = FakeClock()

    async def use(services: Services[PatentProvider]) -> list[Answer]:
        answers = [await ask(services, limited), await ask(services, found)]
        assert services.healthy() == []
        clock.seconds += 31
        return [*answers, await ask(services, found)]

    calls = [call for call, _ in using(use, clock)]

    assert [call.attempt.outcome for call in calls] == ["rate_limited", "skipped", "ok"]
    assert isinstance(calls[1].error, RateLimited)
    assert calls[1].error.retry_after_seconds == 30


def test_a_service_that_takes_too_long_is_cut_short() -> None:
    async def use(services: Services[PatentProvider]) -> Answer:
        async def slow() -> list[int]:
            await asyncio.Event().wait()
            return []

        return await ask(services, slow, seconds=0.01)

    error = using(use)[0].error

    assert isinstance(error, NetworkFailure)
    assert "cut short" in error.message


def test_a_caller_who_leaves_has_learnt_nothing_about_the_service() -> None:
    async def use(services: Services[PatentProvider]) -> str:
        async def left() -> list[int]:
            raise asyncio.CancelledError

        for _ in range(5):
            with pytest.raises(asyncio.CancelledError):
                await ask(services, left)
        call, _ = await ask(services, found)
        return call.attempt.outcome

    assert using(use) == "ok"
