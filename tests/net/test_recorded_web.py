"""The recorded web that ships with the package: whole, reproducible, and of every kind that readers
meet.
"""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
import zlib
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from lxml import html
from warcio.archiveiterator import ArchiveIterator

from tests.net.recordings import replay
from webquarry._search.models import Query, Result
from webquarry._search.router import Router
from webquarry._search.scholarly.provider import Scholarly
from webquarry.clock import FrozenClock
from webquarry.errors import NotRecorded
from webquarry.net.archive.replay import Replay, demo_recording
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.settings import Settings

PROJECT = Path(__file__).parents[2]
GENERATOR = PROJECT / "scripts" / "recorded_web.py"
ENGINES = {
    "api.search.brave.com",
    "www.googleapis.com",
    "html.duckduckgo.com",
    "api.duckduckgo.com",
    "127.0.0.1",  # a local model
}
ENGINES |= {
    urlsplit(index.origin).netloc
    for index in members_of("webquarry._search.scholarly.providers", Scholarly)
}
SOMEBODY = {
    "BRAVE_API_KEY": "somebody-elses-key",
    "GOOGLE_SEARCH_API_KEY": "g-key-17",
    "GOOGLE_SEARCH_ENGINE_ID": "a:b17",
    "HOME": "/nowhere",
}
Found = tuple[httpx2.Request, int, bytes]


@cache
def exchanges() -> list[Found]:
    """Every recorded request with the status and the body of its answer as sent, read by warcio."""
    answers: dict[str, tuple[int, bytes]] = {}
    found: list[Found] = []
    with demo_recording().open("rb") as file:
        for record in ArchiveIterator(file):
            body = record.raw_stream.read() if record.rec_type != "warcinfo" else b""
            if record.rec_type == "response":
                status = int(record.http_headers.get_statuscode())
                answers[record.rec_headers.get_header("WARC-Record-ID")] = (status, body)
            elif record.rec_type == "request":
                headers = record.http_headers.headers
                url = record.rec_headers.get_header("WARC-Target-URI")
                request = httpx2.Request(
                    record.http_headers.protocol, url, headers=headers, content=body
                )
                found.append(
                    (request, *answers[record.rec_headers.get_header("WARC-Concurrent-To")])
                )
    return found


@cache
def pages() -> dict[str, httpx2.Response]:
    """Every page by its address; robots.txt files and search engines left out."""
    requests = [request for request, _, _ in exchanges() if request.url.host not in ENGINES]
    return {
        str(request.url): reply
        for request, reply in zip(requests, replay(demo_recording(), *requests), strict=True)
        if request.url.path != "/robots.txt"
    }


def strings(content: bytes, path: str) -> list[str]:
    """What an XPath finds in a page."""
    found = html.fromstring(content).xpath(path)
    assert isinstance(found, list)
    return [str(item) for item in found]


def page(address: str) -> httpx2.Response:
    return pages()[f"https://{address}"]


@pytest.mark.skipif(
    "ng" in zlib.ZLIB_RUNTIME_VERSION, reason="this zlib packs the same content into other bytes"
)
def test_the_script_makes_the_shipped_file_again_to_the_byte(tmp_path: Path) -> None:
    if not GENERATOR.exists():
        pytest.skip("the scripts are not here")
    made = tmp_path / "web.warc.gz"

    subprocess.run([sys.executable, str(GENERATOR), str(made)], check=True)

    assert made.read_bytes() == demo_recording().read_bytes(), (
        "the sources have changed: run `make generate`"
    )


def test_every_exchange_can_be_replayed_as_it_was_sent() -> None:
    async def bodies() -> list[tuple[int, bytes]]:
        found = []
        async with httpx2.AsyncClient(transport=Replay(demo_recording()).transport()) as client:
            for request, _, _ in exchanges():
                reply = await client.send(request, stream=True)
                found.append(
                    (reply.status_code, b"".join([chunk async for chunk in reply.aiter_raw()]))
                )
                await reply.aclose()
        return found

    assert asyncio.run(bodies()) == [(status, body) for _, status, body in exchanges()]


