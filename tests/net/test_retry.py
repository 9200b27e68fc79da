from __future__ import annotations

import pytest

from webquarry.errors import NetworkFailure
from webquarry.net.http.retry import compute_wait, may_repeat


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])
@pytest.mark.parametrize("outcome", [429, 503, NetworkFailure("Connection refused")])
def test_a_request_that_does_the_same_twice_is_repeated(
    method: str, outcome: int | NetworkFailure
) -> None:
    assert may_repeat(method, outcome)


@pytest.mark.parametrize("method", ["POST", "PATCH", "QUERY"])
@pytest.mark.parametrize("outcome", [429, 503, NetworkFailure("Connection refused")])
def test_any_other_request_is_sent_once(method: str, outcome: int | NetworkFailure) -> None:
    assert not may_repeat(method, outcome)


@pytest.mark.parametrize("outcome", [429, 503, NetworkFailure("Connection refused")])
def test_a_request_of_any_method_is_repeated_when_its_maker_promises_that_it_does_the_same_twice(
    outcome: int | NetworkFailure,
) -> None:
    assert may_repeat("POST", outcome, promised=True)
    assert not may_repeat("POST", 500, promised=True)


@pytest.mark.parametrize(
    "outcome", [200, 404, 500, 502, 504, NetworkFailure("Name not found", retryable=False)]
)
def test_what_would_only_happen_again_is_not_repeated(outcome: int | NetworkFailure) -> None:
    assert not may_repeat("GET", outcome)


def test_the_wait_doubles_and_is_spread_over_its_second_half() -> None:
    assert [compute_wait(further, None, 0.0) for further in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert [compute_wait(further, None, 1.0) for further in (1, 2, 3)] == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_nobody_comes_back_before_the_server_said(chance: float) -> None:
    assert 7 <= compute_wait(1, 7, chance) <= 7.5
