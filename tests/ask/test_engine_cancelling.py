"""The engine: what a cancellation stops, and what it leaves alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.ask.asking import asked, questions, with_engine
from tests.ask.fakes import FakeServers
from webquarry.ask.engine import Engine
from webquarry.ask.models import ModelReply
from webquarry.errors import Cancelled


def test_after_a_cancellation_no_search_is_begun_either(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 0.2

    async def work(engine: Engine) -> None:
        engine.grace_seconds = 30
        asking = asyncio.ensure_future(engine.ask_all(questions(4, "[search]"), engine.statement()))
        while servers.in_flight < 4:
            await asyncio.sleep(0.01)
        engine.cancel()
        with pytest.raises(Cancelled):
            await asking

    with_engine(servers, tmp_path, work)

    assert (servers.messages, servers.searches) == (4, 0)


def test_cancelling_sends_no_further_call_and_stores_finished_answers(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 0.2

    async def work(engine: Engine) -> None:
        engine.grace_seconds = 30  # those under way have time to end, however slow this machine is
        statement = engine.statement()
        asking = asyncio.ensure_future(engine.ask_all(questions(64), statement))
        while servers.answered < 4:
            await asyncio.sleep(0.01)
        begun = servers.messages
        engine.cancel()
        with pytest.raises(Cancelled):
            await asking
        with pytest.raises(Cancelled):
            await engine.ask_all(questions(1), statement)
        assert servers.messages <= begun + 4, "but for those that were on their way"

    with_engine(servers, tmp_path, work, ask_concurrency="4")
    begun = servers.messages
    asked(servers, tmp_path, *questions(64))

    assert begun < 64
    assert servers.answered == 64, "calls in progress were stored, and only the rest was asked"


def test_call_that_does_not_end_in_time_is_cut_off_and_counted_as_uncertain(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 30

    async def work(engine: Engine) -> float:
        engine.grace_seconds = 0.05
        asking = asyncio.ensure_future(engine.ask_all(questions(2), engine.statement()))
        while servers.in_flight < 2:
            await asyncio.sleep(0.01)
        engine.cancel()
        with pytest.raises(Cancelled):
            await asking
        return sum(spent.uncertain_usd for spent in await engine.usage())

    assert with_engine(servers, tmp_path, work) > 0.02


def test_cancelled_statement_takes_no_answer_from_another(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 0.1

    async def work(engine: Engine) -> list[ModelReply]:
        one, two = engine.statement(), engine.statement()
        first = asyncio.ensure_future(engine.ask_all(questions(8), one))
        second = asyncio.ensure_future(engine.ask_all(questions(8), two))
        while not servers.in_flight:
            await asyncio.sleep(0.01)
        one.cancel()
        with pytest.raises(Cancelled):
            await first
        return await second

    replies = with_engine(servers, tmp_path, work, ask_concurrency="2")

    assert all(reply.error is None for reply in replies)
    assert servers.messages == 8
