"""Recorded pages of wikis, and the URLs of requests to their api.php."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2

from tests.executables import LOCAL
from tests.net.doubles import FakeClock
from tests.read.sites.recorded_sites import REPLIES
from tests.search.engines import HOMELESS
from webquarry._read.sites.mediawiki import find_query
from webquarry.net.models import Reply
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.tools.research.scrape_page import ScrapeOutput

GOLDENS = Path(__file__).with_name("goldens")
HTML = "text/html; charset=utf-8"
GAUGE = "https://wiki.harbor.example/title/Tide_gauge"
API = "https://wiki.harbor.example/api.php"


def load_page(name: str) -> str:
    return (REPLIES / "wikis" / name).read_text("utf-8")


def as_page(body: str, status: int = 200, kind: str = HTML, **headers: str) -> httpx2.Response:
    stream = httpx2.ByteStream(body.encode())
    return httpx2.Response(status, headers={"content-type": kind} | headers, stream=stream)


def answer_json(name: str, status: int = 200, **headers: str) -> httpx2.Response:
    return as_page(load_page(name), status, "application/json; charset=utf-8", **headers)


def ask_url(interface: str, title: str = "", revision: str = "") -> str:
    reply = build_reply("https://x.example/index.php?title=X", 403)
    query = find_query(reply)
    assert query is not None
    text = query.build_url(interface)
    if revision:
        return text.replace("page=X", f"oldid={revision}")
    return text.replace("page=X", f"page={title}")


def build_reply(url: str, status: int = 200, body: bytes = b"", **headers: str) -> Reply:
    return Reply(url, status, httpx2.Headers(headers), body, FakeClock().now())


def who_read(answer: ScrapeOutput) -> str:
    return str(answer.meta["webquarry/routing"]["providerUsed"])


def scrape(url: str, **arguments: Any) -> ScrapeOutput:
    """Call the tool with its own client."""

    async def run() -> Any:
        async with Toolkit.open(environ=HOMELESS | LOCAL) as kit:
            return await load("research", "scrape_page").call(kit, {"url": url} | arguments)

    answer = asyncio.run(run())
    assert isinstance(answer, ScrapeOutput)
    return answer
