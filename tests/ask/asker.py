"""A program that asks questions on request and writes the results as JSON.

python -m tests.ask.asker MARK COUNT
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from tests.ask.fakes import open_engine
from webquarry.ask.models import Question
from webquarry.errors import LimitReached


async def ask(mark: str, count: int) -> dict[str, object]:
    async with open_engine(os.environ) as engine:
        engine.check()
        engine.options.set("concurrency", os.environ.get("TEST_CONCURRENCY", "16"))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()  # until the test says so
        wanted = [Question(f"{mark} {number}", "What is it?") for number in range(count)]
        statement = engine.statement()
        try:
            replies = await engine.ask_all(wanted, statement)
        except LimitReached as error:
            return {"limit": error.message, "usd": statement.progress().usage.usd}
        progress = statement.progress()
        return {
            "limit": None,
            "usd": progress.usage.usd,
            "calls": progress.usage.calls,
            "hits": progress.hits,
            "answers": [reply.answer for reply in replies],
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(ask(sys.argv[1], int(sys.argv[2])))) + "\n")
