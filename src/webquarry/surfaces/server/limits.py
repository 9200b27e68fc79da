"""How much a caller may ask: so many requests a minute and a day, so many calls at once, each alone
and all together.

Who is over the limit learns when to come back (429 and `Retry-After`); nothing of the request has
been done.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from webquarry.clock import Clock
from webquarry.errors import NoSlot
from webquarry.meter import count
from webquarry.quota.base import Limit, Quota, QuotaDenied
from webquarry.settings import Settings
from webquarry.surfaces.server.authentication import send_error
from webquarry.surfaces.server.principal import Principal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]
_MINUTE, _DAY = 60.0, 86_400.0


class RequestLimits:
    """An ASGI application before another one: those who ask too much wait. Stands behind
    `Authentication`.
    """

    def __init__(self, app: ASGIApp, quota: Quota, settings: Settings, clock: Clock) -> None:
        self._app = app
        self._quota = quota
        self._settings = settings
        self._clock = clock

    def guard(self, app: ASGIApp) -> RequestLimits:
        """The same limits before another application."""
        return RequestLimits(app, self._quota, self._settings, self._clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on within its caller's limits, or refuse it."""
        principal = scope.get("state", {}).get("principal")
        if not isinstance(principal, Principal):  # nothing that is guarded
            await self._app(scope, receive, send)
            return
        await self.pass_on(principal, send, partial(self._app, scope, receive, send))

    async def pass_on(self, principal: Principal, send: Send, work: Work) -> None:
        """Do the work for a request within its caller's limits, or refuse it."""
        now = self._clock.now().timestamp()
        taken = await self._quota.take(self._rate_limits(principal), now)
        if isinstance(taken, QuotaDenied):
            window = "this minute" if taken.limit.window_seconds == _MINUTE else "today"
            reason = f"As many requests as are allowed for {window} have been made."
            await self._refuse(send, principal, reason, taken.retry_after_seconds)
            return
        async with AsyncExitStack() as slots:
            try:
                for name, most in self._slot_limits(principal):
                    await slots.enter_async_context(self._quota.slot(name, most))
            except NoSlot as error:
                await self._refuse(
                    send, principal, error.sentence, error.retry_after_seconds or 1.0
                )
                return
            await work()

    def _rate_limits(self, principal: Principal) -> list[Limit]:
        """Requests in a time; a limit of 0 is none."""
        settings = self._settings
        limits = [
            Limit(f"{principal.id} minute", settings.http_minute_limit, _MINUTE),
            Limit(f"{principal.id} day", settings.http_day_limit, _DAY),
            Limit("all minute", settings.http_minute_limit_all, _MINUTE),
            Limit("all day", settings.http_day_limit_all, _DAY),
        ]
        return [limit for limit in limits if limit.most]

    def _slot_limits(self, principal: Principal) -> list[tuple[str, int]]:
        """Calls at once; a limit of 0 is none."""
        limits = [
            (principal.id, self._settings.http_calls_at_once),
            ("all", self._settings.http_calls_at_once_all),
        ]
        return [(name, most) for name, most in limits if most]

    async def _refuse(self, send: Send, principal: Principal, reason: str, seconds: float) -> None:
        """Send 429 and when to come back, in whole seconds."""
        count("refused", reason="limit")
        log.info("%r asked too much: %s", principal.name, reason)
        after = str(max(1, math.ceil(seconds)))
        description = f"{reason} Try again in {after} s."
        headers = [(b"retry-after", after.encode())]
        await send_error(send, 429, "rate_limited", description, headers)
