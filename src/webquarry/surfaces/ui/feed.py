"""Calls as they are made, in every process that shares the records -> events for a browser.

The log on disk is looked at again and again, since most calls are made in other processes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from webquarry.views.calls import describe_call

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_LOOK_SECONDS = 0.25
_PING_SECONDS = 15.0
_AT_ONCE = 200


async def follow_calls(
    kit: Toolkit, after: int, is_ending: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """The caller's calls after an id as server-sent events, until the server ends."""
    loop = asyncio.get_running_loop()
    said_at = loop.time()
    yield b": following\n\n"
    while not is_ending():
        calls = await asyncio.to_thread(kit.calls.list_after, after, _AT_ONCE)
        for call in calls:
            after = call.id
            data = json.dumps(describe_call(call), separators=(",", ":"))
            yield f"id: {call.id}\ndata: {data}\n\n".encode()
        if calls:
            said_at = loop.time()
        elif loop.time() - said_at > _PING_SECONDS:
            said_at = loop.time()
            yield b": ping\n\n"
        await asyncio.sleep(_LOOK_SECONDS)
