"""Secrets: nowhere in a recording, and of no weight when an answer is looked up."""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import httpx2
import pytest

from tests.net.loopback import message
from tests.net.recordings import ask, check, record, record_mock, records_of, replay, text_of
from webquarry import secret
from webquarry.errors import NotRecorded
from webquarry.secret import Masker, Secret

CANARY = "canary/7f3a+91c0=key"


@pytest.fixture(autouse=True)
def forget_secrets() -> Iterator[None]:
    known = set(secret._KNOWN)
    yield
    secret._KNOWN.clear()
    secret._KNOWN.update(known)


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return tmp_path / "web.warc.gz"


def secret_places() -> list[httpx2.Request]:
    url = "https://tide.example/search"
    key = Secret(CANARY).reveal()
    return [
        httpx2.Request("GET", url, params={"q": "ebb", "key": key}),
        httpx2.Request("GET", url, params={"q": "ebb", "engine": key}),
        httpx2.Request(
            "GET", f"{url}/{httpx2.URL(f'https://x.example/{key}').raw_path.decode()[1:]}"
        ),
        httpx2.Request(
            "GET",
            url,
            headers={"Authorization": f"Bearer {key}", "X-Other": key, "Cookie": f"a={key}"},
        ),
        httpx2.Request("POST", url, data={"q": "ebb", "k": key}),
        httpx2.Request("POST", url, json={"q": "ebb", "k": key}),
        httpx2.Request("POST", url, json={"q": "ebb", "deep": [{"k": key}]}),
    ]


def echo(request: httpx2.Request) -> httpx2.Response:
    """A server that gives away whatever it was sent, in every place that it has, compressed."""
    said = f"{request.url} {request.headers!s} {CANARY} {request.content.decode()}".encode() * 50
    headers = {
        "Content-Encoding": "gzip",
        "X-Echo": CANARY,
        "Set-Cookie": f"sid={CANARY}; Path=/; HttpOnly",
        "Location": f"https://tide.example/next?q=ebb&token={CANARY}",
    }
    return httpx2.Response(200, headers=headers, content=gzip.compress(said))


@pytest.mark.parametrize("number", range(7))
def test_a_secret_is_nowhere_in_the_recording(warc: Path, number: int) -> None:
    request = secret_places()[number]
    record_mock(warc, echo, request)
    written = text_of(warc)

    assert b"canary" not in written
    assert b"7f3a" not in written
    assert b"***" in written
    assert check(warc) == 0


ENCODINGS: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "percent in lower case": lambda text: quote(text, safe="").replace("%2F", "%2f"),
    "plus": quote_plus,
    "html": html.escape,
    "json": lambda text: json.dumps(text)[1:-1],
    "json with escaped slashes": lambda text: text.replace("/", "\\/"),
    "json of numbers": lambda text: text.replace("/", "\\u002f").replace("+", "\\u002b"),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_secret_that_a_server_returns_escaped_is_masked(name: str) -> None:
    text = ENCODINGS[name](CANARY)

    written = Masker({CANARY}).mask(f"before {text} behind".encode()).decode()

    assert written == "before *** behind"


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
def test_a_secret_in_a_login_is_masked_in_base64_too(before: str) -> None:
    login = base64.b64encode(f"{before}{CANARY}, and more".encode()).decode()

    written = Masker({CANARY}).mask(f'{{"auth": "Basic {login}"}}'.encode()).decode()

    assert login not in written
    assert "***" in written


def test_headers_of_any_bytes_are_recorded_and_replayed_as_they_were_sent(warc: Path) -> None:
    Secret(CANARY)
    odd = [(b"X-Note", b"caf\xe9"), (b"ETag", b"\xc3\xa9"), (b"Content-Encoding", b"\xe9")]
    request = httpx2.Request("GET", "https://tide.example/odd")
    record_mock(warc, lambda _: httpx2.Response(200, headers=odd, content=b"ebb"), request)

    (reply,) = replay(warc, request)

    assert [pair for pair in reply.headers.raw if pair in odd] == odd


@pytest.mark.skipif(os.name != "posix", reason="other systems have other permissions")
def test_a_recording_is_for_its_owner_alone(warc: Path) -> None:
    record_mock(warc, echo, secret_places()[0])

    assert stat.S_IMODE(warc.stat().st_mode) == 0o600


