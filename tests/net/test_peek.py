"""`Client.peek`: whether a page is there, by its beginning; with the manners of every other
fetch.
"""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.net.doubles import SITE, FakeClock, FakeWeb, redirect, settings_with, text
from webquarry.errors import Refused, RobotsRefused
from webquarry.net.client import Client
from webquarry.net.models import Reply


def peek(web: FakeWeb, url: str = f"{SITE}/page", limit: int = 1000) -> Reply:
    async def run() -> Reply:
        async with Client(settings_with(), FakeClock(), pages=web) as client:
            return await client.peek(url, limit)

    return asyncio.run(run())


def test_only_the_beginning_of_a_large_page_is_taken() -> None:
    reply = peek(FakeWeb({f"{SITE}/page": text("x" * 50_000)}))

    assert (reply.status, len(reply.body)) == (200, 1000)


def test_redirects_are_followed_and_the_last_status_is_returned() -> None:
    reply = peek(FakeWeb({f"{SITE}/page": redirect(f"{SITE}/new")}))

    assert (reply.url, reply.status, reply.hops) == (f"{SITE}/new", 404, (f"{SITE}/page",))


def test_the_guard_and_robots_txt_hold() -> None:
    web = FakeWeb({f"{SITE}/robots.txt": httpx2.Response(200, text="User-agent: *\nDisallow: /")})

    with pytest.raises(RobotsRefused):
        peek(web)
    with pytest.raises(Refused):
        peek(web, "http://127.0.0.1/")
    assert web.asked() == []
