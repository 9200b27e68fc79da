"""Two who work on one session at once lose nothing that was acknowledged, however their work is
interleaved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.net.doubles import FakeClock
from webquarry.errors import BadInput
from webquarry.sessions.models import ResearchSession, Source, StepDraft
from webquarry.sessions.sessions import Sessions
from webquarry.settings import Settings
from webquarry.store.journals import FileJournals, Journal, Journals
from webquarry.store.records import RecordFile

WRITERS = ("ada", "bob")
TURNS = st.lists(st.sampled_from(WRITERS), max_size=60)
WORK = st.lists(st.sampled_from(["step", "sources"]), min_size=1, max_size=5)


class Conductor:
    """Lets one writer at a time do one thing with the journals, in the order of a score; then
    whoever is waiting.
    """

    def __init__(self, turns: list[str]) -> None:
        self._turns = list(turns)
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self._at_work = set(WRITERS)

    async def turn(self, name: str) -> None:
        self._waiting[name] = asyncio.get_running_loop().create_future()
        self._next()
        await self._waiting[name]

    def done(self, name: str) -> None:
        self._at_work.discard(name)
        self._next()

    def _next(self) -> None:
        """Nobody is let go on before all who are at work wait, so that the score alone decides."""
        waiting = {name for name, future in self._waiting.items() if not future.done()}
        if not waiting or waiting != self._at_work:
            return
        while self._turns and self._turns[0] not in waiting:
            self._turns.pop(0)
        chosen = self._turns.pop(0) if self._turns else min(waiting)
        self._waiting[chosen].set_result(None)


class Conducted(Journals):
    """Journals of which one writer's reading and adding wait for their turns."""

    def __init__(self, journals: Journals, turn: Callable[[], Awaitable[None]]) -> None:
        self._journals, self._turn = journals, turn

    async def begin(self, *args: Any, **kwargs: Any) -> None:
        await self._journals.begin(*args, **kwargs)

    async def read(self, *args: Any, **kwargs: Any) -> Journal | None:
        await self._turn()
        return await self._journals.read(*args, **kwargs)

    async def append(self, *args: Any, **kwargs: Any) -> int:
        await self._turn()
        return await self._journals.append(*args, **kwargs)

    async def list(self, *args: Any, **kwargs: Any) -> list[Journal]:
        return await self._journals.list(*args, **kwargs)

    async def delete(self, owner: str, id: str) -> bool:
        return await self._journals.delete(owner, id)


async def write(
    sessions: Sessions, id: str, name: str, work: list[str]
) -> tuple[list[str], list[str]]:
    """Do the work; the steps and the sources that were acknowledged."""
    steps, urls = [], []
    for number, kind in enumerate(work):
        session = await sessions.read(id)
        if kind == "sources":
            url = f"https://{name}.example/{number}"
            await sessions.record(session, "web_search", [Source(url)])
            urls.append(url)
            continue
        text = f"{name} {number}"
        while True:
            try:
                _, step = await sessions.add_step(id, StepDraft(len(session.steps) + 1, text))
            except BadInput:  # the other one was first
                session = await sessions.read(id)
                continue
            assert (step.number, step.text) == (
                len(session.steps) + 1,
                text,
            )  # under the number it was sent as
            steps.append(text)
            break
    return steps, urls


async def together(
    turns: list[str], work: dict[str, list[str]]
) -> tuple[ResearchSession, dict[str, tuple[list[str], list[str]]]]:
    file = RecordFile(None)
    journals, clock, conductor = FileJournals(file), FakeClock(), Conductor(turns)
    plain = Sessions(journals, clock, Settings())
    id = (await plain.begin(StepDraft(1, "begin"))).id

    async def one(name: str) -> tuple[list[str], list[str]]:
        sessions = Sessions(Conducted(journals, lambda: conductor.turn(name)), clock, Settings())
        try:
            return await write(sessions, id, name, work[name])
        finally:
            conductor.done(name)

    try:
        async with asyncio.timeout(60):
            done = await asyncio.gather(*map(one, WRITERS))
        return await plain.read(id), dict(zip(WRITERS, done, strict=True))
    finally:
        file.close()


@settings(max_examples=60, deadline=None)
@given(turns=TURNS, work=st.fixed_dictionaries(dict.fromkeys(WRITERS, WORK)))
def test_no_interleaving_of_two_writers_loses_acknowledged_entries(
    turns: list[str], work: dict[str, list[str]]
) -> None:
    session, acknowledged = asyncio.run(together(turns, work))

    texts = [step.text for step in session.steps]
    urls = [one.source.url for one in session.sources]
    assert sorted(texts) == sorted(
        ["begin", *(text for steps, _ in acknowledged.values() for text in steps)]
    )
    assert sorted(urls) == sorted(url for _, found in acknowledged.values() for url in found)
    for name in WRITERS:  # each one's own order is kept, too
        assert [text for text in texts if text.startswith(name)] == acknowledged[name][0]
    assert [step.number for step in session.steps] == list(range(1, len(texts) + 1))