@pytest.mark.parametrize("number", range(7))
def test_another_key_at_replay_finds_the_same_answer(
    warc: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_mock(warc, echo, secret_places()[number])
    monkeypatch.setitem(globals(), "CANARY", "another-key-altogether")

    (reply,) = replay(warc, secret_places()[number])

    assert reply.status_code == 200
    assert b"***" in reply.content


def test_a_masked_body_is_replayed_unpacked_with_its_right_length(warc: Path) -> None:
    request = secret_places()[0]
    record_mock(warc, echo, request)

    (reply,) = replay(warc, request)

    assert "content-encoding" not in reply.headers
    assert int(reply.headers["content-length"]) == len(reply.content)
    assert reply.headers["set-cookie"] == "sid=***; Path=/; HttpOnly"
    assert reply.headers["location"] == "https://tide.example/next?q=ebb&token=***"


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("https://tide.example/s?q=ebb&key=abc", "https://tide.example/s?q=ebb"),
        ("https://tide.example/s?q=ebb", "https://tide.example/s?q=ebb&API_KEY=abc"),
        ("https://tide.example/s?key=abc&q=ebb", "https://tide.example/s?q=ebb&key=other"),
        ("https://tide.example/s?token=abc", "https://tide.example/s"),
        ("https://user:word@tide.example/s", "https://tide.example/s#part"),
        ("https://tide.example/s?cx=012:abc&q=ebb", "https://tide.example/s?cx=other&q=ebb"),
    ],
)
def test_a_key_in_the_address_or_its_absence_does_not_matter(
    warc: Path, recorded: str, asked: str
) -> None:
    record_mock(warc, lambda _: httpx2.Response(200, text="found"), httpx2.Request("GET", recorded))

    assert replay(warc, httpx2.Request("GET", asked))[0].text == "found"
    assert b"=abc" not in text_of(warc)
    assert b"word" not in text_of(warc)


def test_redirect_with_an_unknown_token_is_followed_without_it(warc: Path) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/old":
            return httpx2.Response(
                302, headers={"Location": "https://tide.example/new?q=ebb&token=t0k-91c0&p=1"}
            )
        return httpx2.Response(200, text="found")

    first = httpx2.Request("GET", "https://tide.example/old")
    record_mock(
        warc,
        answer,
        first,
        httpx2.Request("GET", "https://tide.example/new?q=ebb&token=t0k-91c0&p=1"),
    )
    (moved,) = replay(warc, first)

    assert b"t0k-91c0" not in text_of(warc)
    assert moved.headers["location"] == "https://tide.example/new?q=ebb&token=***&p=1"
    assert replay(warc, httpx2.Request("GET", moved.headers["location"]))[0].text == "found"


@pytest.mark.parametrize("form", ["json", "data"])
def test_a_key_in_the_body_or_its_absence_does_not_matter(warc: Path, form: str) -> None:
    def post(**fields: str) -> httpx2.Request:
        content: Any = {form: fields}
        return httpx2.Request("POST", "https://tide.example/s", **content)

    record_mock(
        warc, lambda _: httpx2.Response(200, text="found"), post(api_key="tvly-unknown", q="ebb")
    )

    assert [
        reply.text for reply in replay(warc, post(api_key="other", q="ebb"), post(q="ebb"))
    ] == ["found", "found"]
    assert b"tvly-unknown" not in text_of(warc)
    assert check(warc) == 0
    with pytest.raises(NotRecorded):
        replay(warc, post(api_key="tvly-unknown", q="flow"))


def test_a_page_that_speaks_of_credentials_is_not_changed(warc: Path) -> None:
    Secret(CANARY)
    page = "Authorization: Bearer abc\nhttps://user:word@tide.example/?key=abc\ncookie = crumbs\n"
    request = httpx2.Request("GET", "https://tide.example/docs")
    record_mock(warc, lambda _: httpx2.Response(200, text=page), request)

    assert replay(warc, request)[0].text == page


def test_a_body_that_unpacks_to_too_much_is_left_out(
    warc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webquarry.net.archive.recorder._MAX_DECODED", 100_000)
    Secret(CANARY)
    bomb = zlib.compress(bytes(1_000_000))

    async def take_raw(client: httpx2.AsyncClient, origin: str) -> None:
        await ask(client, "GET", f"{origin}/bomb")

    record(warc, {"/bomb": message(bomb, "Content-Encoding: deflate")}, take_raw)

    assert records_of(warc, "response") == []
