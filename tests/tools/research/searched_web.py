"""A search engine and a web of a few pages behind it, for `search_and_scrape`: what each answers,
and what was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx2

from tests.net.doubles import FakeClock
from tests.search.engines import HOMELESS, brave
from webquarry.net.client import Client
from webquarry.store.cache import Cache, MemoryStore
from webquarry.tool import Tool
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.tools.research.search_and_scrape import SearchAndScrapeOutput

Handler = Callable[[httpx2.Request], Awaitable[httpx2.Response]]
ENVIRON = HOMELESS | {
    "retries": "0",
    "BRAVE_API_KEY": "canary-brave-1234",
    "SEARCH_PROVIDER": "brave",
}
QUERY = "tidal energy storage"


def url(number: int) -> str:
    return f"https://site{number}.example/page"


def prose(number: int, count: int = 6) -> list[str]:
    """Paragraphs that no other page has."""
    return [
        f"Page {number} says in paragraph {at} that the harbour master counted "
        f"{number * 100 + at} boats on a quiet day "
        f"while the wind of station {number} turned twice and nobody on the quay of town "
        f"{number} took any notice of it."
        for at in range(count)
    ]


def html(*paragraphs: str, title: str = "A page", head: str = "") -> httpx2.Response:
    body = "".join(one if one.startswith("<") else f"<p>{one}</p>" for one in paragraphs)
    text = (
        "<!doctype html><html "
        f"lang=en><head><title>{title}</title>{head}</head><body><main><article><h1>{title}</h1>"
        f"{body}</article></main></body></html>"
    )
    data = text.encode()
    return httpx2.Response(
        200, headers={"Content-Type": "text/html; charset=utf-8"}, stream=httpx2.ByteStream(data)
    )


def article(number: int, *more: str, count: int = 6) -> httpx2.Response:
    """A page of its own words, and what else is to be in it."""
    return html(*prose(number, count), *more, title=f"Notes of station {number}")


class SearchedWeb(httpx2.AsyncBaseTransport):
    """Pages by URL, and Brave's answer: `hits` are the URLs it has, of which it gives as many as it
    is asked for.
    """

    def __init__(
        self, pages: Mapping[str, httpx2.Response | Handler], hits: list[str] | None = None
    ) -> None:
        self.pages = dict(pages)
        self.hits = list(pages) if hits is None else hits
        self.search: httpx2.Response | None = None
        self.searches: list[httpx2.Request] = []
        self.read: list[str] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(0)
        if request.url.host == "api.search.brave.com":
            self.searches.append(request)
            count = int(request.url.params["count"])
            made = self.search or brave(*self.hits[:count], more=len(self.hits) > count)
            return httpx2.Response(made.status_code, headers=made.headers, content=made.content)
        if request.url.path == "/robots.txt":
            return httpx2.Response(404)
        self.read.append(str(request.url))
        page = self.pages.get(str(request.url)) or httpx2.Response(404, content=b"gone")
        response = page if isinstance(page, httpx2.Response) else await page(request)
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )


class Desk:
    """Calls of the research tools on one web, with one clock and one cache."""

    def __init__(self, web: SearchedWeb, environ: Mapping[str, str] | None = None) -> None:
        self.web = web
        self.clock = FakeClock()
        self.cache = Cache([MemoryStore(50_000_000)], self.clock)
        self.environ = ENVIRON | dict(environ or {})

    def call(self, **arguments: Any) -> SearchAndScrapeOutput:
        answer = asyncio.run(self.acall("search_and_scrape", {"query": QUERY} | arguments))
        assert isinstance(answer, SearchAndScrapeOutput)
        return answer

    def call_whole(self, **arguments: Any) -> SearchAndScrapeOutput:
        """Whole texts, each also with its source."""
        return self.call(include_sources=True, filter_by_query=False, **arguments)

    async def acall(self, name: str, arguments: dict[str, Any]) -> Any:
        async with Toolkit.open(environ=self.environ) as kit:
            kit.clock, kit.cache = self.clock, self.cache
            kit.client = Client(kit.settings, kit.clock, pages=self.web, providers=self.web)
            tool: Tool = load("research", name)
            return await tool.call(kit, arguments)


def desk(*numbers: int, **pages: httpx2.Response | Handler) -> Desk:
    """A web of articles by number, of which some (`page2=...`) are something else."""
    found: dict[str, httpx2.Response | Handler] = {
        url(number): pages.get(f"page{number}") or article(number) for number in numbers
    }
    return Desk(SearchedWeb(found))