def test_its_moment_stays_the_same_whatever_is_added() -> None:
    assert Replay(demo_recording()).moment == datetime(2026, 11, 10, 9, 0, tzinfo=UTC)


def test_nothing_of_the_machine_that_made_it_is_in_it() -> None:
    written = gzip.decompress(demo_recording().read_bytes())

    for trace in (
        PROJECT,
        "recorded-web-brave-key",
        "recorded-web-google-key",
        "recorded-web-engine-id",
    ):
        assert str(trace).encode() not in written


# What the pages are


# With our own client


def open_client() -> Client:
    recording = Replay(demo_recording())
    transport = recording.transport()
    return Client(Settings(), FrozenClock(recording.moment), pages=transport, providers=transport)


def test_a_redirect_chain_ends_at_the_article() -> None:
    async def run() -> tuple[str, tuple[str, ...]]:
        async with open_client() as client:
            reply = await client.fetch("http://tidelines.example/s/4821")
            return reply.url, reply.hops

    assert asyncio.run(run()) == (
        "https://tidelines.example/2026/09/storing-the-tide",
        ("http://tidelines.example/s/4821", "https://tidelines.example/s/4821"),
    )


def test_a_page_outside_the_recorded_web_is_not_recorded() -> None:
    async def run() -> None:
        async with open_client() as client:
            await client.fetch("https://tidelines.example/2026/10/never-written")

    with pytest.raises(NotRecorded, match=r"GET https://tidelines\.example/2026/10/never-written"):
        asyncio.run(run())


def search(provider: str, query: Query) -> list[Result]:
    async def run() -> list[Result]:
        async with open_client() as client:
            return await Router(client, Settings(), SOMEBODY).search(provider, query)

    return asyncio.run(run())


@pytest.mark.parametrize("count", [3, 5, 10, 20])
@pytest.mark.parametrize("provider", ["brave", "google"])
def test_a_search_with_anybodys_key_leads_to_pages_of_the_recorded_web(
    provider: str, count: int
) -> None:
    results = search(provider, Query("tidal energy storage", count))

    assert len(results) == min(count, {"brave": 9, "google": 8}[provider])
    assert {result.url for result in results} <= set(pages())
    assert "https://tidelines.example/2026/09/storing-the-tide" in {
        result.url for result in results
    }


@pytest.mark.parametrize("provider", ["brave", "google"])
def test_a_search_that_finds_nothing_is_recorded_too(provider: str) -> None:
    assert search(provider, Query("zqxv kplm nothing")) == []


@pytest.mark.parametrize(
    ("provider", "answered"),
    [("brave", ("api.search.brave.com", 422)), ("google", ("www.googleapis.com", 200))],
    ids=["brave", "google"],
)
def test_the_probe_of_a_provider_succeeds(
    monkeypatch: pytest.MonkeyPatch, provider: str, answered: tuple[str, int]
) -> None:
    """Brave is sent a search without a query, which it refuses at no cost."""
    asked: list[tuple[str, int]] = []
    send = Client.send

    async def noting(client: Client, request: httpx2.Request, **options: float | None) -> Reply:
        reply = await send(client, request, **options)
        asked.append((request.url.host, reply.status))
        return reply

    async def run() -> None:
        async with open_client() as client:
            await Router(client, Settings(), SOMEBODY).probe(provider)

    monkeypatch.setattr(Client, "send", noting)
    asyncio.run(run())
    assert asked == [answered]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_duckduckgos_page_leads_to_pages_of_the_recorded_web(method: str) -> None:
    url, fields = "https://html.duckduckgo.com/html/", {"q": "tidal energy storage"}
    request = (
        httpx2.Request("GET", url, params=fields)
        if method == "GET"
        else httpx2.Request("POST", url, data=fields)
    )
    (reply,) = replay(demo_recording(), request)
    links = strings(
        reply.content, "//div[contains(@class, 'web-result')]//a[@class='result__a']/@href"
    )
    bare = [
        parse_qs(urlsplit(link).query)["uddg"][0]
        if link.startswith("//duckduckgo.com/l/")
        else link
        for link in links
    ]

    assert len(bare) == 8
    assert set(bare) <= set(pages())
    assert b"result--ad" in reply.content
    assert (bare == links) == (method == "POST")
