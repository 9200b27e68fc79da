"""Record and replay: what went over the wire comes back, and nothing else does."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import httpx2
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.net.loopback import chunked, message, serve
from tests.net.recordings import (
    CLOCK,
    MOMENT,
    PAGE,
    Answer,
    ask,
    check,
    record,
    record_mock,
    records_of,
    replay,
    text_of,
)
from webquarry.clock import Clock, FrozenClock
from webquarry.errors import NotRecorded, RobotsRefused, TooLarge, WebquarryError
from webquarry.net.archive.recorder import Recorder
from webquarry.net.archive.replay import Replay
from webquarry.net.client import Client
from webquarry.net.guard import Guard
from webquarry.net.transport import Transport
from webquarry.settings import Settings


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return tmp_path / "web.warc.gz"


ANSWERS: dict[str, bytes | list[bytes]] = {
    "/plain": message(PAGE, "Content-Type: text/html", "X-Odd: caf\xe9"),
    "/gzip": message(gzip.compress(PAGE), "Content-Encoding: gzip"),
    "/brotli": chunked(brotli.compress(PAGE), "Content-Encoding: br"),
    "/chunked": chunked(PAGE),
    "/empty": message(b"", status="204 No Content"),
    "/large": message(bytes(range(256)) * 8192),
    "/missing": message(b"nothing here", status="404 Not Found"),
}


def test_every_kind_of_answer_comes_back_byte_for_byte_with_the_server_gone(warc: Path) -> None:
    live: dict[str, Answer] = {}

    async def fetch_all(client: httpx2.AsyncClient, origin: str) -> None:
        for path in ANSWERS:
            live[origin + path] = await ask(client, "GET", origin + path)

    async def fetch_again() -> dict[str, Answer]:
        async with httpx2.AsyncClient(transport=Replay(warc).transport()) as client:
            return {url: await ask(client, "GET", url) for url in live}

    record(warc, ANSWERS, fetch_all)

    assert asyncio.run(fetch_again()) == live


def test_other_tools_read_the_file_and_find_every_digest_right(warc: Path) -> None:
    async def fetch_all(client: httpx2.AsyncClient, origin: str) -> None:
        for path in answers:
            await ask(client, "GET", origin + path)

    answers = {
        path: answer for path, answer in ANSWERS.items() if path != "/brotli"
    }  # warcio cannot unpack it
    record(warc, answers, fetch_all)

    assert check(warc) == 0
    assert len(records_of(warc, "request")) == len(records_of(warc, "response")) == len(answers)
    assert len(records_of(warc, "warcinfo")) == 1
    for headers in records_of(warc, "response"):
        assert headers["WARC-Date"] == "2026-11-10T09:30:00Z"
        assert headers["WARC-Payload-Digest"].startswith("sha1:")
    with warc.open("rb") as file:
        bodies = [
            found.content_stream().read()
            for found in ArchiveIterator(file)
            if found.rec_type == "response"
        ]
    assert bodies[:3] == [PAGE] * 3  # also those that were compressed or chunked on the wire


def test_the_same_work_makes_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "one.warc.gz", tmp_path / "two.warc.gz"]
    for path in paths:
        request = httpx2.Request("GET", "https://tide.example/")
        record_mock(path, lambda _: httpx2.Response(200, text="ebb"), request, request)

    assert paths[0].read_bytes() == paths[1].read_bytes()
    identities = [
        headers["WARC-Record-ID"]
        for kind in ("request", "response")
        for headers in records_of(paths[0], kind)
    ]
    assert len(set(identities)) == 4


def test_an_unrecorded_request_fails_with_an_error_that_names_it(warc: Path) -> None:
    record_mock(
        warc, lambda _: httpx2.Response(200), httpx2.Request("GET", "https://tide.example/")
    )

    with pytest.raises(
        NotRecorded,
        match=r"web\.warc\.gz holds no answer to GET https://tide\.example/ebb\?q=a&key=\*\*\*\.",
    ):
        replay(warc, httpx2.Request("GET", "https://user:word@tide.example/ebb?q=a&key=abc"))


@pytest.mark.parametrize(
    "request_",
    [
        httpx2.Request("POST", "https://tide.example/"),
        httpx2.Request("GET", "http://tide.example/"),
        httpx2.Request("GET", "https://tide.example:8443/"),
        httpx2.Request("GET", "https://tide.example/?a=1"),
        httpx2.Request("GET", "https://tide.example/a"),
    ],
    ids=lambda request: f"{request.method} {request.url}",
)
def test_another_method_scheme_port_parameter_or_path_is_another_request(
    warc: Path, request_: httpx2.Request
) -> None:
    record_mock(
        warc, lambda _: httpx2.Response(200), httpx2.Request("GET", "https://tide.example/")
    )

    with pytest.raises(NotRecorded):
        replay(warc, request_)


def test_posts_to_one_url_are_distinguished_by_their_bodies(warc: Path) -> None:
    url = "https://tide.example/search"
    requests = [httpx2.Request("POST", url, data={"q": word}) for word in ("ebb", "flow")]
    record_mock(warc, lambda request: httpx2.Response(200, content=request.content), *requests)

    assert [reply.text for reply in replay(warc, *reversed(requests))] == ["q=flow", "q=ebb"]
    with pytest.raises(NotRecorded):
        replay(warc, httpx2.Request("POST", url, data={"q": "neap"}))


def test_several_answers_come_in_order_and_the_last_one_repeats(warc: Path) -> None:
    async def retry(client: httpx2.AsyncClient, origin: str) -> None:
        urls.append(f"{origin}/busy")
        for _ in range(2):
            await ask(client, "GET", urls[0])

    urls: list[str] = []
    record(warc, {"/busy": [message(b"wait", status="429 Too Many"), message(b"done")]}, retry)
    request = httpx2.Request("GET", urls[0])

    assert [reply.text for reply in replay(warc, request, request, request)] == [
        "wait",
        "done",
        "done",
    ]


def test_the_moment_is_that_of_the_newest_record(warc: Path) -> None:
    class Ticking(Clock):
        days = iter([1, 5, 3])

        def now(self) -> datetime:
            return MOMENT.replace(day=next(self.days))

    async def run() -> None:
        recorder = Recorder(warc, Ticking())
        async with httpx2.AsyncClient(
            transport=recorder.wrap(httpx2.MockTransport(lambda _: httpx2.Response(200)))
        ) as client:
            await client.get("https://tide.example/")
            await client.get("https://tide.example/2")
        recorder.close()

    asyncio.run(run())

    assert Replay(warc).moment == MOMENT.replace(day=5)


def test_a_recording_is_added_to(warc: Path) -> None:
    for word in ("ebb", "flow"):
        request = httpx2.Request("GET", f"https://tide.example/{word}")
        record_mock(warc, lambda request: httpx2.Response(200, text=request.url.path), request)

    assert [headers["WARC-Target-URI"] for headers in records_of(warc, "response")] == [
        "https://tide.example/ebb",
        "https://tide.example/flow",
    ]
    assert len(records_of(warc, "warcinfo")) == 1


# Bodies that were not read to their end


class Failing(httpx2.AsyncByteStream):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b"the first half"
        raise httpx2.ReadError("reset by peer")


async def take_first_chunk(client: httpx2.AsyncClient, url: str) -> bytes:
    async with client.stream("GET", url) as response:
        return await anext(response.aiter_raw())


def test_a_body_that_was_not_read_on_is_marked_and_never_passes_for_the_whole(warc: Path) -> None:
    async def stop_early(client: httpx2.AsyncClient, origin: str) -> None:
        urls.append(f"{origin}/large")
        await take_first_chunk(client, urls[0])

    urls: list[str] = []
    record(warc, {"/large": message(bytes(5_000_000))}, stop_early)

    assert [headers["WARC-Truncated"] for headers in records_of(warc, "response")] == ["length"]
    assert check(warc) == 0
    with pytest.raises(NotRecorded, match=r"holds only the first [\d,]+ bytes of GET http://127"):
        replay(warc, httpx2.Request("GET", urls[0]))


def test_a_connection_that_broke_breaks_again_and_the_next_try_succeeds(warc: Path) -> None:
    answers = iter([httpx2.Response(200, stream=Failing()), httpx2.Response(200, text="whole")])
    request = httpx2.Request("GET", "https://tide.example/")
    with pytest.raises(httpx2.ReadError):
        record_mock(warc, lambda _: next(answers), request)
    record_mock(warc, lambda _: next(answers), request)

    async def run() -> str:
        async with httpx2.AsyncClient(transport=Replay(warc).transport()) as client:
            with pytest.raises(httpx2.ReadError, match="after 14 bytes"):
                await client.send(request)
            return (await client.send(request)).text

    assert [headers.get("WARC-Truncated") for headers in records_of(warc, "response")] == [
        "disconnect",
        None,
    ]
    assert asyncio.run(run()) == "whole"


def test_a_body_that_took_too_long_is_marked_so(warc: Path) -> None:
    class Hanging(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"the first half"
            reached.set()
            await asyncio.Event().wait()

    async def run() -> None:
        recorder = Recorder(warc, CLOCK)
        transport = recorder.wrap(
            httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Hanging()))
        )
        async with httpx2.AsyncClient(transport=transport) as client:
            task = asyncio.create_task(client.get("https://tide.example/"))
            await reached.wait()
            task.cancel()
            await asyncio.wait([task])
        recorder.close()

    reached = asyncio.Event()
    asyncio.run(run())

    assert [headers["WARC-Truncated"] for headers in records_of(warc, "response")] == ["time"]
    with pytest.raises(httpx2.ReadError, match="after 14 bytes"):
        replay(warc, httpx2.Request("GET", "https://tide.example/"))


def test_a_request_that_got_no_answer_leaves_nothing(warc: Path) -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    with pytest.raises(httpx2.ConnectError):
        record_mock(warc, refuse, httpx2.Request("GET", "https://tide.example/"))

    assert records_of(warc, "request") == []


# With our own client


def test_the_client_gets_the_same_replies_and_errors_in_replay(warc: Path) -> None:
    answers: dict[str, bytes | list[bytes]] = {
        "/robots.txt": message(b"User-agent: *\nDisallow: /private", "Content-Type: text/plain"),
        "/old": message(b"moved", "Location: /page", "Set-Cookie: sid=s3ss10n", status="302 Found"),
        "/page": message(gzip.compress(PAGE), "Content-Encoding: gzip", "Content-Type: text/html"),
        "/busy": [message(b"wait", status="503 Busy"), message(b"done")],
        "/huge": message(bytes(100_000)),
        "/endless": chunked(bytes(200_000)),
        "/gone": message(b"", status="410 Gone"),
    }
    paths = ["/old", "/busy", "/private/x", "/huge", "/endless", "/gone"]
    configured = Settings(allow_private=True, max_bytes=50_000)

    async def outcomes(client: Client, origin: str) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        for path in paths:
            try:
                reply = await client.fetch(origin + path)
                found.append((reply.status, reply.url, reply.body, reply.hops, reply.fetched_at))
            except WebquarryError as error:
                found.append((type(error), error.message))
        return found

    async def live() -> tuple[str, list[tuple[object, ...]]]:
        recorder = Recorder(warc, CLOCK)
        transport = recorder.wrap(Transport(configured, Guard.from_settings(configured)))
        async with serve(answers) as origin, Client(configured, CLOCK, pages=transport) as client:
            found = await outcomes(client, origin)
        recorder.close()
        return origin, found

    async def again(origin: str) -> list[tuple[object, ...]]:
        recording = Replay(warc)
        clock = FrozenClock(recording.moment)
        async with Client(configured, clock, pages=recording.transport()) as client:
            return await outcomes(client, origin)

    origin, found = asyncio.run(live())

    assert [outcome for outcome, *_ in found] == [200, 200, RobotsRefused, TooLarge, TooLarge, 410]
    assert asyncio.run(again(origin)) == found
    assert b"s3ss10n" not in text_of(warc)
