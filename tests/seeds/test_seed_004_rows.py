"""Seed 004, the rows that hard use found to differ. Each test is named after its row."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest

from tests.mcp.in_process import call as call_tool
from tests.net.doubles import FakeClock, FakeWeb
from tests.search.engines import KEYS, Engines, brave, called, failed, routed, tavily
from tests.search.replies import recorded
from tests.tools.pages import ARTICLE, URL, Session, sent
from webquarry._search import models as search_models
from webquarry._search import router as router_module
from webquarry._search.filters import cut_query
from webquarry._search.models import Found, Query
from webquarry._search.provider import Provider
from webquarry.clock import Clock
from webquarry.errors import AuthFailure
from webquarry.mcp.linking import read_artifact
from webquarry.net.client import Client
from webquarry.pages import pages as pages_module
from webquarry.registry import members_of
from webquarry.settings import Settings
from webquarry.store.cache import Cache, MemoryStore
from webquarry.toolkit import Toolkit
from webquarry.tools import load

A = "https://a.org/1"
BRAVE = KEYS | {"SEARCH_PROVIDER": "brave"}
TWO = KEYS | {"SEARCH_ROUTING": "brave,tavily"}
NO_KEYS = {"SEARCH_PROVIDER": "duckduckgo"}
WORDS = ("tidetables navigation northernmost harborages " * 20)[:500]
REDDIT = "https://www.reddit.com/r/sailing/comments/1abcde/reading_a_tide_table/"
BLOCKED = sent("<title>Blocked</title>whoa there, pardner!", status=403)
FEED = """<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">
<title>Reading a tide table : sailing</title><id>/r/sailing/comments/1abcde/.rss</id>
<entry><author><name>/u/saltmarsh</name></author><id>t3_1abcde</id>
<title>Reading a tide table</title><content type="html">&lt;p&gt;Which column?&lt;/p&gt;</content>
</entry><entry><author><name>/u/harbor_notes</name></author><id>t1_x</id>
<title>/u/harbor_notes on Reading a tide table</title>
<content type="html">&lt;p&gt;The second one, in metres.&lt;/p&gt;</content></entry></feed>"""


# Query of 1 to 500 characters


@pytest.mark.parametrize("length", [399, 400, 401, 450, 499, 500])
def test_query_of_1_to_500_characters_is_answered_by_brave(length: int) -> None:
    engines = Engines(brave=brave(A))
    answer = called(engines, "web_search", BRAVE, query=WORDS[:length].strip().ljust(length, "x"))

    sent_text = engines.sent()["q"]
    notes = answer.meta["webquarry/routing"]["notes"]
    assert answer.as_dict()["urls"] == [A]
    assert len(sent_text) <= 400
    assert len(sent_text.split()) <= 50
    assert any("Brave Search takes at most" in note for note in notes) is (length > 400)


def test_query_of_1_to_500_characters_is_never_cut_in_silence_nor_inside_a_word() -> None:
    engines = Engines(brave=brave(A))
    answer = called(engines, "web_search", BRAVE, query=WORDS)

    sent_text = engines.sent()["q"]
    assert WORDS.startswith(sent_text + " ")
    assert answer.meta["webquarry/routing"]["notes"] == [
        "Brave Search takes at most 400 characters and 50 words in a query: the first "
        f"{len(sent_text)} of 500 characters were searched for."
    ]


def test_query_of_1_to_500_characters_goes_to_a_provider_that_takes_it_whole() -> None:
    engines = Engines(brave=brave(A), serper=httpx2.Response(200, json=SERPER))
    environ = KEYS | {"SEARCH_ROUTING": "brave,tavily,serper"}

    long = called(engines, "web_search", environ, query=WORDS, num_results=1)
    short = called(engines, "web_search", environ, query="tides", num_results=1)

    assert engines.names == ["serper", "brave"]
    assert engines.sent()["q"] == WORDS
    assert long.meta["webquarry/routing"]["fallback"] is False
    assert long.meta["webquarry/routing"]["notes"] == []
    assert short.meta["webquarry/routing"]["providerUsed"] == "brave"


def test_query_of_1_to_500_characters_is_cut_where_those_who_take_it_fail() -> None:
    engines = Engines(brave=brave(A), serper=failed(500))
    answer = called(engines, "web_search", KEYS | {"SEARCH_ROUTING": "brave,serper"}, query=WORDS)

    assert engines.names == ["serper", "brave"]
    assert answer.as_dict()["urls"] == [A]


SERPER = {
    "searchParameters": {},
    "organic": [{"title": "t", "link": A, "snippet": "s"}],
}
PROVIDERS = members_of("webquarry._search.providers", Provider)
HARD = {
    "words": WORDS,
    "one word": "x" * 500,
    "no blanks": "潮汐表" * 166,
    "short words": "a " * 249 + "a",
    "a phrase": f'"{"tide " * 99}"',
    "commands": "!tide " * 83,
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
@pytest.mark.parametrize("kind", PROVIDERS, ids=lambda kind: kind.name)
def test_query_of_1_to_500_characters_can_be_sent_to_every_provider(
    kind: type[Provider], text: str
) -> None:
    environ = {wanted.variable: "canary-1234" for wanted in kind.credentials}
    settings = Settings.from_environment({"SEARXNG_URL": "http://127.0.0.1:8888"})
    provider = kind.configure(settings, environ | {"HOME": "/nonexistent"})
    query = Query(" ".join(text.split()), 5)

    shorter, notes = cut_query(query, provider)

    provider.build_request(shorter)
    assert shorter.text
    assert shorter.text.count('"') % 2 == 0
    assert bool(notes) is (shorter != query)


def test_query_of_1_to_500_characters_leaves_room_for_the_site() -> None:
    engines = Engines(brave=brave("https://docs.a.org/1"))
    called(engines, "web_search", BRAVE, query=WORDS, site="docs.a.org")

    assert engines.sent()["q"].endswith(" site:docs.a.org")


# Key contains everything that affects the result


def ask_twice(engines: Engines, seconds: float, environ: dict[str, str] = TWO) -> list[Found]:
    clock = FakeClock()

    async def use(router: Any) -> list[Found]:
        first = await router.route(Query("x", 1))
        clock.seconds += seconds
        return [first, await router.route(Query("x", 1))]

    return routed(engines, use, environ, clock)


def test_key_fallback_answer_is_cached_five_minutes_under_the_first_providers_key() -> None:
    engines = Engines(brave=[failed(500), brave(A)], tavily=tavily("https://t.org/"))
    kept = ask_twice(engines, 299)
    engines = Engines(brave=[failed(500), brave(A)], tavily=tavily("https://t.org/"))
    asked_again = ask_twice(engines, 301)

    assert [one.provider for one in kept] == ["tavily", "tavily"]
    assert (kept[1].cached, kept[1].max_age_seconds) == (True, 300)
    assert [one.provider for one in asked_again] == ["tavily", "brave"]


def test_key_answer_of_the_first_provider_is_cached_half_an_hour() -> None:
    kept = ask_twice(Engines(brave=brave(A)), 1799)

    assert (kept[1].cached, kept[1].max_age_seconds) == (True, 1800)


def test_key_fallback_answer_is_not_returned_once_the_first_provider_has_a_key() -> None:
    store = MemoryStore(1_000_000)
    engines = Engines(brave=brave(A), tavily=tavily("https://t.org/"))

    async def search(environ: dict[str, str]) -> Found:
        environ = {"HOME": "/nonexistent"} | environ
        settings, clock = Settings.from_environment(environ), FakeClock()
        async with Client(settings, clock, providers=engines) as client:
            cache = Cache([store], clock)
            router = router_module.Router(client, settings, environ, clock, lambda: cache)
            return await router.route(Query("x", 1))

    without = {name: value for name, value in TWO.items() if name != "BRAVE_API_KEY"}

    assert asyncio.run(search(without)).provider == "tavily"
    assert asyncio.run(search(TWO)).provider == "brave"


class Searches:
    """Calls of `web_search` one after the other, with one cache."""

    def __init__(self, engines: Engines, environ: dict[str, str] = BRAVE) -> None:
        self._engines = engines
        self._environ = {"HOME": "/nonexistent", "retries": "0"} | environ
        self._clock = FakeClock()
        self._cache = Cache([MemoryStore(1_000_000)], self._clock)

    def call(self, **arguments: Any) -> Any:
        async def run() -> Any:
            async with Toolkit.open(environ=self._environ) as kit:
                kit.clock, kit.cache = self._clock, self._cache
                kit.client = Client(kit.settings, kit.clock, providers=self._engines)
                return await load("research", "web_search").call(kit, arguments)

        return asyncio.run(run())


def test_key_two_claims_on_one_query_are_one_search_and_two_pieces_of_evidence() -> None:
    engines = Engines(brave=brave(A, description="The moon pulls. The sun pulls less."))
    searches = Searches(engines)
    moon = searches.call(query="tides", claim="The moon pulls")
    sun = searches.call(query="tides", claim="The sun pulls less")
    none = searches.call(query="tides")

    assert engines.names == ["brave"]
    assert moon.results[0].claim_signal == "The moon pulls."
    assert sun.results[0].claim_signal == "The sun pulls less."
    assert none.results[0].claim_signal is None


def test_key_fresh_ignores_the_cache_and_replaces_the_entry() -> None:
    engines = Engines(brave=[brave(A), brave("https://b.org/2")])
    searches = Searches(engines)
    old = searches.call(query="tides")
    fresh = searches.call(query="tides", fresh=True)
    later = searches.call(query="tides")

    assert engines.names == ["brave", "brave"]
    assert old.urls == [A]
    assert fresh.urls == later.urls == ["https://b.org/2"]
    assert fresh.meta["webquarry/cache"]["freshness"] == "live"
    assert later.meta["webquarry/cache"]["cached"] is True


@pytest.mark.parametrize("mode", ["full", "whole", "raw"])
def test_key_fresh_reads_a_page_again_and_replaces_the_entry(mode: str) -> None:
    newer = ARTICLE.replace("Number 1", "Number one")
    session = Session(FakeWeb({URL: [sent(ARTICLE), sent(newer)]}))
    old = session.scrape(mode=mode)
    fresh = session.scrape(mode=mode, fresh=True)
    later = session.scrape(mode=mode)

    assert "Number 1:" in old.content
    assert "Number one:" in fresh.content
    assert later.content == fresh.content
    assert len(session.web.asked()) == 2
    assert later.meta["webquarry/cache"]["cached"] is True


def test_key_a_fresh_page_takes_the_place_of_one_that_a_search_has_read() -> None:
    newer = ARTICLE.replace("Number 1", "Number one")
    session = Session(FakeWeb({URL: [sent(ARTICLE), sent(newer)]}))

    async def read(fresh: bool, with_styles: bool) -> bytes:
        async with Toolkit.open(environ={"HOME": "/nonexistent"}) as kit:
            kit.clock, kit.cache = session.clock, session.cache
            kit.client = Client(kit.settings, kit.clock, pages=session.web)
            snapshot = await kit.pages.get(URL, fresh=fresh, with_styles=with_styles)
            return snapshot.data

    assert b"Number 1:" in asyncio.run(read(fresh=False, with_styles=False))
    assert b"Number one:" in asyncio.run(read(fresh=True, with_styles=True))
    for with_styles in (False, True):
        assert b"Number one:" in asyncio.run(read(fresh=False, with_styles=with_styles))


# Invalid key: set-up instructions


@pytest.mark.parametrize("name", ["brave", "google"])
def test_invalid_key_is_not_called_one_that_was_not_found(name: str) -> None:
    replies = {"brave": "brave/auth_422_token_invalid", "google": "google/auth_400_key_invalid"}
    status = int(replies[name].split("_")[1])
    refusal = httpx2.Response(status, content=recorded(replies[name]))
    with pytest.raises(AuthFailure) as caught:
        called(Engines(**{name: refusal}), "web_search", KEYS, query="x", provider=name)

    error = caught.value.as_dict()
    variable = {"brave": "BRAVE_API_KEY", "google": "GOOGLE_SEARCH_API_KEY"}[name]
    assert "not found" not in error["message"]
    assert f"did not accept what was found in environment variable {variable}" in error["message"]
    assert f"set {variable}" in error["suggestedAction"]
    assert "https://" in error["suggestedAction"]
    assert ".env.example" in error["suggestedAction"]


def test_invalid_key_of_one_of_two_providers_is_named_next_to_the_answer() -> None:
    refusal = httpx2.Response(422, content=recorded("brave/auth_422_token_invalid"))
    engines = Engines(brave=refusal, tavily=tavily(A))
    answer = called(engines, "web_search", TWO, query="x")

    reason = answer.meta["webquarry/routing"]["fallbackReason"]
    assert "did not accept" in reason
    assert "not found" not in reason


def test_value_that_cannot_be_a_key_is_named_as_such() -> None:
    with pytest.raises(AuthFailure) as caught:
        called(Engines(), "web_search", BRAVE | {"BRAVE_API_KEY": "two words"}, query="x")

    assert "cannot be a key" in caught.value.sentence


# forumSignals of Reddit


def test_forum_signals_of_reddit_its_feed_is_read_where_the_page_is_refused() -> None:
    web = FakeWeb({REDDIT: BLOCKED, f"{REDDIT}.rss": sent(FEED, "application/atom+xml")})
    answer = Session(web).scrape(REDDIT)

    assert "Which column?" in answer.content
    assert "The second one, in metres." in answer.content
    assert answer.url == answer.citation.url == REDDIT
    assert answer.forum_signals is None
    assert any("feed was read" in note for note in answer.meta["webquarry/routing"]["notes"])


def test_forum_signals_of_reddit_refusal_without_a_feed_is_reported() -> None:
    web = FakeWeb({REDDIT: BLOCKED, f"{REDDIT}.rss": httpx2.Response(429)})
    with pytest.raises(Exception, match=r"www\.reddit\.com"):
        Session(web).scrape(REDDIT)


# sourceReputation


def test_source_reputation_of_wikipedia_is_mixed_as_a_tertiary_source() -> None:
    engines = Engines(brave=brave("https://en.wikipedia.org/wiki/Tide", "https://infowars.com/"))
    answer = called(engines, "web_search", BRAVE, query="x").as_dict()["results"]
    url = "https://en.wikipedia.org/wiki/Tide"
    api = "https://en.wikipedia.org/w/rest.php/v1/page/Tide/html"
    read = Session(FakeWeb({api: sent(ARTICLE)})).scrape(url).as_dict()

    expected = {"tier": "mixed", "basis": "tertiary source"}
    assert answer[0]["sourceReputation"] == read["sourceReputation"] == expected
    assert answer[1]["sourceReputation"]["tier"] == "low"


# Version segment of the cache key; artifacts end after an hour


def test_version_segment_search_cached_by_an_older_version_is_not_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engines = Engines(brave=brave(A))
    searches = Searches(engines)
    searches.call(query="tides")
    searches.call(query="tides")
    assert len(engines.asked) == 1

    monkeypatch.setattr(router_module, "VERSION", search_models.VERSION + 1)
    searches.call(query="tides")
    assert len(engines.asked) == 2


@pytest.mark.parametrize("mode", ["full", "raw"])
def test_version_segment_page_cached_by_an_older_version_is_not_served(
    monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    session = Session(FakeWeb({URL: [sent(ARTICLE), sent(ARTICLE)]}))
    session.scrape(mode=mode)
    session.scrape(mode=mode)
    assert len(session.web.asked()) == 1

    monkeypatch.setattr(pages_module, "_VERSION", pages_module._VERSION + 1)
    session.scrape(mode=mode)
    assert len(session.web.asked()) == 2


class Movable(Clock):
    """A clock that can be put forward."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


def test_artifacts_end_after_an_hour_with_not_found() -> None:
    web = FakeWeb({URL: sent("tide " * 40_000, "text/plain")})
    clock = Movable()

    async def use() -> tuple[str | None, str | None]:
        async with Toolkit.open(environ={"HOME": "/nonexistent"}) as kit:
            kit.clock, kit.cache = clock, Cache([MemoryStore(10_000_000)], clock)
            kit.client = Client(kit.settings, kit.clock, pages=web)
            arguments = {"url": URL, "mode": "raw", "max_length": 200_000}
            tool = load("research", "scrape_page")
            linked = (await call_tool(tool, kit, arguments)).structured_content
            assert isinstance(linked, dict)
            clock.ahead = timedelta(minutes=59)
            before = await read_artifact(linked["resource"], kit)
            clock.ahead = timedelta(minutes=61)
            return before, await read_artifact(linked["resource"], kit)

    before, after = asyncio.run(use())

    assert before is not None
    assert before.count("tide") >= 40_000
    assert after is None
