from __future__ import annotations

import traceback

import httpx2
import pytest

from tests.net.doubles import FakeWeb, Page, redirect, send, text
from webquarry.errors import NetworkFailure, Refused, WebquarryError
from webquarry.secret import Secret


def test_a_provider_gets_its_request_as_it_made_it_with_our_name_added() -> None:
    web = FakeWeb({"https://api.example/search": text("{}")})
    request = httpx2.Request(
        "POST", "https://api.example/search", json={"q": "otters"}, headers={"X-Key": "abc"}
    )
    send(web, request, user_agent="webquarry/9")

    sent = web.requests[0]
    assert (sent.method, sent.content, sent.headers["x-key"]) == ("POST", b'{"q":"otters"}', "abc")
    assert sent.headers["user-agent"] == "webquarry/9"
    assert sent.headers["content-length"] == "14"
    assert "user-agent" not in request.headers
    assert web.asked(robots=True) == ["https://api.example/search"]


def test_a_provider_may_live_on_a_private_address() -> None:
    assert send(
        FakeWeb({"http://127.0.0.1:9000/": text("{}")}),
        httpx2.Request("GET", "http://127.0.0.1:9000/"),
    ).body


def test_the_password_in_a_base_url_becomes_a_header_and_leaves_the_address() -> None:
    web = FakeWeb({"https://api.example/": text("{}")})
    reply = send(web, httpx2.Request("GET", "https://user:hunter22@api.example/"))

    assert web.requests[0].headers["authorization"] == "Basic dXNlcjpodW50ZXIyMg=="
    assert reply.url == "https://api.example/"


def test_a_redirect_within_the_origin_keeps_the_key_and_the_method_as_http_says() -> None:
    web = FakeWeb(
        {
            "https://api.example/kept": redirect("/v2", 307),
            "https://api.example/moved": redirect("/v2", 303),
            "https://api.example/v2": text("{}"),
        }
    )
    for path in ("kept", "moved"):
        send(
            web,
            httpx2.Request(
                "POST", f"https://api.example/{path}", content=b"q", headers={"X-Key": "abc"}
            ),
        )

    kept, moved = web.requests[1], web.requests[3]
    assert (kept.method, kept.content, kept.headers["x-key"]) == ("POST", b"q", "abc")
    assert (moved.method, moved.content, moved.headers["x-key"]) == ("GET", b"", "abc")
    assert "content-length" not in moved.headers


@pytest.mark.parametrize(
    "location",
    [
        "https://other.example/",
        "http://api.example/",
        "https://api.example:8443/",
        "//other.example/",
    ],
)
def test_a_request_with_a_key_never_leaves_its_origin(location: str) -> None:
    web = FakeWeb({"https://api.example/": redirect(location, 308)})

    with pytest.raises(Refused, match="another origin"):
        send(web, httpx2.Request("GET", "https://api.example/", headers={"X-Key": "abc"}))
    assert web.asked() == ["https://api.example/"]


@pytest.mark.parametrize(("method", "times"), [("GET", 3), ("POST", 1)])
@pytest.mark.parametrize("failure", [httpx2.ReadError(""), text("", 503), text("", 429)])
def test_only_a_request_that_is_safe_to_repeat_is_repeated(
    method: str, times: int, failure: Page
) -> None:
    web = FakeWeb({"https://api.example/": failure})

    try:
        reply = send(web, httpx2.Request(method, "https://api.example/"), retries=2)
    except NetworkFailure:
        assert isinstance(failure, httpx2.ReadError)
    else:
        assert reply.status in (429, 503)
    assert len(web.requests) == times


CANARY = "canary-key-8c1f"
FAILURES: list[Page] = [
    httpx2.ConnectError(f"cannot connect with {CANARY}"),
    httpx2.LocalProtocolError(f"Illegal header value b'{CANARY}\\n'"),
    httpx2.RemoteProtocolError(f"illegal header line: {CANARY}"),
    httpx2.ProxyError(f"407 for {CANARY}"),
    ValueError(CANARY),
    redirect(f"https://other.example/?key={CANARY}"),
    redirect(f"/?key={CANARY}"),
    text(CANARY, headers={"Content-Encoding": "gzip"}),
    text(CANARY, headers={"Content-Encoding": CANARY}),
    text("x" * 2000),
]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_key_in_a_request_never_appears_in_an_error(failure: Page) -> None:
    key = Secret(CANARY)
    url = f"https://api.example/?key={key.reveal()}"
    web = FakeWeb({url: failure})
    request = httpx2.Request("GET", url, headers={"X-Subscription-Token": key.reveal()})

    with pytest.raises(WebquarryError) as caught:
        send(web, request, retries=0, max_bytes=1024)
    shown = f"{caught.value!r} {caught.value} {caught.value.as_dict()}"
    assert CANARY not in shown
    if isinstance(failure, httpx2.LocalProtocolError):
        assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_the_addresses_of_a_providers_reply_are_without_its_key() -> None:
    key = Secret(CANARY)
    first, last = (
        f"https://api.example/{page}?cx=1&key={key.reveal()}" for page in ("first", "last")
    )
    reply = send(FakeWeb({first: redirect(last), last: text("{}")}), httpx2.Request("GET", first))

    assert reply.url == "https://api.example/last?cx=1&key=***"
    assert reply.hops == ("https://api.example/first?cx=1&key=***",)
