"""The recorded web that ships with the package: whole, reproducible, and of every kind that readers
meet.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
import sys
import zlib
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
import pytest
from lxml import html
from warcio.archiveiterator import ArchiveIterator

from tests.net.recordings import replay
from webquarry._search.models import Query, Result
from webquarry._search.router import Router
from webquarry._search.scholarly.provider import Scholarly
from webquarry.clock import FrozenClock
from webquarry.errors import NotRecorded, RobotsRefused
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


def test_the_file_is_small_and_other_tools_find_every_digest_right() -> None:
    assert demo_recording().stat().st_size < 320_000
    with demo_recording().open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            while record.raw_stream.read(8192):
                pass


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


def test_it_is_a_web_of_more_than_25_pages_on_some_ten_hosts() -> None:
    hosts = {urlsplit(url).netloc for url in pages()}

    assert len(pages()) > 25
    assert len({host for host in hosts if host.endswith(".example")}) >= 10


def test_every_host_has_a_robots_txt_or_says_that_it_has_none() -> None:
    recorded = {str(request.url): status for request, status, _ in exchanges()}

    for url in pages():
        assert recorded[urljoin(url, "/robots.txt")] in (200, 301, 404)


def test_the_pages_link_to_one_another_across_hosts() -> None:
    links: set[tuple[str, str]] = set()
    for url, reply in pages().items():
        if reply.headers.get("content-type", "").startswith("text/html"):
            targets = {urljoin(url, href) for href in strings(reply.content, "//a/@href")}
            links |= {
                (urlsplit(url).netloc, urlsplit(target).netloc) for target in targets & set(pages())
            }

    assert len({(source, target) for source, target in links if source != target}) > 15


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


def test_a_page_in_shift_jis_says_so_only_in_its_meta() -> None:
    reply = page("umi-denki.example/kaisetsu/choryu.html")

    assert "charset" not in reply.headers["content-type"]
    assert b"charset=Shift_JIS" in reply.content
    assert "潮流発電と蓄電のしくみ" in reply.content.decode("cp932")


def test_a_page_in_windows_1252_is_called_something_else() -> None:
    reply = page("moulin-maree.example/recettes/kouign-amann")

    assert reply.headers["content-type"] == "text/html; charset=ISO-8859-1"
    assert "c’est l’œuvre du caramel" in reply.content.decode("cp1252")
    assert b"charset" not in reply.content


def test_the_pdf_is_well_formed() -> None:
    data = page("stats.marine-office.example/reports/tidal-storage-outlook.pdf").content
    start = int(data.split(b"startxref\n")[1].split()[0])
    offsets = [int(line[:10]) for line in re.findall(rb"\d{10} 00000 n ", data[start:])]

    assert data.startswith(b"%PDF-1.4\n")
    assert data[start:].startswith(b"xref\n")
    for number, offset in enumerate(offsets, 1):
        assert data[offset:].startswith(b"%d 0 obj\n" % number)
    for length, stream in re.findall(
        rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", data, re.DOTALL
    ):
        assert len(stream) == int(length)


@pytest.mark.parametrize(
    ("address", "encoding", "words"),
    [
        ("tidelines.example/2026/09/storing-the-tide", "gzip", "A battery bridges the slack."),
        (
            "docs.tidemill.example/en/stable/guide/storage.html",
            "br",
            "A tidal array pauses at every slack water.",
        ),
    ],
)
def test_some_pages_are_compressed(address: str, encoding: str, words: str) -> None:
    reply = page(address)

    assert reply.headers["content-encoding"] == encoding
    assert words in reply.text


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("shop.chandlery.example/clearance", 200, "verify you are a human"),
        ("fjordpower.example/projects/storage", 403, "Just a moment..."),
        ("fjordpower.example/dashboard", 200, '<div id="root"></div>'),
        ("tidelines.example/members/briefing-17", 200, "Log in to continue reading"),
        ("blog.saltmarsh.example/2024/old-post", 200, "Page not found"),
        ("stats.marine-office.example/old-tables", 404, "Page not found"),
        ("blog.saltmarsh.example/2026/library-catalogues", 200, "IGNORE ALL PREVIOUS INSTRUCTIONS"),
        ("blog.saltmarsh.example/notes/reading-list.md", 200, "# A reading list"),
        ("blog.saltmarsh.example/notes/tide-log.txt", 200, "TIDE LOG"),
        ("blog.saltmarsh.example/feed.xml", 200, "<rss version"),
    ],
)
def test_there_are_pages_that_are_hard_to_read(address: str, status: int, words: str) -> None:
    reply = page(address)

    assert reply.status_code == status
    assert words in reply.text


def test_the_long_report_is_longer_than_60_kilobytes() -> None:
    assert len(page("stats.marine-office.example/reports/tidal-storage-outlook").content) > 60_000


def test_the_wall_with_a_403_names_its_kind_in_a_header() -> None:
    assert page("fjordpower.example/projects/storage").headers["cf-mitigated"] == "challenge"


def test_the_sites_as_json_agree_with_the_table() -> None:
    sites = json.loads(page("stats.marine-office.example/api/v1/sites.json").content)["sites"]
    names = strings(
        page("stats.marine-office.example/tidal/generation-2025").content, "//tbody/tr/*[1]/text()"
    )

    assert round(sum(site["generated"]["2025"] for site in sites), 1) == 148.6
    assert {site["name"] for site in sites} <= set(names)


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


def test_a_page_that_robots_are_asked_to_leave_alone_is_left_alone() -> None:
    async def run() -> None:
        async with open_client() as client:
            await client.fetch("https://wiki.openwaters.example/special/drafts/Storage")

    with pytest.raises(RobotsRefused):
        asyncio.run(run())


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
def test_the_search_of_the_readme_is_recorded(provider: str) -> None:
    results = search(provider, Query("duckdb udf", allowed_domains=("duckdb.org",)))

    assert [result.url for result in results] == [
        "https://duckdb.org/docs/stable/clients/python/function",
        "https://duckdb.org/docs/stable/sql/statements/create_macro",
    ]
    assert len(search(provider, Query("duckdb udf"))) == 3


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
