"""A connected client request by lines: one JSON request on stdin, one JSON answer on stdout.

Runs beside its two users, in our environment and in that of fastmcp, so it imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

Json = dict[str, Any]


def read_target() -> Json:
    """What to connect to: {url}, or {command, environ} of a server on stdio."""
    target: Json = json.loads(sys.argv[1])
    return target


async def answer_lines(
    protocol: str | None,
    list_tools: Callable[[], Awaitable[list[Json]]],
    call_tool: Callable[[str, Json], Awaitable[Json]],
) -> None:
    """Write the protocol, then answer requests to list and to call until stdin ends."""
    _write({"protocol": protocol})
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        try:
            if request["do"] == "list":
                _write({"tools": await list_tools()})
            else:
                _write({"result": await call_tool(request["name"], request["arguments"])})
        except Exception as error:  # whatever a client raises is what we want to know
            _write({"error": f"{type(error).__name__}: {error}"[:2000]})


def _write(answer: Json) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
