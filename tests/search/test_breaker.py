"""When a provider is left alone."""

from __future__ import annotations

import pytest

from webquarry._search.guard import Breaker
from webquarry.clock import Clock
from webquarry.errors import (
    AuthFailure,
    BadInput,
    NetworkFailure,
    NotRecorded,
    RateLimited,
    WebquarryError,
)


class HandClock(Clock):
    def __init__(self) -> None:
        self.at = 0.0

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def failed(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        assert breaker.admit()
        breaker.record_failure(NetworkFailure("no answer"))


def test_opens_after_consecutive_failures(clock: HandClock) -> None:
    breaker = Breaker(clock, threshold=3, rest_seconds=60)
    failed(breaker, 2)
    assert breaker.state == "closed"
    failed(breaker, 1)
    assert breaker.state == "open"
    assert not breaker.admit()
    assert breaker.rest_left == 60


def test_after_its_rest_one_caller_may_probe_and_the_others_wait(clock: HandClock) -> None:
    breaker = Breaker(clock, threshold=1, rest_seconds=60)
    failed(breaker, 1)
    clock.at = 60
    assert breaker.state == "half-open"
    assert [breaker.admit() for _ in range(3)] == [True, False, False]
    breaker.record_success()
    assert breaker.state == "closed"


def test_a_probe_that_was_given_up_lets_the_next_caller_probe(clock: HandClock) -> None:
    breaker = Breaker(clock, threshold=1, rest_seconds=60)
    failed(breaker, 1)
    clock.at = 61
    assert breaker.admit()
    breaker.release()
    assert breaker.admit()


def test_requested_rest_starts_immediately(clock: HandClock) -> None:
    breaker = Breaker(clock, threshold=5, rest_seconds=60)
    breaker.record_failure(RateLimited("slow down", retry_after_seconds=7))
    assert breaker.state == "open"
    assert breaker.rest_left == 7


@pytest.mark.parametrize("error", [BadInput("no"), AuthFailure("no"), NotRecorded("no")])
def test_errors_that_say_nothing_of_its_health_do_not_count(
    clock: HandClock, error: WebquarryError
) -> None:
    breaker = Breaker(clock, threshold=1, rest_seconds=60)
    breaker.record_failure(error)
    assert breaker.state == "closed"
