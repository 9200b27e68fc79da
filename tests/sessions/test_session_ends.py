"""How long a session is kept, for whom, and which gives way when there are too many."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.net.doubles import FakeClock
from tests.sessions.kits import A, sessions_in
from webquarry.caller import serving
from webquarry.errors import (
    BadInput,
    NotFound,
)
from webquarry.sessions.models import ResearchSession, Source, StepDraft

HOURS = 3600.0
DAYS = 24 * HOURS


def test_a_session_ends_thirty_days_after_its_last_use() -> None:
    async def scenario() -> None:
        clock = FakeClock()
        async with sessions_in(None, clock) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            clock.seconds += 30 * DAYS
            await sessions.add_step(id, StepDraft(2, "two"))  # used: the time begins anew
            clock.seconds += 30 * DAYS
            session = await sessions.read(id)
            assert len(session.steps) == 2
            assert sessions.ends_at(session) == clock.now()
            clock.seconds += 1
            with pytest.raises(NotFound, match="no research session") as caught:
                await sessions.read(id)
            assert "end 30 days after" in caught.value.suggested_action
            assert "stepNumber 1" in caught.value.suggested_action
            with pytest.raises(NotFound):
                await sessions.add_step(id, StepDraft(3, "three"))

    asyncio.run(scenario())


def test_a_session_that_is_looked_at_or_used_by_tools_is_not_idle() -> None:
    async def scenario() -> ResearchSession:
        clock = FakeClock()
        async with sessions_in(None, clock) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            await sessions.record(session, "web_search", [Source(A)])
            for _ in range(3):
                clock.seconds += 3 * HOURS
                session = await sessions.read(session.id)
                await sessions.record(session, "web_search", [Source(A)])  # nothing new
            before = session.version
            for _ in range(10):
                await sessions.touch(await sessions.read(session.id))
            assert (
                await sessions.read(session.id)
            ).version <= before + 1  # written only now and then
            return await sessions.read(session.id)

    assert len(asyncio.run(scenario()).sources) == 1


def test_sessions_are_isolated_per_caller(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with sessions_in(tmp_path) as sessions:
            with serving("ada"):
                session = await sessions.begin(StepDraft(1, "one"))
            with serving("bob"):
                for attempt in (
                    sessions.read(session.id),
                    sessions.add_step(session.id, StepDraft(2, "two")),
                    sessions.record(session, "web_search", [Source(A)]),
                ):
                    with pytest.raises(NotFound):
                        await attempt
                assert await sessions.list() == []
            with serving("ada"):
                assert await sessions.list() == [(session.id, False)]
                assert (await sessions.read(session.id.upper())).id == session.id

    asyncio.run(scenario())


def test_beyond_a_thousand_sessions_a_finished_one_gives_way_then_the_one_idle_longest(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        clock = FakeClock()
        async with sessions_in(tmp_path, clock) as sessions:
            ids = []
            for number in range(1_000):
                clock.seconds += 1
                ids.append((await sessions.begin(StepDraft(1, f"one {number}"))).id)
            await sessions.add_step(ids[7], StepDraft(2, "enough", finished=True))
            with serving("somebody else"):
                await sessions.begin(StepDraft(1, "theirs"))
            first = await sessions.begin(StepDraft(1, "one more"))
            held = {id for id, _ in await sessions.list()}
            assert held == {*ids, first.id} - {ids[7]}
            second = await sessions.begin(StepDraft(1, "and one more"))
            held = {id for id, _ in await sessions.list()}
            assert held == {*ids, first.id, second.id} - {ids[7], ids[0]}

    asyncio.run(scenario())


def test_a_step_beyond_the_maximum_is_refused_and_a_full_session_may_give_way() -> None:
    async def scenario() -> ResearchSession:
        async with sessions_in(None, session_most_steps=20) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            for number in range(2, 21):
                session, _ = await sessions.add_step(
                    session.id, StepDraft(number, f"step {number}")
                )
            with pytest.raises(BadInput, match="maximum of 20 steps") as caught:
                await sessions.add_step(session.id, StepDraft(21, "too many"))
            assert "start a new one" in caught.value.suggested_action
            return await sessions.read(session.id)

    session = asyncio.run(scenario())

    assert len(session.steps) == 20
    assert session.finished
