"""Stand-ins for search engines: what each of them answers, in turn, and what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import httpx2

from tests.net.doubles import FakeClock
from webquarry._search.router import Router
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.store.cache import Cache, MemoryStore
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit
from webquarry.tools import load

T = TypeVar("T")
Reply = httpx2.Response | Callable[[httpx2.Request], httpx2.Response]

HOSTS = {
    "api.search.brave.com": "brave",
    "www.googleapis.com": "google",
    "api.tavily.com": "tavily",
    "google.serper.dev": "serper",
    "html.duckduckgo.com": "duckduckgo",
    "lite.duckduckgo.com": "duckduckgo",
    "en.wikipedia.org": "mediawiki",
    "api.duckduckgo.com": "instant",
    "ops.epo.org": "epo",
    "api.lens.org": "lens",
    "patents.google.com": "pages",
    "api.openalex.org": "openalex",
    "api.crossref.org": "crossref",
    "export.arxiv.org": "arxiv",
    "eutils.ncbi.nlm.nih.gov": "pubmed",
    "api.semanticscholar.org": "semanticscholar",
    "www.ebi.ac.uk": "europepmc",
}
KEYS = {
    "BRAVE_API_KEY": "canary-brave-1234",
    "TAVILY_API_KEY": "canary-tavily-1234",
    "SERPER_API_KEY": "canary-serper-1234",
    "GOOGLE_SEARCH_API_KEY": "canary-google-1234",
    "GOOGLE_SEARCH_ENGINE_ID": "engine-of-all",
}
HOMELESS = {"HOME": "/nonexistent"}


class Engines(httpx2.AsyncBaseTransport):
    """Answers for every engine from its own list of replies, the last of them for ever."""

    def __init__(self, **replies: Reply | Sequence[Reply]) -> None:
        self.replies = {
            name: list(reply) if isinstance(reply, Sequence) else [reply]
            for name, reply in replies.items()
        }
        self.asked: list[tuple[str, httpx2.Request]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        await asyncio.sleep(0)
        name = HOSTS[request.url.host]
        self.asked.append((name, request))
        replies = self.replies[name]
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        made = reply(request) if callable(reply) else reply
        return httpx2.Response(made.status_code, headers=made.headers, content=made.content)

    @property
    def names(self) -> list[str]:
        """Who was asked, in order."""
        return [name for name, _ in self.asked]

    def sent(self, number: int = 0) -> dict[str, Any]:
        """What a request carried: the parameters of its URL, its form or its JSON."""
        request = self.asked[number][1]
        if request.method == "GET":
            return dict(request.url.params)
        if request.headers["content-type"].startswith("application/json"):
            found: dict[str, Any] = json.loads(request.content)
            return found
        return dict(httpx2.QueryParams(request.content.decode()))


def routed(
    engines: httpx2.AsyncBaseTransport,
    use: Callable[[Router], Awaitable[T]],
    environ: Mapping[str, str] | None = None,
    clock: FakeClock | None = None,
) -> T:
    """Use a router whose providers are these engines; `environ` holds settings and keys."""
    clock = clock or FakeClock()
    environ = HOMELESS | {"retries": "0"} | dict(KEYS if environ is None else environ)
    settings = Settings.from_environment(environ)

    async def run() -> T:
        async with Client(settings, clock, pages=engines, providers=engines) as client:
            cache = Cache([MemoryStore(1_000_000)] if settings.cache else [], clock)
            return await use(Router(client, settings, environ, clock, lambda: cache))

    return asyncio.run(run())


def called(
    engines: httpx2.AsyncBaseTransport,
    name: str,
    environ: Mapping[str, str] | None = None,
    clock: FakeClock | None = None,
    **arguments: Any,
) -> Answer:
    """Call a tool of the research set with a toolkit whose providers are these engines, and nothing
    on disk.
    """
    environ = (
        HOMELESS
        | {"retries": "0", "WEBQUARRY_CACHE": "0"}
        | dict(KEYS if environ is None else environ)
    )

    async def run() -> Answer:
        async with Toolkit.open(environ=environ) as kit:
            kit.clock = clock or FakeClock()
            kit.client = Client(kit.settings, kit.clock, pages=engines, providers=engines)
            return await load("research", name).call(kit, arguments)

    return asyncio.run(run())


def brave(*urls: str, more: bool = False, **fields: Any) -> httpx2.Response:
    hits = [
        {"title": f"Title of {url}", "url": url, "description": f"About {url}.", **fields}
        for url in urls
    ]
    return httpx2.Response(
        200, json={"query": {"more_results_available": more}, "web": {"results": hits}}
    )


def google(*urls: str) -> httpx2.Response:
    items = [{"title": f"Title of {url}", "link": url, "snippet": f"About {url}."} for url in urls]
    return httpx2.Response(
        200, json={"queries": {"request": [{}]}, "searchInformation": {}, "items": items}
    )


def tavily(*urls: str, **fields: Any) -> httpx2.Response:
    hits = [
        {"title": f"Title of {url}", "url": url, "content": f"About {url}.", "score": 1, **fields}
        for url in urls
    ]
    return httpx2.Response(200, json={"query": "q", "results": hits})


def brave_limit(seconds: int = 1) -> httpx2.Response:
    headers = {"X-RateLimit-Reset": f"{seconds}, 1000"}
    return httpx2.Response(
        429, headers=headers, json={"error": {"code": "RATE_LIMITED", "detail": "slow down"}}
    )


def failed(status: int = 500, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, headers=named, json={"error": {"detail": "broken"}})
