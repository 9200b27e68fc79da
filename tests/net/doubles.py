"""Stand-ins for the clock and the web, for tests that need neither."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2

from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.settings import Settings

Page = httpx2.Response | Exception | Callable[[httpx2.Request], httpx2.Response]
SITE = "https://site.example"
START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class FakeClock(Clock):
    """A clock on which waiting takes no time: it jumps ahead instead, and remembers how far."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.waits: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return 1000.0 + self.seconds

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


class FakeWeb(httpx2.AsyncBaseTransport):
    """A transport that answers from a table of pages by URL. A list is given out in order, its last
    page for ever.
    """

    def __init__(self, pages: dict[str, Page | list[Page]]) -> None:
        self._pages = pages
        self.requests: list[httpx2.Request] = []
        self.closed = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.requests.append(request)
        await asyncio.sleep(0)
        page = self._pages.get(str(request.url), httpx2.Response(404, content=b"not here"))
        if isinstance(page, list):
            page = page.pop(0) if len(page) > 1 else page[0]
        if isinstance(page, Exception):
            raise page
        response = page(request) if callable(page) else page
        return httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream
        )

    async def aclose(self) -> None:
        self.closed += 1

    def asked(self, *, robots: bool = False) -> list[str]:
        """The URLs that were requested, in order; those of robots.txt only if wanted."""
        urls = [str(request.url) for request in self.requests]
        return [url for url in urls if robots or not url.endswith("/robots.txt")]


class Silent(FakeWeb):
    """Takes requests and never answers."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        await asyncio.Event().wait()
        raise AssertionError


def redirect(
    location: str, status: int = 302, headers: dict[str, str] | None = None
) -> httpx2.Response:
    return httpx2.Response(status, headers={"Location": location, **(headers or {})})


def text(body: str, status: int = 200, headers: dict[str, str] | None = None) -> httpx2.Response:
    data = body.encode()
    usual = {"Content-Type": "text/html", "Content-Length": str(len(data))}
    stream = httpx2.ByteStream(data)  # as `content`, httpx2 would decode it at once
    return httpx2.Response(status, headers={**usual, **(headers or {})}, stream=stream)


def settings_with(**values: Any) -> Settings:
    """The settings with these values, whatever the environment says."""
    return Settings(**values)


def fetch(
    web: FakeWeb, url: str = f"{SITE}/page", clock: FakeClock | None = None, **settings: Any
) -> Reply:
    async def run() -> Reply:
        async with Client(settings_with(**settings), clock or FakeClock(), pages=web) as client:
            return await client.fetch(url)

    return asyncio.run(run())


def send(
    web: FakeWeb, request: httpx2.Request, clock: FakeClock | None = None, **settings: Any
) -> Reply:
    async def run() -> Reply:
        async with Client(settings_with(**settings), clock or FakeClock(), providers=web) as client:
            return await client.send(request)

    return asyncio.run(run())
