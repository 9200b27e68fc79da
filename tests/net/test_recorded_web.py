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
from urllib.parse import urlsplit

import httpx2
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.net.recordings import replay
from webquarry._search.models import Query, Result
from webquarry._search.router import Router
from webquarry._search.scholarly.provider import Scholarly
from webquarry.clock import FrozenClock
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


def search(provider: str, query: Query) -> list[Result]:
    async def run() -> list[Result]:
        async with open_client() as client:
            return await Router(client, Settings(), SOMEBODY).search(provider, query)

    return asyncio.run(run())


@pytest.mark.parametrize("count", [5, 20])
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
            router = Router(client, Settings(), SOMEBODY)
            await router.services.probe(router.provider(provider))

    monkeypatch.setattr(Client, "send", noting)
    asyncio.run(run())
    assert asked == [answered]
