"""Patent searches: the configured registers, otherwise web pages, which the answer states.

All configured registers are asked concurrently and their records are merged. A register that was
named is never replaced by another. Without a configured register, or if none answers, a web search
limited to patent sites is used. A number is looked up: the answer is that patent or nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from webquarry._search.guard import (
    Breakers,
    GuardedCall,
    apply_retry_after,
    choose_error,
    unknown_service,
)
from webquarry._search.models import Attempt
from webquarry._search.patents.numbers import PatentNumber
from webquarry._search.patents.provider import (
    FoundPatents,
    PatentBatch,
    PatentProvider,
    PatentQuery,
    merge,
)
from webquarry._search.patents.web import ReadPage, WebPatents
from webquarry._search.plan import resolve_names
from webquarry._search.router import Router
from webquarry._search.services import LEAST_SECONDS, Services
from webquarry.clock import Clock
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.secret import Secret, redact
from webquarry.settings import Settings

WEB = "web"  # as a provider: an ordinary web search
LANDSCAPE = 100  # patents of a landscape
_INSTEAD = "so this comes from pages of patent sites, found by a web search or by their address"

BuildRequest = Callable[[PatentProvider], httpx2.Request]
AskWeb = Callable[[str | None], Awaitable[FoundPatents]]  # by this provider of web search, or any


@dataclass(frozen=True)
class _PatentPlan:
    """The registers to ask, and whether the web is asked if none answers, by which provider."""

    registers: tuple[PatentProvider, ...]
    web: bool
    web_provider: str | None = None
    is_named: bool = False

    @property
    def joined_names(self) -> str:
        return "+".join(register.name for register in self.registers)


class PatentFinder:
    """Searches the registers. One per process."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
        router: Router,
        read_page: ReadPage,
        board: Breakers | None = None,
    ) -> None:
        self.services: Services[PatentProvider] = Services(
            "webquarry._search.patents.providers",
            PatentProvider,
            client,
            settings,
            environ,
            clock,
            group="webquarry.patent_providers",
            board=board,
        )
        self._logins = Logins(self.services, clock)
        self._settings = settings
        self._router = router
        self._web = WebPatents(router, read_page, clock)

    def circumstances(self) -> dict[str, Any]:
        """Return the settings that determine the answer, for a cache key."""
        origins = sorted(self._settings.origins.items())
        return {
            "registers": [register.name for register in self.services.get_configured()],
            "web": [provider.name for provider in self._router.services.get_configured()],
            "routing": [self._settings.search_routing, self._settings.search_provider],
            "origins": {name: redact(origin) for name, origin in origins},
            "good": self._settings.cache_patents_seconds,
        }

    def others(self, found: FoundPatents) -> list[str]:
        """Return the providers that were not asked and could answer now."""
        others = [register.name for register in self.services.healthy()]
        if found.discovered:
            web = self._router.services.healthy()
            others += [provider.name for provider in web if provider.kind == "web"]
        else:
            others.append(WEB)
        asked = {attempt.provider for attempt in found.attempts if attempt.outcome != "skipped"}
        return [name for name in others if name not in asked]

    async def find(self, query: PatentQuery, provider: str | None = None) -> FoundPatents:
        """Return the patents that match, best first; for a landscape as many as an answer holds."""
        plan = self._plan(provider)
        count = LANDSCAPE if query.search_type == "landscape" else query.count
        asked = replace(query, count=count)
        found = await self._ask_all(
            plan,
            lambda register: register.build_search(asked),
            lambda name: self._web.search(query, name),
        )
        if found.discovered:
            return found
        notes = list(found.notes)
        for register in plan.registers:
            notes += register.notes_on(query)
        patents = [patent for patent in found.patents if query.admits(patent)]
        return replace(found, patents=tuple(patents[:count]), notes=tuple(notes))

    async def look_up(
        self, number: PatentNumber, query: PatentQuery, provider: str | None = None
    ) -> FoundPatents:
        """Return the patent of this number if it exists and passes the filters: the granted
        publication, otherwise the latest.
        """
        found = await self._ask_all(
            self._plan(provider),
            lambda register: register.build_lookup(number),
            lambda name: self._web.look_up(number, name),
        )
        patents = [patent for patent in found.patents if number.covers(patent.number)]
        best = max(
            patents,
            key=lambda one: (one.number.stage == "granted", one.published or "", one.number.kind),
            default=None,
        )
        if best is None or not (query.admits(best) and query.has_names(best)):
            return replace(found, patents=())
        return replace(found, patents=(best,))

    def _plan(self, provider: str | None) -> _PatentPlan:
        if not provider:
            return _PatentPlan(tuple(self.services.get_configured()), web=True)
        name = provider.strip().lower()
        if name == WEB:
            return _PatentPlan((), web=True, is_named=True)
        registers = self.services.by_name()
        for register in registers.values():
            if name in (register.name, *register.aliases):
                return _PatentPlan((register,), web=False, is_named=True)
        web_providers = {one.name: one for one in self._router.services.all() if one.kind == "web"}
        try:
            (web_provider,) = resolve_names([provider], web_providers)
        except BadInput:
            services = {**registers, **web_providers}
            raise unknown_service(name, services, also=[WEB]) from None
        return _PatentPlan((), web=True, web_provider=web_provider, is_named=True)

    async def _ask_all(
        self, plan: _PatentPlan, build: BuildRequest, ask_web: AskWeb
    ) -> FoundPatents:
        """Return the merged answers of the registers or, if none answered, those of the web."""
        seconds = self._settings.timeout_seconds
        if plan.web:
            seconds /= 2
        answers = await asyncio.gather(
            *(self._ask(register, build, seconds) for register in plan.registers)
        )
        batches = {call.service.name: batch for call, batch in answers if batch is not None}
        calls = [call for call, _ in answers]
        attempts = tuple(call.attempt for call in calls)
        if not batches and plan.web:
            return await self._ask_web(plan, attempts, ask_web)
        if not batches:
            raise choose_error([call.error for call in calls if call.error], attempts, [])
        totals = [batch.total for batch in batches.values() if batch.total is not None]
        return FoundPatents(
            patents=tuple(merge(batch.patents for batch in batches.values())),
            provider="+".join(batches),
            attempts=attempts,
            order=(plan.joined_names,),
            because="named in the call" if plan.is_named else "what is configured",
            total=max(totals, default=None),
            partial=len(batches) < len(calls),
        )

    async def _ask(
        self, register: PatentProvider, build: BuildRequest, seconds: float
    ) -> tuple[GuardedCall, PatentBatch | None]:
        """Return the call of one register and its answer without our keys, None if it failed."""
        batch = None
        async with self.services.guard(register, seconds) as call:
            if call.is_admitted:
                with register.explain_errors():
                    reply = await self._logins.send(register, lambda: build(register), seconds)
                    with apply_retry_after(reply):
                        batch = register.conceal(register.parse_reply(reply))
                call.found = len(batch.patents)
        return call, batch

    async def _ask_web(
        self, plan: _PatentPlan, attempts: Sequence[Attempt], ask: AskWeb
    ) -> FoundPatents:
        """Return the answer of the web, with the earlier attempts and the reason."""
        registers = self.services.all()
        earlier = list(attempts)
        if not attempts and not plan.is_named:
            for register in registers:
                reason = register.describe_missing()
                earlier.append(Attempt(register.name, "skipped", reason, 0.0))
        try:
            found = await ask(plan.web_provider)
        except WebquarryError as error:
            error.attempts = (*earlier, *error.attempts)
            raise
        if plan.is_named:
            return replace(found, because="named in the call")
        if attempts:
            order = [plan.joined_names]
            why = "No patent service answered"
        else:
            order = [register.name for register in registers]
            missing = ", or ".join(" and ".join(register.missing) for register in registers)
            why = f"No patent service is configured ({missing})"
        return replace(
            found,
            attempts=(*earlier, *found.attempts),
            notes=(f"{why}, {_INSTEAD}.", *found.notes),
            order=(*order, *found.order),
            partial=found.partial or bool(attempts),
        )


