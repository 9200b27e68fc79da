"""Requests of a page: passed on, redirected, blocked and counted."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import httpx2
import pytest

from tests.net.doubles import START, FakeClock, FakeWeb, settings_with
from webquarry._read.browser import requests
from webquarry._read.browser.requests import BrowserAnswer, PageRequests
from webquarry.net.client import Client
from webquarry.net.models import Reply

PAGE = "https://site.example/page"
FIRST = Reply(PAGE, 200, httpx2.Headers({"content-type": "text/html"}), b"<p>first", START)


def event(
    url: str,
    kind: str = "XHR",
    method: str = "GET",
    body: bytes = b"",
    headers: dict[str, str] | None = None,
) -> dict[str, Any]:
    """A paused request as the browser reports it."""
    request: dict[str, Any] = {"url": url, "method": method, "headers": headers or {}}
    if body:
        request["postDataEntries"] = [{"bytes": base64.b64encode(body).decode()}]
    return {"requestId": "R", "resourceType": kind, "request": request}


def ask(
    web: FakeWeb, *events: dict[str, Any], first: Reply | None = FIRST, is_main: bool = False
) -> tuple[list[BrowserAnswer], PageRequests]:
    async def run() -> tuple[list[BrowserAnswer], PageRequests]:
        settings = settings_with(retries=0)
        async with Client(settings, FakeClock(), pages=web) as client:
            page = PageRequests(client, PAGE, first, 10.0)
            if first is not None:
                await page.answer(event(PAGE, "Document"), is_main=True)
            return [await page.answer(one, is_main=is_main) for one in events], page

    return asyncio.run(run())


def is_failed(answer: BrowserAnswer) -> bool:
    return answer.method == "Fetch.failRequest"


def sent(web: FakeWeb) -> list[httpx2.Request]:
    """Return the requests except those of robots.txt."""
    return [request for request in web.requests if request.url.path != "/robots.txt"]


def test_fetched_page_is_not_requested_again() -> None:
    web = FakeWeb({})
    _, page = ask(web)

    assert page.document == FIRST
    assert web.requests == []


def test_redirected_page_is_requested_again_for_its_cookies() -> None:
    hopped = Reply(PAGE, 200, FIRST.headers, b"", START, hops=("https://site.example/",))
    web = FakeWeb({PAGE: httpx2.Response(200, headers={"content-type": "text/html"}, content=b"x")})

    ask(web, first=hopped)

    assert [str(request.url) for request in sent(web)] == [PAGE]


@pytest.mark.parametrize(
    "kind", ["Image", "Font", "Media", "EventSource", "WebSocket", "Ping", "Prefetch", "Manifest"]
)
def test_types_without_text_are_not_requested(kind: str) -> None:
    web = FakeWeb({})
    (answer,), _ = ask(web, event("https://site.example/x", kind))

    assert is_failed(answer)
    assert sent(web) == []


def test_headers_and_cookies_are_passed_on_except_our_own() -> None:
    url = "https://site.example/api"
    web = FakeWeb({url: httpx2.Response(200, content=b"{}")})
    headers = {"Cookie": "a=1", "X-Token": "t", "User-Agent": "Mozilla/5.0", "Host": "evil.example"}
    (answer,), _ = ask(web, event(url, headers=headers))

    (request,) = sent(web)
    assert answer.method == "Fetch.fulfillRequest"
    assert (request.headers["cookie"], request.headers["x-token"]) == ("a=1", "t")
    assert request.headers["user-agent"].startswith("webquarry/")
    assert request.headers["host"] == "site.example"


def test_redirect_is_passed_to_the_browser_with_its_cookies() -> None:
    url = "https://site.example/go"
    hop = httpx2.Response(
        302, headers=[("location", "/x"), ("set-cookie", "a"), ("set-cookie", "b")]
    )
    (answer,), _ = ask(FakeWeb({url: hop}), event(url))

    headers = [(one["name"], one["value"]) for one in answer.parameters["responseHeaders"]]
    assert answer.parameters["responseCode"] == 302
    assert [value for name, value in headers if name == "set-cookie"] == ["a", "b"]
    assert ("location", "/x") in headers


def test_body_is_passed_decoded() -> None:
    import gzip

    url = "https://site.example/data"
    packed = gzip.compress(b"plain words")
    reply = httpx2.Response(
        200, headers={"content-encoding": "gzip"}, stream=httpx2.ByteStream(packed)
    )
    (answer,), _ = ask(FakeWeb({url: reply}), event(url))

    names = {one["name"].lower() for one in answer.parameters["responseHeaders"]}
    assert base64.b64decode(answer.parameters["body"]) == b"plain words"
    assert not {"content-encoding", "content-length"} & names


def test_post_is_allowed_to_the_own_site_only() -> None:
    own = "https://api.site.example/graphql"
    web = FakeWeb({own: httpx2.Response(200, content=b"ok")})
    body = b"\x00\xffquery"
    answers, _ = ask(
        web,
        event(own, method="POST", body=body),
        event("https://other.example/x", method="POST", body=body),
        event(own, method="DELETE"),
    )

    assert [is_failed(answer) for answer in answers] == [False, True, True]
    assert [(request.method, request.content) for request in sent(web)] == [("POST", body)]


def test_private_addresses_and_other_schemes_are_blocked() -> None:
    urls = [
        "http://127.0.0.1/",
        "http://[::1]/",
        "file:///etc/passwd",
        "ftp://x.example/",
        "http://0/",
    ]
    web = FakeWeb({})
    answers, _ = ask(web, *(event(url) for url in urls))

    assert all(map(is_failed, answers))
    assert web.requests == []


def test_robots_txt_applies_to_documents_only() -> None:
    robots = httpx2.Response(200, content=b"User-agent: *\nDisallow: /")
    data = httpx2.Response(200, content=b"{}")
    web = FakeWeb({"https://frame.example/robots.txt": robots, "https://frame.example/a": data})
    answers, page = ask(
        web, event("https://frame.example/f", "Document"), event("https://frame.example/a")
    )

    assert [is_failed(answer) for answer in answers] == [True, False]
    assert page.blocked_frames == 1


def test_requests_posts_and_bytes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://site.example/a"
    web = FakeWeb({url: lambda _: httpx2.Response(200, content=b"x" * 400)})
    monkeypatch.setattr(requests, "MAX_REQUESTS", 3)
    answers, page = ask(web, *[event(url)] * 4)
    assert [is_failed(answer) for answer in answers] == [False, False, False, True]
    assert page.is_over_budget

    monkeypatch.setattr(requests, "MAX_REQUESTS", 100)
    monkeypatch.setattr(requests, "MAX_BYTES", 1_000)
    answers, page = ask(web, *[event(url)] * 4)
    assert [is_failed(answer) for answer in answers] == [False, False, True, True]
    assert page.is_over_budget

    answers, page = ask(web, *[event(url, method="POST", body=b"x")] * 21)
    assert is_failed(answers[-1])


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "application/pdf"},
        {"content-type": "text/html", "content-disposition": "attachment; filename=x"},
    ],
)
def test_download_is_an_error_unless_the_page_is_loaded(
    headers: dict[str, str],
) -> None:
    url = "https://site.example/file"
    web = FakeWeb({url: httpx2.Response(200, headers=headers, content=b"x")})
    (answer,), page = ask(web, event(url, "Document"), is_main=True, first=None)
    assert is_failed(answer)
    assert page.failure is not None
    assert "not a page" in page.failure.sentence

    (stays,), page = ask(web, event(url, "Document"), is_main=True)
    assert stays.parameters["responseCode"] == 204
    assert (page.document, page.failure) == (FIRST, None)


def test_requests_are_answered_in_order_for_a_replay() -> None:
    async def run() -> list[str]:
        slow = asyncio.Event()

        class Web(FakeWeb):
            async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
                if request.url.path == "/slow":
                    await slow.wait()
                return httpx2.Response(200, content=b"x")

        done: list[str] = []
        async with Client(settings_with(robots=False), FakeClock(), pages=Web({})) as client:
            page = PageRequests(client, PAGE, None, 10.0, in_order=True)

            async def answer(path: str) -> None:
                await page.answer(event(f"https://site.example/{path}"), is_main=False)
                done.append(path)

            tasks = [asyncio.ensure_future(answer(path)) for path in ("slow", "quick")]
            for _ in range(20):
                await asyncio.sleep(0)
            assert done == []
            slow.set()
            await asyncio.gather(*tasks)
        return done

    assert asyncio.run(run()) == ["slow", "quick"]
