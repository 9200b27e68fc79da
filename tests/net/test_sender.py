from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2
import pytest

from tests.net.doubles import SITE, FakeClock, FakeWeb, Page, fetch, redirect, text
from webquarry.errors import NetworkFailure


def test_temporary_failure_is_retried_up_to_the_limit() -> None:
    web = FakeWeb({f"{SITE}/page": httpx2.ReadError("")})

    with pytest.raises(NetworkFailure, match="before the answer was complete"):
        fetch(web, retries=2)
    assert len(web.asked()) == 3


@pytest.mark.parametrize(
    "failure", [httpx2.ConnectTimeout(""), text("busy", 503), text("slow down", 429)]
)
def test_the_page_that_comes_at_last_is_returned(failure: Page) -> None:
    clock = FakeClock()
    web = FakeWeb({f"{SITE}/page": [failure, failure, text("hello")]})

    assert fetch(web, clock=clock, robots=False).body == b"hello"
    assert 0.25 <= clock.waits[0] <= 0.5 <= clock.waits[1] <= 1.0


def test_retry_after_is_waited_for() -> None:
    clock = FakeClock()
    web = FakeWeb({f"{SITE}/page": [text("", 429, headers={"Retry-After": "7"}), text("hello")]})

    assert fetch(web, clock=clock).body == b"hello"
    assert 7 <= clock.seconds <= 7.5


@pytest.mark.parametrize("status", [429, 503])
def test_a_retry_after_beyond_the_deadline_ends_the_call_at_once(status: int) -> None:
    clock = FakeClock()
    web = FakeWeb({f"{SITE}/page": text("", status, headers={"Retry-After": "31"})})

    assert fetch(web, clock=clock, timeout_seconds=30).status == status
    assert clock.waits == []
    assert len(web.asked()) == 1


def test_the_tries_belong_to_the_whole_call_not_to_every_hop() -> None:
    web = FakeWeb(
        {
            f"{SITE}/page": [httpx2.ReadError(""), redirect("/next")],
            f"{SITE}/next": [httpx2.ReadError(""), httpx2.ReadError(""), text("there")],
        }
    )

    with pytest.raises(NetworkFailure):
        fetch(web, retries=2)
    assert len(web.asked()) == 4


def test_a_body_that_breaks_off_is_read_again() -> None:
    class Broken(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"half of"
            raise httpx2.ReadError("")

    web = FakeWeb({f"{SITE}/page": [httpx2.Response(200, stream=Broken()), text("the whole")]})

    assert fetch(web).body == b"the whole"


class Endless(httpx2.AsyncByteStream):
    def __init__(self) -> None:
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            self.taken += 1
            yield b"x" * 10_000


def test_a_redirect_is_followed_without_waiting_for_the_end_of_its_body() -> None:
    body = Endless()
    moved = httpx2.Response(302, headers={"Location": "/next"}, stream=body)

    assert fetch(FakeWeb({f"{SITE}/page": moved, f"{SITE}/next": text("there")})).body == b"there"
    assert body.taken < 10


def test_a_flood_of_headers_is_an_error_that_is_not_worth_repeating() -> None:
    flood = text("hello", headers={f"x-{number}": "v" for number in range(1001)})
    web = FakeWeb({f"{SITE}/page": flood})

    with pytest.raises(NetworkFailure, match="more than 1000 headers"):
        fetch(web)
    assert len(web.asked()) == 1
