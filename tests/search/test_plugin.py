"""A provider from another package: announced by an entry point, it is like one of ours."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.search.replies import MOMENT
from webquarry._search.models import Query, Result
from webquarry._search.router import Router
from webquarry.clock import FrozenClock
from webquarry.errors import BadInput
from webquarry.net.client import Client
from webquarry.settings import Settings

PACKAGE = Path(__file__).parent / "example_plugin"
KEY = {"ACORN_API_KEY": "acorn-key-1234", "HOME": "/nonexistent"}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example package as an installer would leave it: its module and its dist-info on the
    path.
    """
    monkeypatch.syspath_prepend(str(PACKAGE))
    yield
    sys.modules.pop("acorn_search", None)


class Acorn:
    """Answers as Acorn does, and remembers what it was asked."""

    def __init__(self, status: int = 200, **fields: Any) -> None:
        self.status = status
        self.fields = {"hits": [{"title": "Otters", "link": "https://otters.example/"}], **fields}
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        return httpx2.Response(self.status, json=self.fields)


def use(
    acorn: Acorn, environ: dict[str, str], query: Query, variables: dict[str, str] | None = None
) -> list[Result]:
    async def run() -> list[Result]:
        settings = Settings.from_environment({"retries": "0", **(variables or {})})
        transport, clock = httpx2.MockTransport(acorn), FrozenClock(MOMENT)
        async with Client(settings, clock, pages=transport, providers=transport) as client:
            return await Router(client, settings, environ, clock).search("acorn", query)

    return asyncio.run(run())


@pytest.mark.usefixtures("installed")
def test_an_installed_package_is_all_it_takes() -> None:
    acorn = Acorn()

    assert use(acorn, KEY, Query("otters")) == [
        Result("Otters", "https://otters.example/", "", "acorn")
    ]
    assert str(acorn.asked[0].url) == "https://api.acorn.example/search?q=otters&page=0"
    assert acorn.asked[0].headers["x-key"] == "acorn-key-1234"


def test_provider_is_unknown_without_its_package() -> None:
    with pytest.raises(BadInput, match="no search provider 'acorn'"):
        use(Acorn(), KEY, Query("x"))


@pytest.mark.parametrize("value", ["no_such_module:Thing", "json:loads"])
def test_broken_plugin_is_logged_and_others_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, value: str
) -> None:
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[webquarry.providers]\nbroken = {value}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    settings = Settings()
    router = Router(
        Client(settings, FrozenClock(MOMENT)),
        settings,
        {"HOME": "/nonexistent"},
        FrozenClock(MOMENT),
    )

    assert "brave" in [provider.name for provider in router.providers()]
    assert f"plug-in broken ({value})" in caplog.text
