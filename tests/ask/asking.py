"""What the tests of the engine share: questions, and engines in a home of their own that answer
them.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.ask.fakes import FakeServers, home, open_engine
from webquarry.ask.models import ModelReply, Question


def questions(number: int, mark: str = "") -> list[Question]:
    return [Question(f"row {n} {mark}".strip(), "What is it?") for n in range(number)]


def asked(
    servers: FakeServers, folder: Path, *wanted: Question, search: bool = True, **settings: str
) -> list[ModelReply]:
    """The replies of a new engine in this home."""

    async def work() -> list[ModelReply]:
        async with open_engine(home(servers, folder, search=search, **settings)) as engine:
            return await engine.ask_all(wanted, engine.statement())

    return asyncio.run(work())


def with_engine(
    servers: FakeServers, folder: Path, work: Any, *, search: bool = True, **settings: str
) -> Any:
    """What the work, a coroutine function, makes of a new engine."""

    async def run() -> Any:
        async with open_engine(home(servers, folder, search=search, **settings)) as engine:
            return await work(engine)

    return asyncio.run(run())
