"""What the tests of `patent_search` share: recorded registers, and a toolkit that asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from tests.net.doubles import FakeClock
from tests.search.engines import HOMELESS, Engines, brave
from tests.search.patents.recorded import response
from webquarry.net.client import Client
from webquarry.store.cache import Cache, MemoryStore
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit
from webquarry.tools import load

T = TypeVar("T")
BRAVE = {"BRAVE_API_KEY": "canary-brave-1234", "SEARCH_PROVIDER": "brave"}
LOGIN, EPO, LENS = (
    response("epo/login_200.json"),
    response("epo/ok_200.xml"),
    response("lens/ok_200.json"),
)
NO_EPO, NO_LENS = response("epo/empty_404.xml"), response("lens/empty_200.json")
G = "https://patents.google.com/patent/"
FOUND = brave(
    f"{G}US10999999B2/en",
    "https://patents.google.com/?q=x",
    f"{G}WO2019048999A1/en",
    f"{G}EP3456789A1/en",
)
patent_search = load("research", "patent_search")


def using(
    engines: Engines,
    environ: Mapping[str, str],
    use: Callable[[Toolkit], Awaitable[T]],
    clock: FakeClock | None = None,
) -> T:
    """Use one toolkit whose services are these engines, with a cache in memory."""

    async def run() -> T:
        async with Toolkit.open(environ=HOMELESS | {"retries": "0"} | dict(environ)) as kit:
            kit.clock = clock or FakeClock()
            kit.cache = Cache([MemoryStore(1_000_000)], kit.clock)
            kit.client = Client(kit.settings, kit.clock, pages=engines, providers=engines)
            return await use(kit)

    return asyncio.run(run())


def answered(engines: Engines, environ: Mapping[str, str], **arguments: Any) -> Answer:
    return using(
        engines,
        environ,
        lambda kit: patent_search.call(kit, {"query": "tidal turbine"} | arguments),
    )


def numbers(answer: Answer) -> list[str]:
    return [patent["number"] for patent in answer.as_dict()["patents"]]


def routing(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = answer.meta["webquarry/routing"]
    return found
