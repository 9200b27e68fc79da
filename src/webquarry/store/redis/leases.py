"""Leases in Redis: what is held for a time and renewed in the background, so that what a server
held that was killed comes back by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from webquarry.store.redis.connection import RedisUnavailable

RENEWALS = 3  # within the time of one lease


@asynccontextmanager
async def renew(lease_seconds: float, ask: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Renew a lease for the length of the block; no longer once `ask` says that it is lost."""

    async def keep_asking() -> None:
        while True:
            await asyncio.sleep(lease_seconds / RENEWALS)
            with suppress(RedisUnavailable):
                if not await ask():
                    return

    task = asyncio.create_task(keep_asking())
    try:
        yield
    finally:
        task.cancel()
