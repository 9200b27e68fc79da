"""Searches for the model: pace, waits, paused providers, and answers whose search failed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from tests.ask.asking import asked, with_engine
from tests.ask.fakes import SEARCH_KEY, FakeServers
from tests.ask.hasty_clock import TIMES, hasten
from webquarry._search.models import Found, Query
from webquarry.ask.engine import Engine
from webquarry.ask.models import ModelReply, Progress, Question
from webquarry.ask.searching import Searcher
from webquarry.clock import Clock
from webquarry.errors import (
    AuthFailure,
    NetworkFailure,
    RateLimited,
    WebquarryError,
)
from webquarry.settings import Settings

WRONG = "wrong-search-key-0001"


def searching(number: int) -> list[Question]:
    return [Question(f"row {place} [search]", "What is it?") for place in range(number)]


def run_statement(
    servers: FakeServers, folder: Path, *wanted: Question, **settings: str
) -> tuple[list[ModelReply], Progress]:
    async def work(engine: Engine) -> tuple[list[ModelReply], Progress]:
        statement = engine.statement()
        replies = await engine.ask_all(wanted, statement)
        return replies, statement.progress()

    result: tuple[list[ModelReply], Progress] = with_engine(
        servers, folder, work, search=True, **settings
    )
    return result


def search_warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


# The pace


@pytest.mark.slow
def test_provider_of_one_search_a_second_searches_for_every_row(
    servers: FakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    servers.search_interval = 1 / TIMES
    replies, progress = run_statement(servers, tmp_path, *searching(40))

    assert [reply.searched for reply in replies] == [True] * 40
    assert [reply.search_failed for reply in replies] == [None] * 40
    assert progress.unsearched == 0
    assert servers.messages == 80


class StandingClock(Clock):
    """A clock that advances only by sleeping."""

    def __init__(self) -> None:
        self.time = 100.0

    def monotonic(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)


class StubRouter:
    """A router of one provider, which does what the test says."""

    min_interval_seconds = 0.0
    credentials = ()

    def __init__(self, *outcomes: WebquarryError | None) -> None:
        self.outcomes = list(outcomes)
        self.asked = 0
        self.rest: WebquarryError | None = None
        self.services = self

    def provider(self, name: str) -> StubRouter:
        return self

    def find_rest(self, name: str) -> WebquarryError | None:
        return self.rest

    async def route(self, query: Query, provider: str) -> Found:
        self.asked += 1
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if outcome is not None:
            raise outcome
        return Found((), provider)


def open_searcher(router: StubRouter) -> tuple[Searcher, StandingClock, dict[str, str]]:
    clock = StandingClock()
    keys = {"BRAVE_API_KEY": "one"}
    searcher = Searcher(lambda: dict(keys), lambda _: cast(Any, router), clock, Settings())
    return searcher, clock, keys


def search(searcher: Searcher, check: Callable[[], None] = lambda: None) -> Found:
    return asyncio.run(searcher.search("brave", Query("a", 5), 10.0, check))


def test_retry_after_that_ends_within_the_limit_is_honoured() -> None:
    router = StubRouter(RateLimited("slow", retry_after_seconds=4.0))
    searcher, clock, _ = open_searcher(router)

    search(searcher)

    assert router.asked == 2
    assert 104.0 <= clock.time < 110.0


def test_retry_after_beyond_the_limit_fails_the_search_after_one_request() -> None:
    router = StubRouter(RateLimited("slow", retry_after_seconds=45.0))
    searcher, clock, _ = open_searcher(router)

    with pytest.raises(RateLimited):
        search(searcher)
    assert (router.asked, clock.time) == (1, 100.0)

    search(searcher)  # has not begun before the end of the pause
    assert router.asked == 2
    assert clock.time >= 145.0


def test_too_long_retry_after_pauses_the_provider() -> None:
    router = StubRouter(RateLimited("slow", retry_after_seconds=1200.0))
    searcher, clock, _ = open_searcher(router)

    with pytest.raises(RateLimited):
        search(searcher)
    assert searcher.find_rest("brave") == "slow"
    with pytest.raises(NetworkFailure):
        search(searcher)
    assert router.asked == 1
    clock.time += 1200.0
    search(searcher)


def test_rejected_key_pauses_the_provider_until_it_changes() -> None:
    router = StubRouter(AuthFailure("refused"))
    searcher, _, keys = open_searcher(router)

    with pytest.raises(AuthFailure):
        search(searcher)
    assert searcher.find_rest("brave") == "refused"
    keys["BRAVE_API_KEY"] = "two"
    search(searcher)
    assert router.asked == 2


def test_provider_with_an_open_breaker_is_paused() -> None:
    router = StubRouter()
    searcher, _, _ = open_searcher(router)
    router.rest = NetworkFailure("left alone")

    assert searcher.find_rest("brave") == "left alone"
    with pytest.raises(NetworkFailure):
        search(searcher)
    assert router.asked == 0


# A search that failed


def test_rejected_search_key_is_one_warning_and_rows_are_answered_without_it(
    servers: FakeServers, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    replies, progress = run_statement(
        servers, tmp_path, *searching(100), BRAVE_API_KEY=WRONG, ask_concurrency="4"
    )

    assert all(reply.answer and reply.error is None for reply in replies)
    assert all(reply.search_failed and "BRAVE_API_KEY" in reply.search_failed for reply in replies)
    assert progress.unsearched == 100
    assert servers.searches <= 6
    assert servers.messages <= 106
    about_search = [one for one in search_warnings(caplog) if "search" in one]
    assert len(about_search) <= 2
    assert len([one for one in about_search if "the search failed" in one]) == 1


def test_tool_is_not_offered_while_the_provider_rests(servers: FakeServers, tmp_path: Path) -> None:
    async def work(engine: Engine) -> None:
        await engine.ask(searching(1)[0], engine.statement())
        reply = await engine.ask(Question("other [search]", "b"), engine.statement())
        assert reply.search_failed

    with_engine(servers, tmp_path, work, BRAVE_API_KEY=WRONG)

    assert ["tools" in body for body in servers.bodies] == [True, True, False]
    assert servers.searches == 1


def test_corrected_key_is_used_at_once_and_the_old_answer_is_not(
    servers: FakeServers, tmp_path: Path
) -> None:
    async def work(engine: Engine) -> ModelReply:
        failed = await engine.ask(searching(1)[0], engine.statement())
        assert failed.search_failed
        same = await engine.ask(searching(1)[0], engine.statement())
        assert same.remembered
        engine.keys.set("BRAVE_API_KEY", SEARCH_KEY)
        return await engine.ask(searching(1)[0], engine.statement())

    reply = with_engine(servers, tmp_path, work, BRAVE_API_KEY=WRONG)
    assert (reply.searched, reply.search_failed) == (True, None)


def test_key_corrected_in_another_process_is_used_at_once(
    servers: FakeServers, tmp_path: Path
) -> None:
    assert asked(servers, tmp_path, *searching(1), BRAVE_API_KEY=WRONG)[0].search_failed
    assert asked(servers, tmp_path, *searching(1))[0].searched


class Later(Clock):
    def now(self) -> datetime:
        return super().now() + timedelta(seconds=61)


def test_answer_after_a_failed_search_is_stored_for_a_minute_at_most(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.search_status = 500

    async def soon(engine: Engine) -> ModelReply:
        return await engine.ask(searching(1)[0], engine.statement())

    async def later(engine: Engine) -> ModelReply:
        engine.clock = Later()
        return await engine.ask(searching(1)[0], engine.statement())

    settings = {"retries": "0"}
    assert "500" in with_engine(servers, tmp_path, soon, search=True, **settings).search_failed
    kept = with_engine(servers, tmp_path, soon, search=True, **settings)
    assert kept.remembered
    assert "500" in kept.search_failed
    servers.search_status = 200
    assert with_engine(servers, tmp_path, later, search=True, **settings).searched


def test_rows_that_wanted_a_search_and_got_none_are_counted_with_their_repeats(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.search_status = 500
    wanted = [*searching(2), *searching(2), Question("plain", "b")]
    _, progress = run_statement(servers, tmp_path, *wanted, retries="0")

    assert (progress.done, progress.unsearched) == (5, 4)


def test_paid_and_cached_searches_are_counted_separately(
    servers: FakeServers, tmp_path: Path
) -> None:
    same_query = [Question("a [search]", "first?"), Question("a [search]", "second?")]
    first, second = (asked(servers, tmp_path, one)[0].usage for one in same_query)

    assert (first.searches, first.kept_searches) == (1, 0)
    assert (second.searches, second.kept_searches) == (0, 1)
    assert servers.searches == 1
