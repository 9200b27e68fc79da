"""How much a caller may ask: so many requests a minute and a day, so many calls at once, each alone
and all together.

What is over the limit is told when to come back (429 and `Retry-After`); nothing of it has been
done.
"""

from __future__ import annotations

import logging
import math
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from webquarry.clock import Clock
from webquarry.errors import NoSlot
from webquarry.meter import count
from webquarry.quota.base import Denied, Limit, Quota
from webquarry.settings import Settings
from webquarry.surfaces.server.authentication import answer
from webquarry.surfaces.server.principal import Principal

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

_MINUTE, _DAY = 60.0, 86_400.0


class RequestLimits:
    """An ASGI application before another one: those who ask too much wait. Stands behind the gate."""

    def __init__(self, app: ASGIApp, quota: Quota, settings: Settings, clock: Clock) -> None:
        self._app = app
        self._quota = quota
        self._settings = settings
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal = scope.get("state", {}).get("principal")
        if not isinstance(principal, Principal):  # nothing that the gate guards
            await self._app(scope, receive, send)
            return
        said = await self._quota.take(self._limits(principal), self._clock.now().timestamp())
        if isinstance(said, Denied):
            what = "today"
            if said.limit.window_seconds == _MINUTE:
                what = "this minute"
            await self._refuse(
                send, principal, f"That is enough for {what}.", said.retry_after_seconds
            )
            return
        async with AsyncExitStack() as held:
            try:
                for name, most in self._slots(principal):
                    await held.enter_async_context(self._quota.slot(name, most))
            except NoSlot as error:
                await self._refuse(send, principal, error.message, error.retry_after_seconds or 1.0)
                return
            await self._app(scope, receive, send)

    def _limits(self, principal: Principal) -> list[Limit]:
        settings = self._settings
        wanted = (
            (f"{principal.id} minute", settings.http_minute_limit, _MINUTE),
            (f"{principal.id} day", settings.http_day_limit, _DAY),
            ("all minute", settings.http_minute_limit_all, _MINUTE),
            ("all day", settings.http_day_limit_all, _DAY),
        )
        return [Limit(name, most, window) for name, most, window in wanted if most]

    def _slots(self, principal: Principal) -> list[tuple[str, int]]:
        wanted = (
            (principal.id, self._settings.http_calls_at_once),
            ("all", self._settings.http_calls_at_once_all),
        )
        return [(name, most) for name, most in wanted if most]

    async def _refuse(self, send: Send, principal: Principal, why: str, seconds: float) -> None:
        count("refused", reason="limit")
        log.info("%r asked too much: %s", principal.name, why)
        after = str(max(1, math.ceil(seconds))).encode()
        await answer(
            send,
            429,
            "rate_limited",
            f"{why} Try again in {after.decode()} s.",
            [(b"retry-after", after)],
        )
