"""One turn of a member: the same for web search, papers and patents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime

import httpx2
import pytest

from tests.net.doubles import FakeClock
from webquarry import meter
from webquarry.errors import BadInput, NetworkFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.services.asker import Asker, Turn, Work, heeding
from webquarry.search.services.service import Service
from webquarry.settings import Settings


class Acorn(Service):
    name, label, origin = "acorn", "Acorn", "https://acorn.example"
    build_probe = parse_probe = None  # type: ignore[assignment]


class Ended:
    """Listens to the meter, and keeps how each span ended."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[str, str]] = []

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        return

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        self.outcomes.append((labels["provider"], outcome))

    def within(self, name: str, labels: dict[str, str]) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def listening() -> Iterator[Ended]:
    ended = Ended()
    meter.listen(ended)
    try:
        yield ended
    finally:
        meter.unlisten(ended)


def turn(
    work: Work[list[int]], *, seconds: float = 5, asker: Asker | None = None
) -> Turn[list[int]]:
    asker = asker or Asker(Settings(), FakeClock())
    return asyncio.run(asker.turn(Acorn({}), work, seconds=seconds, count=len))


async def two(seconds: float) -> list[int]:
    return [1, 2]


async def none(seconds: float) -> list[int]:
    return []


async def refused(seconds: float) -> list[int]:
    raise RateLimited("Slow down.", retry_after_seconds=30)


async def late_by_itself(seconds: float) -> list[int]:
    raise TimeoutError("the library of the member has limits of its own")


async def endless(seconds: float) -> list[int]:
    await asyncio.Event().wait()
    return []


@pytest.mark.parametrize(
    ("work", "outcome", "reason"),
    [
        (two, "ok", "2 results."),
        (none, "empty", "It found nothing."),
        (refused, "rate_limited", "Slow down."),
        (late_by_itself, "network", "Acorn failed: TimeoutError."),
    ],
)
def test_the_attempt_and_the_figures_tell_the_same_outcome(
    work: Work[list[int]], outcome: str, reason: str
) -> None:
    with listening() as ended:
        attempt = turn(work).attempt

    assert (attempt.provider, attempt.outcome, attempt.reason) == ("acorn", outcome, reason)
    assert ended.outcomes == [("acorn", outcome)]


def test_without_time_nobody_is_asked_and_nobody_is_blamed() -> None:
    asker = Asker(Settings(breaker_failures=1), FakeClock())

    assert turn(two, seconds=0, asker=asker).attempt.outcome == "skipped"
    assert asker.is_healthy(Acorn({}))


def test_what_is_there_when_the_time_is_over_may_count() -> None:
    async def taken(late: int | WebquarryError) -> Turn[list[int]]:
        def at_end(seconds: float) -> list[int]:
            if isinstance(late, WebquarryError):
                raise late
            return [late]

        asker = Asker(Settings(), FakeClock())
        return await asker.turn(Acorn({}), endless, seconds=0.01, count=len, late=at_end)

    kept, lost = asyncio.run(taken(7)), asyncio.run(taken(NetworkFailure("Nothing came.")))

    assert (kept.value, kept.attempt.outcome) == ([7], "ok")
    assert (lost.value, lost.attempt.reason) == (None, "Nothing came.")


def test_nothing_found_may_have_a_reason_of_its_own() -> None:
    asker = Asker(Settings(), FakeClock())
    taken = asker.turn(
        Acorn({}), none, seconds=5, count=len, why_nothing=lambda _: "All were too old."
    )

    assert asyncio.run(taken).attempt.reason == "All were too old."


def test_a_member_that_rests_is_not_healthy_until_its_rest_is_over() -> None:
    clock = FakeClock()
    asker = Asker(Settings(), clock)

    turn(refused, asker=asker)
    assert (asker.state(Acorn({})), asker.is_healthy(Acorn({}))) == ("open", False)
    assert turn(two, asker=asker).attempt.outcome == "skipped"
    clock.seconds += 31
    assert turn(two, asker=asker).attempt.outcome == "ok"
    assert asker.is_healthy(Acorn({}))


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

    with pytest.raises(type(error)), heeding(reply):
        raise error
    assert error.retry_after_seconds == seconds
