"""Rate and concurrency limits of HTTP callers: per principal and for all of them together.

A request over a limit is answered with 429 and `Retry-After` before any work is done.
"""

from __future__ import annotations

import logging
import math
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from webquarry.errors import NoSlot
from webquarry.mcp.asgi import error_response
from webquarry.meter import count
from webquarry.store.quota import Limit, Quota, QuotaDenied

if TYPE_CHECKING:
    from starlette.responses import Response

    from webquarry.clock import Clock
    from webquarry.mcp.auth import Principal
    from webquarry.settings import Settings

log = logging.getLogger(__name__)

_WINDOWS = {60.0: "minute", 86_400.0: "day"}


class RateLimits:
    """The limits of one server process; `processes` that do not share a quota divide each limit."""

    def __init__(self, settings: Settings, quota: Quota, clock: Clock, processes: int = 1) -> None:
        self._settings = settings
        self._quota = quota
        self._clock = clock
        self._processes = processes

    async def take(self, principal: Principal, requests: int = 1) -> Response | None:
        """Count requests; return a refusal if they exceed a limit."""
        limits = []
        for owner, suffix in ((principal.id, ""), ("all", "_all")):
            for seconds, window in _WINDOWS.items():
                most = self._read(f"http_{window}_limit{suffix}")
                if suffix:
                    most = max(most, self._read(f"http_{window}_limit"))
                if most:
                    limits.append(Limit(f"{owner} {window}", most, seconds))
        now = self._clock.now().timestamp()
        for _ in range(requests):
            taken = await self._quota.take(limits, now)
            if isinstance(taken, QuotaDenied):
                window = _WINDOWS[taken.limit.window_seconds]
                problem = f"More than {taken.limit.most} requests in a {window}."
                return _refuse(principal, problem, taken.retry_after_seconds)
        return None

    async def enter(self, slots: AsyncExitStack, principal: Principal) -> Response | None:
        """Count a request, and a call in progress until `slots` closes; return any refusal."""
        refusal = await self.take(principal)
        if refusal is not None:
            return refusal
        try:
            for owner, suffix in ((principal.id, ""), ("all", "_all")):
                most = self._read(f"http_calls_at_once{suffix}")
                if most:
                    await slots.enter_async_context(self._quota.slot(owner, most))
        except NoSlot as error:
            return _refuse(principal, error.sentence, error.retry_after_seconds or 1.0)
        return None

    def _read(self, setting: str) -> int:
        """Return a limit of this process; 0 for none."""
        most: int = getattr(self._settings, setting)
        return most and max(1, most // self._processes)


def _refuse(principal: Principal, problem: str, seconds: float) -> Response:
    count("refused", reason="limit")
    log.info("%r is over a limit: %s", principal.name, problem)
    after = str(max(1, math.ceil(seconds)))
    problem += f" Try again in {after} s."
    return error_response(429, "rate_limited", problem, {"Retry-After": after})
