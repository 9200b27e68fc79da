"""What is kept for one caller is found by nobody else."""

from __future__ import annotations

import asyncio

from webquarry.caller import LOCAL, caller, serving
from webquarry.store.cache import key_of


def test_the_same_question_of_two_callers_has_two_keys() -> None:
    keys = {key_of("search", 1, {"query": "x"})}
    for name in ("ada", "bob"):
        with serving(name):
            keys.add(key_of("search", 1, {"query": "x"}))

    assert len(keys) == 3


def test_task_inherits_the_caller() -> None:
    async def scenario() -> tuple[str, str]:
        async def named() -> str:
            return caller()

        with serving("ada"):
            task = asyncio.create_task(named())
        return await task, caller()

    assert asyncio.run(scenario()) == ("ada", LOCAL)
