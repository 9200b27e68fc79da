"""Patent searches: the configured registers, otherwise web pages, which the answer states.

All configured registers are asked concurrently and their records are merged. A register that was
named is never replaced by another. Without a configured register, or if none answers, a web search
limited to patent sites is used. A number is looked up: the answer is that patent or nothing.
Answers are cached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from webquarry._search.answers import (
    INCOMPLETE_SHARE,
    ask_web_instead,
    from_entry,
    split_answers,
    to_entry,
)
from webquarry._search.guard import Breakers, GuardedCall, choose_error, find_service
from webquarry._search.models import Attempt, Query
from webquarry._search.patents.numbers import PatentNumber, read_number
from webquarry._search.patents.provider import (
    FoundPatents,
    Patent,
    PatentProvider,
    PatentQuery,
    merge,
)
from webquarry._search.patents.web import SITES, each_once, patent_of, web_query
from webquarry._search.router import Router
from webquarry._search.services import Services
from webquarry.clock import Clock
from webquarry.errors import NotFound, WebquarryError
from webquarry.net.client import Client
from webquarry.progress import note
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of

VERSION = 2  # of cached answers
WEB = "web"  # as a provider: an ordinary web search
PAGES = "google_patents"  # the provider of a patent whose page was read
LANDSCAPE = 100  # patents of a landscape
_INSTEAD = "so this comes from pages of patent sites, found by a web search or by their address"
_NO_ASSIGNEES = (
    "A web search does not tell whose the patents are, so that no assignees could be counted."
)
_NO_CLASS = "A web search cannot filter by cpc_code: it was searched for as a word."

# Reads the page of a patent; None if the page is about another one.
ReadPage = Callable[[PatentNumber], Awaitable[Patent | None]]


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
        open_cache: Callable[[], Cache],
        router: Router,
        read_page: ReadPage,
        board: Breakers | None = None,
    ) -> None:
        self.services: Services[PatentProvider] = Services(
            PatentProvider,
            client,
            settings,
            environ,
            clock,
            board=board,
        )
        self._settings = settings
        self._clock = clock
        self._open_cache = open_cache
        self._router = router
        self._read_page = read_page

    def others(self, found: FoundPatents) -> list[str]:
        """Return the providers that were not asked and could answer now."""
        others = [register.name for register in self.services.healthy()]
        if found.discovered:
            others += [one.name for one in self._router.healthy() if one.kind == "web"]
        else:
            others.append(WEB)
        asked = {attempt.provider for attempt in found.attempts if attempt.outcome != "skipped"}
        return [name for name in others if name not in asked]

    async def find(
        self,
        query: PatentQuery,
        provider: str | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> FoundPatents:
        """Return the patents that match, best first; for a landscape as many as an answer holds.
        If the text is a number, return this patent or nothing.

        `asked` holds further arguments of the caller for the cache key.
        """
        plan = self._plan(provider)
        seconds = self._settings.cache_patents_seconds
        services = [*self.services.all(), *self._router.services.all()]
        parameters = {
            "query": vars(query),
            "provider": provider,
            "asked": dict(asked or {}),
            "services": [service.signature() for service in services],
            "routing": [self._settings.search_routing, self._settings.search_provider],
            "good": seconds,
        }

        async def make() -> Made:
            number = read_number(query.text)
            if number:
                found = await self._look_up(number, query, plan)
            else:
                found = await self._search(query, plan)
            if not found.results:
                return to_entry(found, 0.0)
            if found.partial:
                return to_entry(found, min(self._settings.cache_empty_seconds, seconds))
            share = INCOMPLETE_SHARE if found.is_fallback else 1
            return to_entry(found, seconds / share)

        key = key_of("patents", VERSION, parameters)
        return from_entry(await self._open_cache().get_or_make(key, make), FoundPatents)

    def _plan(self, provider: str | None) -> _PatentPlan:
        if not provider:
            return _PatentPlan(tuple(self.services.get_configured()), web=True)
        name = provider.strip().lower()
        if name == WEB:
            return _PatentPlan((), web=True, is_named=True)
        web_providers = {one.name: one for one in self._router.providers() if one.kind == "web"}
        service = find_service(name, {**self.services.by_name(), **web_providers}, also=[WEB])
        if isinstance(service, PatentProvider):
            return _PatentPlan((service,), web=False, is_named=True)
        return _PatentPlan((), web=True, web_provider=service.name, is_named=True)

    async def _search(self, query: PatentQuery, plan: _PatentPlan) -> FoundPatents:
        count = LANDSCAPE if query.search_type == "landscape" else query.count
        wanted = replace(query, count=count)
        calls, answers = await self._ask_registers(plan, lambda one: one.build_search(wanted))
        if not answers:
            return await self._search_web(query, plan, calls)
        notes = [note for register in plan.registers for note in register.notes_on(query)]
        patents = [patent for patent in merge(answers) if query.admits(patent)]
        return self._combine(plan, calls, patents[:count], notes)

    async def _look_up(
        self, number: PatentNumber, query: PatentQuery, plan: _PatentPlan
    ) -> FoundPatents:
        """Return the patent of this number if it exists and passes the filters: the granted
        publication, otherwise the latest.
        """
        calls, answers = await self._ask_registers(plan, lambda one: one.build_lookup(number))
        if answers:
            found = self._combine(plan, calls, merge(answers), [])
        else:
            found = await self._look_up_page(number, plan, calls)
        patents = [patent for patent in found.results if number.covers(patent.number)]
        best = max(
            patents,
            key=lambda one: (one.number.stage == "granted", one.published or "", one.number.kind),
            default=None,
        )
        if best is None or not (query.admits(best) and query.has_names(best)):
            return replace(found, results=())
        return replace(found, results=(best,))

    async def _ask_registers(
        self, plan: _PatentPlan, build: Callable[[PatentProvider], httpx2.Request]
    ) -> tuple[list[GuardedCall], list[list[Patent]]]:
        """Return the calls of all registers and what those found that answered."""
        seconds = self._settings.timeout_seconds
        if plan.web:
            seconds /= 2

        async def ask(register: PatentProvider) -> tuple[GuardedCall, list[Patent]]:
            return await self.services.fetch(
                register,
                lambda: build(register),
                lambda reply: build(register) if register.must_repeat(reply) else None,
                register.parse_reply,
                seconds,
            )

        calls, answers = split_answers(await asyncio.gather(*map(ask, plan.registers)))
        if not answers and not plan.web:
            failures = [call.error for call in calls if call.error is not None]
            raise choose_error(failures, [call.attempt for call in calls], [])
        return calls, answers

    def _combine(
        self,
        plan: _PatentPlan,
        calls: Sequence[GuardedCall],
        patents: Sequence[Patent],
        notes: Sequence[str],
    ) -> FoundPatents:
        answered = [call.service.name for call in calls if call.error is None]
        return FoundPatents(
            tuple(patents),
            "+".join(answered),
            attempts=tuple(call.attempt for call in calls),
            notes=tuple(notes),
            order=(plan.joined_names,),
            because="named in the call" if plan.is_named else "what is configured",
            partial=len(answered) < len(calls),
        )

    async def _search_web(
        self, query: PatentQuery, plan: _PatentPlan, calls: Sequence[GuardedCall]
    ) -> FoundPatents:
        """Return patents whose pages a web search finds."""
        found = await self._ask_web(web_query(query), plan, calls)
        notes = list(found.notes)
        years = [name for name in ("year_from", "year_to") if getattr(query, name)]
        if query.search_type == "landscape":
            notes.append(_NO_ASSIGNEES)
        if query.cpc:
            notes.append(_NO_CLASS)
        if years:
            notes.append(
                f"A web search cannot filter by {' and '.join(years)}: applied where the number "
                "tells the year."
            )
        return replace(
            found,
            results=tuple(each_once(filter(query.admits, found.results))[: query.count]),
            notes=tuple(notes),
            unapplied=(*(["cpc_code"] if query.cpc else []), *years),
        )

    async def _look_up_page(
        self, number: PatentNumber, plan: _PatentPlan, calls: Sequence[GuardedCall]
    ) -> FoundPatents:
        """Return the patent of a page, or of a web search if the page cannot be read."""
        query = Query(number.google, 10, allowed_domains=SITES)
        if plan.web_provider is not None:
            return await self._ask_web(query, plan, calls)
        note("reading the page of the patent")
        started = self._clock.monotonic()
        patent = None
        try:
            patent = await self._read_page(number)
        except NotFound:
            pass
        except WebquarryError as error:
            try:
                found = await self._ask_web(query, plan, calls)
            except WebquarryError:
                raise error from None
            if not any(number.covers(one.number) for one in found.results):
                raise
            return found
        seconds = self._clock.monotonic() - started
        attempt = Attempt(PAGES, "empty", "There is no such page.", seconds)
        if patent is not None:
            attempt = Attempt(PAGES, "ok", "1 result.", seconds)
        found = FoundPatents(
            (patent,) if patent else (),
            PAGES,
            attempts=(*(call.attempt for call in calls), attempt),
            order=(PAGES,),
            because="the query is a number",
            discovered=True,
        )
        return self._explain_web(found, plan, calls)

    async def _ask_web(
        self, query: Query, plan: _PatentPlan, calls: Sequence[GuardedCall]
    ) -> FoundPatents:
        """Return the patents of a web search."""
        web = await ask_web_instead(
            self._router, query, calls, kind="patents", provider=plan.web_provider
        )
        patents = tuple(filter(None, map(patent_of, web.results)))
        fields = vars(web) | {"results": patents, "unapplied": ()}
        return self._explain_web(FoundPatents(**fields, discovered=True), plan, calls)

    def _explain_web(
        self, found: FoundPatents, plan: _PatentPlan, calls: Sequence[GuardedCall]
    ) -> FoundPatents:
        """Return an answer of the web with the reason why no register answered."""
        if plan.is_named:
            return replace(found, because="named in the call")
        if calls:
            order = [plan.joined_names]
            skipped = []
            why = "No patent service answered"
        else:
            registers = self.services.all()
            order = [one.name for one in registers]
            skipped = [Attempt(one.name, "skipped", one.describe_missing(), 0) for one in registers]
            missing = ", or ".join(" and ".join(one.missing) for one in registers)
            why = f"No patent service is configured ({missing})"
        return replace(
            found,
            attempts=(*skipped, *found.attempts),
            notes=(f"{why}, {_INSTEAD}.", *found.notes),
            order=(*order, *found.order),
            partial=found.partial or bool(calls),
        )
