from __future__ import annotations

import httpx2
import pytest

from tests.net.doubles import SITE, START, FakeWeb, Silent, fetch, text
from webquarry.errors import NetworkFailure, Refused


def test_a_page_comes_back_with_its_address_status_headers_and_time() -> None:
    reply = fetch(FakeWeb({f"{SITE}/page": text("hello")}))

    assert (reply.url, reply.status, reply.body, reply.hops) == (f"{SITE}/page", 200, b"hello", ())
    assert reply.content_type == "text/html"
    assert reply.fetched_at == START


@pytest.mark.parametrize("status", [304, 401, 418, 500])
def test_any_status_is_returned_and_none_of_these_is_asked_twice(status: int) -> None:
    web = FakeWeb(
        {f"{SITE}/page": httpx2.Response(status, content=b"" if status in (204, 304) else b"sorry")}
    )

    assert fetch(web).status == status
    assert len(web.asked()) == 1


def test_a_page_request_says_who_we_are_and_nothing_about_the_user() -> None:
    web = FakeWeb({f"{SITE}/page": text("hello")})
    fetch(web, f"{SITE}/page#part", user_agent="webquarry/9")

    headers = web.requests[-1].headers
    assert headers["user-agent"] == "webquarry/9"
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert headers["accept"].startswith("text/html")
    assert sorted(headers) == ["accept", "accept-encoding", "accept-language", "host", "user-agent"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://localhost/", "file:///etc/passwd", "ftp://site.example/"]
)
def test_an_address_that_the_guard_refuses_is_not_even_asked_for_robots_txt(url: str) -> None:
    web = FakeWeb({})

    with pytest.raises(Refused):
        fetch(web, url)
    assert web.requests == []


def test_the_deadline_ends_a_call_and_the_error_says_what_it_was_doing() -> None:
    with pytest.raises(NetworkFailure) as caught:
        fetch(Silent({}), robots=False, timeout_seconds=0.05)

    assert "took longer than 0.05 s" in caught.value.message
    assert "waiting for the answer of site.example" in caught.value.message
    assert caught.value.retryable


def test_waiting_for_robots_txt_counts_into_the_deadline() -> None:
    with pytest.raises(NetworkFailure, match=r"reading the robots\.txt of site\.example"):
        fetch(Silent({}), timeout_seconds=0.05)