class Logins:
    """Sends requests with the tokens that they need. One per process."""

    def __init__(self, services: Services[PatentProvider], clock: Clock) -> None:
        self._services = services
        self._clock = clock
        self._tokens: dict[str, tuple[Secret, float]] = {}  # with the time of expiry
        self._locks: dict[str, asyncio.Lock] = {}

    async def send(
        self, provider: PatentProvider, build: Callable[[], httpx2.Request], seconds: float
    ) -> Reply:
        """Send a request and return the reply; an expired token is replaced once."""
        end = self._clock.monotonic() + seconds
        for _ in range(2):
            request = build()
            left = max(LEAST_SECONDS, end - self._clock.monotonic())
            token = await self._get_token(provider, left)
            if token is not None:
                request.headers["Authorization"] = f"Bearer {token.reveal()}"
                left = max(LEAST_SECONDS, end - self._clock.monotonic())
            reply = await self._services.send(provider, request, left)
            if token is None or not provider.is_login_over(reply):
                break
            if self._tokens.get(provider.name, (None, 0.0))[0] == token:
                del self._tokens[provider.name]
        return reply

    async def _get_token(self, provider: PatentProvider, seconds: float) -> Secret | None:
        """Return the stored token or a new one; None for a provider that needs none."""
        request = provider.build_login()
        if request is None:
            return None
        async with self._locks.setdefault(provider.name, asyncio.Lock()):
            token, until = self._tokens.pop(provider.name, (None, 0.0))
            if token is None or self._clock.monotonic() >= until:
                reply = await self._services.send(provider, request, seconds)
                login = provider.parse_login(reply)
                token = login.token
                until = self._clock.monotonic() + login.seconds
            self._tokens[provider.name] = (token, until)
            return token
