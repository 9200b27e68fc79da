"""What the tests of the engine share: questions, and engines in a home of their own that answer
them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.ask.fakes import Rehearsal, home, open_engine
from webquarry.ask.models import Question, Reply


def questions(number: int, mark: str = "") -> list[Question]:
    return [Question(f"row {n} {mark}".strip(), "What is it?") for n in range(number)]


def asked(
    stage: Rehearsal, folder: Path, *wanted: Question, search: bool = True, **settings: str
) -> list[Reply]:
    """The replies of a new engine in this home."""

    async def work() -> list[Reply]:
        async with open_engine(home(stage, folder, search=search, **settings)) as engine:
            return await engine.ask_all(wanted, engine.statement())

    return asyncio.run(work())


def with_engine(
    stage: Rehearsal, folder: Path, work: Any, *, search: bool = True, **settings: str
) -> Any:
    """What the work, a coroutine function, makes of a new engine."""

    async def run() -> Any:
        async with open_engine(home(stage, folder, search=search, **settings)) as engine:
            return await work(engine)

    return asyncio.run(run())
