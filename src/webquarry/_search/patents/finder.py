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
    Logins,
    Patent,
    PatentBatch,
    PatentProvider,
    PatentQuery,
    merge,
)
from webquarry._search.patents.web import ReadPage, WebPatents
from webquarry._search.plan import resolve_names
from webquarry._search.router import Router
from webquarry._search.services import Services
from webquarry.clock import Clock
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.client import Client
from webquarry.secret import redact
from webquarry.settings import Settings

WEB = "web"  # named as a provider: an ordinary web search, whoever does it
LANDSCAPE = 100  # patents that a landscape looks at
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
    """Knows the registers and how to ask them. One for the process."""

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
            for provider in self._router.services.healthy():
                if provider.kind == "web":
                    others.append(provider.name)
        else:
            others.append(WEB)
        asked = {attempt.provider for attempt in found.attempts if attempt.outcome != "skipped"}
        return [name for name in others if name not in asked]

    async def find(self, query: PatentQuery, provider: str | None = None) -> FoundPatents:
        """Return the patents that match, best first; for a landscape as many as an answer holds."""
        plan = self._plan(provider)
        count = LANDSCAPE if query.search_type == "landscape" else query.count
        asked = replace(query, count=count)
        calls, found = await self._ask_registers(
            plan, lambda register: register.build_search(asked)
        )
        if found is None:
            return await self._ask_web(plan, calls, lambda name: self._web.search(query, name))
        notes = list(found.notes)
        for register in plan.registers:
            notes += register.notes_on(query)
        patents = [patent for patent in found.patents if query.admits(patent)]
        return replace(found, patents=tuple(patents[:count]), notes=tuple(notes))

    async def look_up(
        self, number: PatentNumber, query: PatentQuery, provider: str | None = None
    ) -> FoundPatents:
        """Return the patent of this number if it exists and passes the filters."""
        plan = self._plan(provider)
        calls, found = await self._ask_registers(
            plan, lambda register: register.build_lookup(number)
        )
        if found is None:
            found = await self._ask_web(plan, calls, lambda name: self._web.look_up(number, name))
        patents = [patent for patent in found.patents if number.covers(patent.number)]
        patents.sort(key=_rank_publication)
        best = tuple(
            patent for patent in patents[-1:] if query.admits(patent) and query.has_names(patent)
        )
        return replace(found, patents=best)

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

    async def _ask_registers(
        self, plan: _PatentPlan, build: BuildRequest
    ) -> tuple[list[GuardedCall], FoundPatents | None]:
        """Return the calls of the registers and their merged answers, None if none answered."""
        seconds = self._settings.timeout_seconds
        if plan.web:
            seconds /= 2
        answers = await asyncio.gather(
            *(self._ask(register, build, seconds) for register in plan.registers)
        )
        calls = [call for call, _ in answers]
        batches = {call.service.name: batch for call, batch in answers if batch is not None}
        if not batches:
            return calls, None
        totals = [batch.total for batch in batches.values() if batch.total is not None]
        found = FoundPatents(
            patents=tuple(merge(batch.patents for batch in batches.values())),
            provider="+".join(batches),
            attempts=tuple(call.attempt for call in calls),
            order=(plan.joined_names,),
            because="named in the call" if plan.is_named else "what is configured",
            total=max(totals, default=None),
            partial=len(batches) < len(calls),
        )
        return calls, found

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
                        batch = register.parse_reply(reply)
                patents = [_conceal(patent, register.conceal) for patent in batch.patents]
                batch = replace(batch, patents=tuple(patents))
                call.found = len(patents)
        return call, batch

    async def _ask_web(
        self, plan: _PatentPlan, calls: Sequence[GuardedCall], ask: AskWeb
    ) -> FoundPatents:
        """Return the answer of the web with the earlier attempts; if the web may not be asked,
        raise the error of the registers.
        """
        attempts = tuple(call.attempt for call in calls)
        if not plan.web:
            failures = [call.error for call in calls if call.error is not None]
            raise choose_error(failures, attempts, [])
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
        order: tuple[str, ...] = tuple(register.name for register in registers)
        why = "No patent service answered"
        if attempts:
            order = (plan.joined_names,)
        else:
            missing = ", or ".join(" and ".join(register.missing) for register in registers)
            why = f"No patent service is configured ({missing})"
        return replace(
            found,
            attempts=(*earlier, *found.attempts),
            notes=(f"{why}, {_INSTEAD}.", *found.notes),
            order=(*order, *found.order),
            partial=found.partial or bool(attempts),
        )


def _rank_publication(patent: Patent) -> tuple[bool, str, str]:
    """Rank publications of one number: the granted one last, then the latest."""
    return patent.number.stage == "granted", patent.published or "", patent.number.kind


def _conceal(patent: Patent, hide: Callable[[str], str]) -> Patent:
    return replace(
        patent,
        title=hide(patent.title),
        abstract=hide(patent.abstract),
        assignees=tuple(map(hide, patent.assignees)),
        inventors=tuple(map(hide, patent.inventors)),
        status=hide(patent.status) if patent.status else None,
    )
