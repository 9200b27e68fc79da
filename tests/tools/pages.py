"""A web of a few pages for the tools that read: call a tool on it, with a cache in memory or with
none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx2

from tests.net.doubles import FakeClock, FakeWeb
from tests.search.engines import HOMELESS
from webquarry.net.client import Client
from webquarry.store.cache import Cache, MemoryStore
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.tools.research.scrape_page import ScrapeOutput

URL = "https://harbor.example/tide"
PROSE = (
    "The pilot reads the second column of the table first, because the water does not wait for "
    "anybody. "
)
ARTICLE = (
    "<!doctype html><html lang=en><head><title>Reading a tide table</title>"
    '<meta name="author" content="Ada Marsh"><meta property="og:type" '
    'content="article"></head><body>'
    "<nav><a href=/>Home</a> <a href=/about>About</a></nav><main><article><h1>Reading a tide "
    "table</h1>"
    + "".join(
        f"<h2>Part {number}</h2><p>{PROSE * 4}</p><p>Number {number}: {PROSE * 3}</p>"
        for number in range(1, 9)
    )
    + "</article></main><footer>© Harbor</footer></body></html>"
)


def sent(
    body: str | bytes, content_type: str = "text/html; charset=utf-8", status: int = 200
) -> httpx2.Response:
    data = body.encode() if isinstance(body, str) else body
    headers = {"Content-Type": content_type} if content_type else {}
    return httpx2.Response(status, headers=headers, stream=httpx2.ByteStream(data))


class Session:
    """Calls of `scrape_page` on one web, one after the other, with one clock and one cache."""

    def __init__(
        self, web: FakeWeb, *, cached: bool = True, environ: Mapping[str, str] | None = None
    ) -> None:
        self.web = web
        self.clock = FakeClock()
        self.cache = Cache([MemoryStore(10_000_000)] if cached else [], self.clock)
        self._environ = HOMELESS | {"retries": "0"} | dict(environ or {})

    def scrape(self, url: str = URL, **arguments: Any) -> ScrapeOutput:
        async def run() -> Any:
            async with Toolkit.open(environ=self._environ) as kit:
                kit.clock, kit.cache = self.clock, self.cache
                kit.client = Client(kit.settings, kit.clock, pages=self.web, providers=self.web)
                return await load("research", "scrape_page").call(kit, {"url": url} | arguments)

        answer = asyncio.run(run())
        assert isinstance(answer, ScrapeOutput)
        return answer


def page(
    body: str | bytes = ARTICLE, content_type: str = "text/html; charset=utf-8", status: int = 200
) -> Session:
    """A web of one page."""
    return Session(FakeWeb({URL: sent(body, content_type, status)}))
