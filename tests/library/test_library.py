"""Every page that is read is found again by the provider `library`, unless somebody minds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeClock, FakeWeb
from tests.search.engines import HOMELESS
from tests.tools.pages import sent
from webquarry.caller import serving
from webquarry.cli.app import cli as app
from webquarry.errors import WebquarryError
from webquarry.library.library import open_library
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.store.cache import Cache, MemoryStore
from webquarry.toolkit import Toolkit
from webquarry.tools import load

URL = "https://harbor.example/slack"
TEXT = "A vanadium flow battery carries the island through slack water, when the turbines rest. "


def write_page(head: str = "") -> str:
    return (
        f"<html><head><title>Slack water</title>{head}</head><body><main><article>"
        f"<h1>Slack water</h1><p>{TEXT * 3}</p></article></main></body></html>"
    )


class Offline(FakeWeb):
    """A web in which no provider answers."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host != "harbor.example":
            raise httpx2.ConnectError("the network is unreachable")
        return await super().handle_async_request(request)


@asynccontextmanager
async def open_kit(
    folder: Path, web: FakeWeb | None = None, environ: Mapping[str, str] | None = None
) -> AsyncIterator[Toolkit]:
    given = {"retries": "0", "WEBQUARRY_STATE_FOLDER": str(folder)}
    async with Toolkit.open(environ=HOMELESS | given | dict(environ or {})) as kit:
        kit.clock = FakeClock()
        web = web or Offline({URL: sent(write_page())})
        kit.client = Client(kit.settings, kit.clock, pages=web, providers=web)
        kit.cache = Cache([MemoryStore(10_000_000)], kit.clock)
        yield kit


async def call(kit: Toolkit, name: str, **arguments: Any) -> Any:
    return await load("research", name).call(kit, arguments)


async def search(kit: Toolkit, query: str = "vanadium battery", **arguments: Any) -> Any:
    return await call(kit, "web_search", query=query, **arguments)


def read_then_search(folder: Path, web: FakeWeb | None = None, **arguments: Any) -> Any:
    """The answer of the library after one page was read, in a process of its own, as it were."""

    async def run() -> Any:
        async with open_kit(folder, web) as kit:
            await call(kit, "scrape_page", url=URL)
        async with open_kit(folder) as kit:
            return await search(kit, **({"provider": "library"} | arguments))

    return asyncio.run(run())


def test_a_page_that_was_read_is_found_again_with_its_age(tmp_path: Path) -> None:
    async def run() -> Any:
        async with open_kit(tmp_path) as kit:
            await call(kit, "scrape_page", url=URL)
            kit.clock.seconds += 7_200  # type: ignore[attr-defined]
            return await search(kit, provider="library")

    found = asyncio.run(run())

    (result,) = found.results
    assert (result.url, result.provider, result.age_seconds) == (URL, "library", 7_200)
    assert "vanadium flow battery" in result.snippet
    assert found.meta["webquarry/routing"]["providerUsed"] == "library"


def test_filters_hold_for_the_library(tmp_path: Path) -> None:
    assert read_then_search(tmp_path, site="harbor.example").urls == [URL]
    assert read_then_search(tmp_path, site="other.example").urls == []
    assert read_then_search(tmp_path, exact_terms="flow battery").urls == [URL]
    assert read_then_search(tmp_path, exact_terms="battery flow").urls == []
    assert read_then_search(tmp_path, exclude_terms="turbines").urls == []


@pytest.mark.parametrize(
    ("headers", "head"),
    [
        ({"Cache-Control": "private, no-store"}, ""),
        ({"X-Robots-Tag": "noarchive"}, ""),
        ({}, '<meta name="ROBOTS" content="index, NOARCHIVE">'),
    ],
)
def test_noarchive_pages_are_not_stored(tmp_path: Path, headers: dict[str, str], head: str) -> None:
    response = sent(write_page(head))
    response.headers.update(headers)

    assert read_then_search(tmp_path, Offline({URL: response})).urls == []


def test_disabled_library_stores_and_finds_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_kit(tmp_path, environ={"WEBQUARRY_LIBRARY": "0"}) as kit:
            await call(kit, "scrape_page", url=URL)
            with pytest.raises(WebquarryError, match="no library"):
                await search(kit, provider="library")

    asyncio.run(run())

    assert not list(tmp_path.glob("library*"))


def test_callers_of_a_server_find_their_own_pages(tmp_path: Path) -> None:
    async def run() -> list[Any]:
        async with open_kit(tmp_path) as kit:
            with serving("ada"):
                await call(kit, "scrape_page", url=URL)
                own = await search(kit, provider="library")
            with serving("ben"):
                others = await search(kit, provider="library")
            return [own.urls, others.urls]

    assert asyncio.run(run()) == [[URL], []]


def test_library_is_the_fallback_if_no_provider_answers(tmp_path: Path) -> None:
    found = read_then_search(tmp_path, provider=None)
    routing = found.meta["webquarry/routing"]

    assert found.urls == [URL]
    assert found.results[0].provider == "library"
    assert routing["providerUsed"] == "library"
    assert routing["fallback"]
    assert found.note == routing["notes"][0]
    assert found.note.startswith("No provider answered: these are pages that were read here before")


def test_the_commands_tell_add_forget_and_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path / "state"))
    notes = tmp_path / "kelp.md"
    notes.write_text("# Kelp\n\nKelp forests grow half a metre a day.\n", "utf-8")

    def run(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            app(["library", *words], prog_name="webquarry")
        assert not ended.value.code
        return capsys.readouterr().out

    assert json.loads(run("--json"))["pages"] == 0
    assert json.loads(run("add", str(notes), "--json"))["added"] == [notes.as_uri()]
    assert json.loads(run("--json"))["pages"] == 1
    exported = json.loads(run("export"))
    assert exported["title"] == "Kelp"
    assert "half a metre" in exported["text"]
    assert json.loads(run("forget", "--older", "1", "--json")) == {"forgotten": 0}
    assert json.loads(run("forget", str(notes), "--json")) == {"forgotten": 1}
    assert json.loads(run("--json"))["pages"] == 0


def test_a_user_without_a_home_has_no_library() -> None:
    settings = Settings.from_environment(HOMELESS)

    assert open_library(settings, HOMELESS, FakeClock()) is None
