"""Notes on statements are written a moment later, and never after their engine was closed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest

from webquarry.ask.billing import notes as notes_module
from webquarry.ask.billing.notes import StatementNotes
from webquarry.ask.billing.statement import Statement


class OneStatement(Statement):
    """A statement of which nothing is asked."""

    def __init__(self) -> None:
        self.dry_run = False


class Written:
    """Stands where the records would be."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    async def write(self, statements: Iterable[Statement], *, at_end: bool = False) -> None:
        self.counts.append(len(list(statements)))


async def let_others_run() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    monkeypatch.setattr(notes_module, "_SECONDS", 0)
    return Written()


def test_what_is_known_of_a_statement_is_written_soon(written: Written) -> None:
    async def run() -> None:
        notes = StatementNotes(written.write)
        notes.attach()
        notes.add(OneStatement())
        async with asyncio.timeout(30):
            while not written.counts:
                await asyncio.sleep(0)

    asyncio.run(run())

    assert written.counts == [1]


def test_nothing_is_written_after_the_end(written: Written) -> None:
    """Also what another thread had said just before."""

    async def run() -> None:
        notes = StatementNotes(written.write)
        notes.attach()
        notes.add(OneStatement())
        await notes.close()
        notes.add(OneStatement())
        await let_others_run()

    asyncio.run(run())

    assert written.counts == [1]
