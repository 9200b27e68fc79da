"""One named provider: filters hold on what comes back, further pages are asked for, but few."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.search.replies import MOMENT
from webquarry._search.models import Query, Result
from webquarry._search.router import Router
from webquarry.clock import FrozenClock
from webquarry.errors import (
    RateLimited,
)
from webquarry.net.client import Client
from webquarry.settings import Settings

ENVIRON = {
    "BRAVE_API_KEY": "brave-key-1234",
    "GOOGLE_SEARCH_API_KEY": "google-key-1234",
    "GOOGLE_SEARCH_ENGINE_ID": "0123456789abcdef0",
    "HOME": "/nonexistent",
}
Answer = Callable[[httpx2.Request], httpx2.Response]


def routed(answer: Answer, use: Callable[[Router], Any], environ: dict[str, str] = ENVIRON) -> Any:
    """Use a router whose providers are answered by a function."""

    async def run() -> Any:
        settings = Settings.from_environment({"retries": "0"})
        transport = httpx2.MockTransport(answer)
        async with Client(
            settings, FrozenClock(MOMENT), pages=transport, providers=transport
        ) as client:
            return await use(Router(client, settings, environ))

    return asyncio.run(run())


def search(answer: Answer, query: Query, name: str = "brave") -> list[Result]:
    results: list[Result] = routed(answer, lambda router: router.search(name, query))
    return results


class Pages:
    """Answers as Brave does, page by page, and remembers what it was asked."""

    def __init__(self, *pages: list[str] | int) -> None:
        self.pages = pages
        self.asked: list[dict[str, str]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        page = int(request.url.params["offset"])
        self.asked.append(dict(request.url.params))
        urls = self.pages[page]
        if isinstance(urls, int):
            return httpx2.Response(
                urls, json={"error": {"code": "RATE_LIMITED", "detail": "slow down"}}
            )
        hits = [{"title": url, "url": url, "description": ""} for url in urls]
        more = page + 1 < len(self.pages)
        return httpx2.Response(
            200, json={"query": {"more_results_available": more}, "web": {"results": hits}}
        )


def urls(results: list[Result]) -> list[str]:
    return [result.url for result in results]


def numbered(host: str, start: int, count: int) -> list[str]:
    return [f"https://{host}/{number}" for number in range(start, start + count)]


def test_results_outside_the_allowed_domains_are_removed_whatever_the_provider_sends() -> None:
    pages = Pages(
        [
            "https://duckdb.org/a",
            "https://notduckdb.org/",
            "https://docs.duckdb.org/",
            "https://evil.com/",
        ]
    )

    found = search(pages, Query("x", allowed_domains=("https://DuckDB.org/",)))

    assert urls(found) == ["https://duckdb.org/a", "https://docs.duckdb.org/"]
    assert pages.asked[0]["q"] == "x site:duckdb.org"


def test_when_filtering_leaves_too_few_two_further_pages_are_asked_for_and_no_more() -> None:
    pages = Pages(*(["https://evil.com/", f"https://a.org/{number}"] for number in range(9)))

    found = search(pages, Query("x", allowed_domains=("a.org",)))

    assert urls(found) == ["https://a.org/0", "https://a.org/1", "https://a.org/2"]
    assert [asked["offset"] for asked in pages.asked] == ["0", "1", "2"]
    assert {asked["count"] for asked in pages.asked} == {"20"}


def test_a_large_count_gets_the_pages_it_needs() -> None:
    pages = Pages(*(numbered("a.org", 20 * page, 20) for page in range(10)))

    assert len(search(pages, Query("x", count=100))) == 100
    assert len(pages.asked) == 5


@pytest.mark.parametrize(
    "url",
    ["", "/relative", "ftp://a.org/", "javascript:alert(1)", "https://a.org\\@b.org/", "a.org"],
)
def test_a_result_without_an_absolute_web_address_is_removed(url: str) -> None:
    assert urls(search(Pages([url, "https://a.org/"]), Query("x"))) == ["https://a.org/"]


def test_a_further_page_that_fails_costs_only_itself_and_is_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "webquarry"):
        found = search(Pages(["https://a.org/1"], 429, []), Query("x"))

    assert urls(found) == ["https://a.org/1"]
    assert "page 2 of Brave Search failed" in caplog.text


def test_a_further_page_that_fails_with_nothing_in_hand_is_the_failure() -> None:
    with pytest.raises(RateLimited):
        search(Pages(["https://evil.com/"], 429, []), Query("x", allowed_domains=("a.org",)))


def test_asking_one_provider_reads_only_its_own_credentials(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / ".config" / "ikigai"
    folder.mkdir(parents=True)
    (folder / "google-api-key").write_text("canary-google")
    (folder / "google-api-key").chmod(0o644)  # earns a warning where it is read
    environ = {"BRAVE_API_KEY": "brave-key-1234", "HOME": str(tmp_path)}

    routed(Pages([]), lambda router: router.search("brave", Query("x")), environ)

    assert "google-api-key" not in caplog.text


def test_a_key_that_the_provider_puts_into_its_results_is_concealed() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        key = request.headers["x-subscription-token"]
        hit = {"title": f"T {key}", "url": f"https://a.org/?k={key}", "description": key}
        return httpx2.Response(200, json={"query": {}, "web": {"results": [hit]}})

    assert search(answer, Query("x")) == [Result("T ***", "https://a.org/?k=***", "***", "brave")]
