"""One guarded call of a service: the same for web search, papers and patents."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import httpx2
import pytest

from tests.net.doubles import FakeClock
from webquarry._search.guard import Breakers, GuardedCall, apply_retry_after, guard
from webquarry._search.service import Service
from webquarry.errors import BadInput, NetworkFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply
from webquarry.settings import Settings


class Acorn(Service):
    name, label, origin = "acorn", "Acorn", "https://acorn.example"
    build_probe = parse_probe = None  # type: ignore[assignment]


Work = Callable[[GuardedCall], Awaitable[None]]


async def make_call(work: Work, seconds: float, board: Breakers, clock: FakeClock) -> GuardedCall:
    async with guard(Acorn({}), board, clock, seconds) as call:
        if call.is_admitted:
            await work(call)
    return call


def called(work: Work, *, seconds: float = 5, board: Breakers | None = None) -> GuardedCall:
    clock = FakeClock()
    board = board or Breakers(Settings(), clock)
    return asyncio.run(make_call(work, seconds, board, clock))


async def two(call: GuardedCall) -> None:
    call.found = 2


async def refused(call: GuardedCall) -> None:
    raise RateLimited("Slow down.", retry_after_seconds=30)


async def endless(call: GuardedCall) -> None:
    await asyncio.Event().wait()


async def endless_after_one(call: GuardedCall) -> None:
    call.found = 1
    await asyncio.Event().wait()


def test_call_without_time_left_is_skipped_and_not_a_failure() -> None:
    board = Breakers(Settings(breaker_failures=1), FakeClock())

    assert called(two, seconds=0, board=board).attempt.outcome == "skipped"
    assert board.breaker("acorn").state == "closed"


def test_results_before_a_timeout_count() -> None:
    kept = called(endless_after_one, seconds=0.01)
    lost = called(endless, seconds=0.01)

    assert (kept.found, kept.is_cut_short, kept.error) == (1, True, None)
    assert (kept.attempt.outcome, kept.attempt.reason) == ("ok", "1 result.")
    assert (lost.found, lost.is_cut_short) == (0, False)
    assert isinstance(lost.error, NetworkFailure)
    assert lost.attempt.reason == "Acorn did not answer within 0.01 s."


def test_a_service_that_rests_is_not_admitted_until_its_rest_is_over() -> None:
    clock = FakeClock()
    board = Breakers(Settings(), clock)

    called(refused, board=board)
    assert board.breaker("acorn").state == "open"
    assert called(two, board=board).attempt.outcome == "skipped"
    clock.seconds += 31
    assert called(two, board=board).attempt.outcome == "ok"
    assert board.breaker("acorn").state == "closed"


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RateLimited("Slow down."), 17),
        (RateLimited("Slow down.", retry_after_seconds=3), 3),
        (BadInput("No such field."), None),  # nothing that waiting would cure
    ],
)
def test_an_error_learns_from_the_reply_how_long_to_wait(
    error: WebquarryError, seconds: float | None
) -> None:
    reply = Reply(
        "https://acorn.example/",
        429,
        httpx2.Headers({"retry-after": "17"}),
        b"",
        datetime(2026, 1, 1, tzinfo=UTC),
    )

    with pytest.raises(type(error)), apply_retry_after(reply):
        raise error
    assert error.retry_after_seconds == seconds
