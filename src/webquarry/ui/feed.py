"""Server-sent events for tool calls.

The call log is polled, because most calls are made by other processes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from webquarry.views.calls import describe_call

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_POLL_SECONDS = 0.25
_PING_SECONDS = 15.0
_MAX_CALLS = 200


async def follow_calls(
    kit: Toolkit, after: int, is_ending: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Yield the caller's calls after an id as events, until the server ends."""
    loop = asyncio.get_running_loop()
    sent_at = loop.time()
    yield b": following\n\n"
    while not is_ending():
        calls = await asyncio.to_thread(kit.calls.list_after, after, _MAX_CALLS)
        for call in calls:
            after = call.id
            data = json.dumps(describe_call(call), separators=(",", ":"))
            yield f"id: {call.id}\ndata: {data}\n\n".encode()
        if calls:
            sent_at = loop.time()
        elif loop.time() - sent_at > _PING_SECONDS:
            sent_at = loop.time()
            yield b": ping\n\n"
        await asyncio.sleep(_POLL_SECONDS)
