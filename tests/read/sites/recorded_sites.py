"""Read pages with recorded replies and a fixed clock."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from tests.net.doubles import FakeClock, FakeWeb
from webquarry._read.models import Page
from webquarry._read.reader import Reader
from webquarry.net.client import Client
from webquarry.settings import Settings

REPLIES = Path(__file__).with_name("replies")


def recorded(name: str) -> httpx2.Response:
    """Return a recorded reply as a response."""
    return httpx2.Response(200, stream=httpx2.ByteStream((REPLIES / name).read_bytes()))


def read(web: FakeWeb, url: str, environ: Mapping[str, str] | None = None, **settings: Any) -> Page:
    """Read a URL with the replies of a fake web."""

    async def run() -> Page:
        chosen = Settings(**{"retries": 0} | settings)
        clock = FakeClock()
        async with Client(chosen, clock, pages=web, providers=web) as client:
            reader = Reader(client, chosen, clock, environ=environ)
            try:
                return await reader.read(url, selection="main")
            finally:
                await reader.runner.aclose()

    return asyncio.run(run())
