"""Exa's copy of a page that cannot be read here: asked for where the user wants it, paid from the
ledger, and never told of what is not public.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb
from tests.net.wires import PUBLIC, FakeDns
from tests.tools.pages import URL, sent
from webquarry.ask.ledger import spent_since
from webquarry.errors import Challenge, RobotsRefused, SiteRefused, WebquarryError
from webquarry.net.client import Client
from webquarry.toolkit import Toolkit
from webquarry.tools import load

CONTENTS = "https://api.exa.ai/contents"
KEY = "exa-key-123456"
REFUSED = {URL: sent("<h1>Forbidden</h1>", status=403)}


def answer(
    source: str | None = "cached", text: str = "The tide turned at noon.", **more: Any
) -> Any:
    status = {"id": URL, "status": "success"} | ({"source": source} if source else {})
    result = {"id": URL, "url": URL, "title": "Tides", "text": text, "author": None}
    body = {"results": [result], "statuses": [status], "costDollars": {"total": 0.001}} | more
    return httpx2.Response(200, json=body)


def read(
    pages: dict[str, Any], tmp_path: Path, url: str = URL, **environ: str
) -> tuple[Any, FakeWeb, list[Any]]:
    """What scrape_page says of a page, what was asked, and what was paid."""
    web = FakeWeb(pages)
    environ = {
        "WEBQUARRY_EXA_CONTENTS": "1",
        "EXA_API_KEY": KEY,
        "retries": "0",
        "HOME": str(tmp_path),
        "WEBQUARRY_STATE_FOLDER": str(tmp_path / "state"),
    } | environ

    async def run() -> tuple[Any, list[Any]]:
        async with Toolkit.open(environ=environ) as kit:
            kit.client = Client(kit.settings, kit.clock, pages=web, providers=web)
            found: Any
            try:
                call = load("research", "scrape_page").call(kit, {"url": url})
                found = (await call).as_dict()
            except WebquarryError as error:
                found = error
            paid = await kit.records.run(lambda database, _: spent_since(database, "2000-01-01"))
            return found, paid

    found, paid = asyncio.run(run())
    return found, web, paid


@pytest.fixture(autouse=True)
def public_names(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"inner.example": ["10.0.0.1"]}, default=[PUBLIC]).install(monkeypatch)


@pytest.mark.parametrize(
    ("source", "tier"),
    [("cached", "exa:cached"), ("crawled", "exa:crawled"), (None, "exa:cached")],
)
def test_a_refused_page_is_had_from_exa_and_paid_for(
    tmp_path: Path, source: str | None, tier: str
) -> None:
    found, web, paid = read(REFUSED | {CONTENTS: answer(source)}, tmp_path)

    request = web.requests[-1]
    assert found["extractedBy"] == tier
    assert "The tide turned at noon." in found["content"]
    assert json.loads(request.content) == {"urls": [URL], "text": True}
    assert request.headers["x-api-key"] == KEY
    assert [(row.door, row.model, row.calls, row.usd) for row in paid] == [
        ("pages", "exa contents", 1, 0.001)
    ]


@pytest.mark.parametrize("off", [{"WEBQUARRY_EXA_CONTENTS": "0"}, {"EXA_API_KEY": ""}])
def test_exa_needs_setting_and_key(tmp_path: Path, off: dict[str, str]) -> None:
    found, web, paid = read(REFUSED | {CONTENTS: answer()}, tmp_path, **off)

    assert isinstance(found, SiteRefused)
    assert CONTENTS not in web.asked()
    assert paid == []


@pytest.mark.parametrize(
    ("url", "environ"),
    [
        ("http://10.0.0.1/page", {"WEBQUARRY_ALLOW_PRIVATE": "1"}),
        ("http://inner.example/page", {"WEBQUARRY_ALLOW_NETWORKS": "10.0.0.0/8"}),
        ("http://wiki.internal/page", {"WEBQUARRY_ALLOW_PRIVATE": "1"}),
        (f"{URL}?api_key=abcdef123456", {}),
    ],
)
def test_private_urls_and_secrets_are_not_disclosed(
    tmp_path: Path, url: str, environ: dict[str, str]
) -> None:
    found, web, paid = read(
        {url: sent("no", status=403), CONTENTS: answer()}, tmp_path, url, **environ
    )

    assert isinstance(found, SiteRefused)
    assert CONTENTS not in web.asked()
    assert paid == []


def test_refused_pages_are_not_disclosed(tmp_path: Path) -> None:
    robots = httpx2.Response(200, content=b"User-agent: *\nDisallow: /")
    place = f"{httpx2.URL(URL).scheme}://{httpx2.URL(URL).host}/robots.txt"
    found, web, _ = read({place: robots, CONTENTS: answer()}, tmp_path)
    assert isinstance(found, RobotsRefused)

    refused, other, _ = read({CONTENTS: answer()}, tmp_path, "http://127.0.0.1/")

    assert isinstance(refused, WebquarryError)
    assert CONTENTS not in [*web.asked(), *other.asked()]


def test_what_exa_cannot_give_leaves_the_error_of_the_page(tmp_path: Path) -> None:
    wall = sent("<title>Just a moment...</title>", status=403)
    wall.headers["cf-mitigated"] = "challenge"
    failed: dict[str, Any] = {
        "statuses": [{"id": URL, "status": "error", "error": {"tag": "CRAWL_NOT_FOUND"}}]
    }
    found, web, paid = read({URL: wall, CONTENTS: answer(results=[], **failed)}, tmp_path)
    assert isinstance(found, Challenge)
    assert CONTENTS in web.asked()
    assert sum(row.usd for row in paid) == 0.001

    bad_key = httpx2.Response(401, json={"error": "x", "tag": "INVALID_API_KEY"})
    found, _, _ = read(REFUSED | {CONTENTS: bad_key}, tmp_path / "other")
    assert isinstance(found, SiteRefused)
    assert KEY not in found.sentences


def test_the_limit_of_the_day_holds_for_pages_too(tmp_path: Path) -> None:
    found, web, paid = read(
        REFUSED | {CONTENTS: answer()}, tmp_path, WEBQUARRY_ASK_MAX_USD_PER_DAY="0.005"
    )

    assert isinstance(found, SiteRefused)
    assert CONTENTS not in web.asked()
    assert paid == []
