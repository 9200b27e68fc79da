"""A clock on which time passes many times as fast: what waits for a second waits for a moment."""

from __future__ import annotations

import asyncio
import time

import pytest

from webquarry.ask import exchange
from webquarry.clock import Clock

TIMES = 20.0


def hasten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every clock of ours run so fast."""

    async def sleep(clock: Clock, seconds: float) -> None:
        await asyncio.sleep(seconds / TIMES)

    monkeypatch.setattr(Clock, "monotonic", lambda clock: time.monotonic() * TIMES)
    monkeypatch.setattr(Clock, "sleep", sleep)
    # The machine is not as fast as the clock.
    monkeypatch.setattr(exchange, "TOTAL_SECONDS", 1e6)
