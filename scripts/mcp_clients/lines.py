"""A connected client asked by lines: one JSON request on stdin, one JSON answer on stdout.

Runs beside its two users, in our environment and in that of fastmcp, so it imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

Json = dict[str, Any]


def target() -> Json:
    """What to connect to: {url}, or {command, environ} of a server on stdio."""
    given: Json = json.loads(sys.argv[1])
    return given


async def answer_lines(
    protocol: str | None,
    list_tools: Callable[[], Awaitable[list[Json]]],
    call_tool: Callable[[str, Json], Awaitable[Json]],
) -> None:
    _say({"protocol": protocol})
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        try:
            if asked["do"] == "list":
                _say({"tools": await list_tools()})
            else:
                _say({"result": await call_tool(asked["name"], asked["arguments"])})
        except Exception as error:  # whatever a client raises is what we want to know
            _say({"error": f"{type(error).__name__}: {error}"[:2000]})


def _say(answer: Json) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
