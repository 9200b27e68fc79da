"""What was found is kept for a while, under a key that holds everything that affects it and no
secret.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.net.doubles import FakeClock
from tests.search.engines import HOMELESS, KEYS, Engines, brave, failed, google, routed, tavily
from webquarry._search import router as router_module
from webquarry._search.lenses import load_lenses
from webquarry._search.models import Found, Query
from webquarry._search.router import Router
from webquarry.errors import ProviderFailure
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.store import cache as cache_base
from webquarry.store.cache import Cache, CacheEntry, MemoryStore

BRAVE = KEYS | {"SEARCH_PROVIDER": "brave"}
A = "https://a.org/"


def test_the_same_question_is_asked_once_and_the_answer_says_how_old_it_is() -> None:
    clock, engines = FakeClock(), Engines(brave=brave(A))

    async def use(router: Router) -> tuple[Found, Found]:
        first = await router.route(Query("tides", 1))
        clock.seconds += 600
        return first, await router.route(Query("  tides ", 1))

    first, second = routed(engines, use, BRAVE, clock)

    assert engines.names == ["brave"]
    assert (first.cached, first.age_seconds, first.max_age_seconds) == (False, 0, 1800)
    assert (second.cached, second.age_seconds, second.max_age_seconds) == (True, 600, 1800)
    assert (second.results, second.attempts, second.notes) == (
        first.results,
        first.attempts,
        first.notes,
    )


@pytest.mark.parametrize(
    ("reply", "seconds", "asked"),
    [(brave(A), 1799, 1), (brave(A), 1801, 2), (brave(), 59, 1), (brave(), 61, 2)],
)
def test_results_are_good_for_half_an_hour_and_nothing_found_for_a_minute(
    reply: Any, seconds: float, asked: int
) -> None:
    clock, engines = FakeClock(), Engines(brave=reply)

    async def use(router: Router) -> None:
        await router.route(Query("x", 1))
        clock.seconds += seconds
        await router.route(Query("x", 1))

    routed(engines, use, BRAVE, clock)

    assert len(engines.asked) == asked


def test_results_of_which_a_page_failed_are_good_for_a_minute_only() -> None:
    found = routed(
        Engines(brave=[brave(A, more=True), failed(500)]),
        lambda router: router.route(Query("x", 3)),
        BRAVE,
    )

    assert (len(found.results), found.partial, found.max_age_seconds) == (1, True, 60)


def test_error_is_never_cached() -> None:
    engines = Engines(brave=[failed(500), brave(A)])

    async def use(router: Router) -> Found:
        with pytest.raises(ProviderFailure):
            await router.route(Query("x", 1))
        return await router.route(Query("x", 1))

    assert routed(engines, use, BRAVE).results


def test_the_same_question_asked_by_many_at_once_is_one_request() -> None:
    engines = Engines(brave=brave(A))

    async def use(router: Router) -> list[Found]:
        return await asyncio.gather(*(router.route(Query("x", 1)) for _ in range(20)))

    found = routed(engines, use, BRAVE)

    assert engines.names == ["brave"]
    assert {one.results for one in found} == {found[0].results}


class Keys:
    """The keys under which a router would look, with what they were made of."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self.parameters: list[Any] = []

    def of(
        self, environ: Mapping[str, str] = BRAVE, query: Query | None = None, **choice: Any
    ) -> str:
        made: list[str] = []
        real = cache_base.key_of

        def key_of(kind: str, version: int, parameters: Mapping[str, Any]) -> str:
            self.parameters.append(parameters)
            made.append(real(kind, version, parameters))
            return made[-1]

        engines = Engines(brave=brave(A), google=google(A), tavily=tavily(A))
        with self._patch.context() as patch:
            patch.setattr(router_module, "key_of", key_of)
            routed(engines, lambda router: router.route(query or Query("x", 1), **choice), environ)
        return made[0]


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Keys:
    return Keys(monkeypatch)


@pytest.mark.parametrize(
    "other",
    [
        {"query": Query("y", 1)},
        {"query": Query("x", 2)},
        {"query": Query("x", 1, safe="off")},
        {"query": Query("x", 1, blocked_domains=("b.org",))},
        {"provider": "brave"},
        {"kind": "academic"},
        {"lens": load_lenses()["news"]},
        {"asked": {"claim": "c"}},
        {"environ": KEYS | {"SEARCH_PROVIDER": "google"}},
        {"environ": KEYS | {"SEARCH_ROUTING": "brave,google"}},
        {"environ": BRAVE | {"WEBQUARRY_BRAVE_URL": "https://api.search.brave.com:443"}},
    ],
    ids=str,
)
def test_whatever_affects_the_results_changes_the_key(keys: Keys, other: dict[str, Any]) -> None:
    assert keys.of() == keys.of()
    assert keys.of(**other) != keys.of()


def test_another_engine_id_changes_the_key_and_another_secret_does_not(keys: Keys) -> None:
    environ = KEYS | {"SEARCH_PROVIDER": "google"}

    assert keys.of(environ) != keys.of(environ | {"GOOGLE_SEARCH_ENGINE_ID": "another-engine"})
    assert keys.of(environ) == keys.of(environ | {"GOOGLE_SEARCH_API_KEY": "canary-other-1234"})


class Listening(MemoryStore):
    """A store that remembers whatever it was given."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.values: list[bytes] = []

    async def put(self, key: str, entry: CacheEntry) -> None:
        self.values.append(key.encode() + entry.value)
        await super().put(key, entry)


def test_no_secret_is_in_a_key_or_a_value(keys: Keys) -> None:
    def echo(request: Any) -> Any:
        return brave(f"https://a.org/?k={request.headers['x-subscription-token']}")

    environ = (
        HOMELESS
        | KEYS
        | {
            "SEARCH_ROUTING": "tavily,brave",
            "retries": "0",
            "WEBQUARRY_TAVILY_URL": "https://user:canary-password@api.tavily.com",
        }
    )
    store, engines = Listening(), Engines(tavily=failed(500), brave=echo)

    async def run() -> None:
        settings, clock = Settings.from_environment(environ), FakeClock()
        async with Client(settings, clock, providers=engines) as client:
            await Router(client, settings, environ, clock, lambda: Cache([store], clock)).route(
                Query("x", 1)
            )

    asyncio.run(run())
    keys.of(environ)

    assert len(store.values) == 1
    assert b"canary" not in store.values[0]
    assert "canary" not in json.dumps(keys.parameters)
