from __future__ import annotations

import pytest

from webquarry.errors import NetworkFailure
from webquarry.net.sender import may_retry, retry_delay


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
@pytest.mark.parametrize("outcome", [429, 503, NetworkFailure("Connection refused")])
def test_a_request_that_does_the_same_twice_is_repeated(
    method: str, outcome: int | NetworkFailure
) -> None:
    assert may_retry(method, outcome)


@pytest.mark.parametrize("method", ["POST", "PATCH", "QUERY"])
@pytest.mark.parametrize("outcome", [429, 503, NetworkFailure("Connection refused")])
def test_any_other_request_is_sent_once(method: str, outcome: int | NetworkFailure) -> None:
    assert not may_retry(method, outcome)


@pytest.mark.parametrize("outcome", [429, 503, NetworkFailure("Connection refused")])
def test_a_request_of_any_method_is_repeated_when_its_maker_promises_that_it_does_the_same_twice(
    outcome: int | NetworkFailure,
) -> None:
    assert may_retry("POST", outcome, repeatable=True)
    assert not may_retry("POST", 500, repeatable=True)


@pytest.mark.parametrize(
    "outcome", [200, 404, 500, 502, 504, NetworkFailure("Name not found", retryable=False)]
)
def test_what_would_only_happen_again_is_not_repeated(outcome: int | NetworkFailure) -> None:
    assert not may_retry("GET", outcome)


def test_the_wait_doubles_and_is_spread_over_its_second_half() -> None:
    assert [retry_delay(further, None, 0.0) for further in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert [retry_delay(further, None, 1.0) for further in (1, 2, 3)] == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_retry_waits_as_long_as_the_server_asked(chance: float) -> None:
    assert 7 <= retry_delay(1, 7, chance) <= 7.5
