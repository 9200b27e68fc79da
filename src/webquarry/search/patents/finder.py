"""A question about patents in, patents out: from the registers that are configured, else from web
pages, and that is said.

All registers that are configured are asked at once, and what they know of one publication is put
together. A register that was named is never replaced by another. Where none is configured, or none
answers, an ordinary web search limited to patent sites takes their place. A bare number is looked
up: that patent comes back, or nothing, never a similar one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from webquarry.clock import Clock
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.search import routing
from webquarry.search.models import Attempt
from webquarry.search.patents.filters import admits, has_names
from webquarry.search.patents.logins import Logins
from webquarry.search.patents.merge import merge
from webquarry.search.patents.models import FoundPatents, Patent, PatentBatch, PatentQuery
from webquarry.search.patents.numbers import PatentNumber
from webquarry.search.patents.provider import PatentProvider
from webquarry.search.patents.web import ReadPage, WebPatents
from webquarry.search.router import Router
from webquarry.search.services.asker import Turn, heeding
from webquarry.search.services.breakers import Breakers
from webquarry.search.services.failure import nobody_answered
from webquarry.search.services.services import Family
from webquarry.secret import redact
from webquarry.settings import Settings

WEB = "web"  # named as a provider: an ordinary web search, whoever does it
LANDSCAPE = 100  # patents that a landscape looks at
_INSTEAD = "so this comes from pages of patent sites, found by a web search or by their address"

Build = Callable[[PatentProvider], httpx2.Request]


@dataclass(frozen=True)
class _Plan:
    """Who is asked: registers, then the web where they give no answer, by one provider of web
    search or by any.
    """

    registers: tuple[PatentProvider, ...]
    web: bool
    web_provider: str | None = None
    named: bool = False


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
        package, group = "webquarry.search.patents.providers", "webquarry.patent_providers"
        self.family: Family[PatentProvider] = Family(
            package,
            PatentProvider,
            client,
            settings,
            environ,
            clock,
            group,
            board,
        )
        self._logins = Logins(self.family, clock)
        self._settings = settings
        self._router = router
        self._web = WebPatents(router, read_page, clock)

    def circumstances(self) -> dict[str, Any]:
        """The settings that decide who answers, as a cache key holds them."""
        return {
            "registers": [member.name for member in self.family.configured()],
            "web": [provider.name for provider in self._router.providers() if provider.configured],
            "routing": [self._settings.search_routing, self._settings.search_provider],
            "origins": {
                name: redact(origin) for name, origin in sorted(self._settings.origins.items())
            },
            "good": self._settings.cache_patents_seconds,
        }

    def others(self, found: FoundPatents) -> list[str]:
        """Whom one could name instead, and who would answer now."""
        asked = {attempt.provider for attempt in found.attempts if attempt.outcome != "skipped"}
        registers = [member.name for member in self.family.healthy() if member.name not in asked]
        if not found.discovered:
            return [*registers, WEB]
        web = [
            one.name
            for one in self._router.healthy()
            if one.kind == "web" and one.name not in asked
        ]
        return registers + web

    async def find(self, query: PatentQuery, provider: str | None = None) -> FoundPatents:
        """The patents that fit, best first; of a landscape as many as one answer holds."""
        plan = self._plan(provider)
        asked = replace(query, count=LANDSCAPE) if query.search_type == "landscape" else query
        found, so_far = await self._ask(plan, lambda member: member.build_search(asked))
        if found is None:
            return await self._instead(plan, so_far, self._web.search, query)
        notes = tuple(note for member in plan.registers for note in member.notes_on(query))
        kept = tuple(one for one in found.patents if admits(one, query))
        return replace(found, patents=kept[: asked.count], notes=(*found.notes, *notes))

    async def look_up(
        self, number: PatentNumber, query: PatentQuery, provider: str | None = None
    ) -> FoundPatents:
        """The patent of this number, if there is one and it passes the filters."""
        plan = self._plan(provider)
        found, so_far = await self._ask(plan, lambda member: member.build_lookup(number))
        if found is None:
            found = await self._instead(plan, so_far, self._web.look_up, number)
        meant = [one for one in found.patents if number.covers(one.number)]
        best = sorted(meant, key=_preference, reverse=True)[:1]
        return replace(
            found,
            patents=tuple(one for one in best if admits(one, query) and has_names(one, query)),
        )

    def _plan(self, provider: str | None) -> _Plan:
        if not provider:
            return _Plan(tuple(self.family.configured()), web=True)
        name = provider.strip().lower()
        if name == WEB:
            return _Plan((), web=True, named=True)
        registers = {one.name: one for one in self.family.members()}
        if any(name in (one.name, *one.aliases) for one in registers.values()):
            return _Plan((self.family.member(name),), web=False, named=True)
        searching = {one.name: one for one in self._router.providers() if one.kind == "web"}
        try:
            (known,) = routing.known([provider], searching)
        except BadInput:
            raise routing.unknown(name, {**registers, **searching}, also=[WEB]) from None
        return _Plan((), web=True, web_provider=known, named=True)

    async def _ask(
        self, plan: _Plan, build: Build
    ) -> tuple[FoundPatents | None, list[Turn[PatentBatch]]]:
        """What the registers that answered know, each publication once; None where nobody answered."""
        seconds = self._settings.timeout_seconds / (2 if plan.web else 1)
        turns = list(
            await asyncio.gather(*(self._turn(member, build, seconds) for member in plan.registers))
        )
        batches = {turn.attempt.provider: turn.value for turn in turns if turn.value is not None}
        if not batches:
            return None, turns
        totals = [batch.total for batch in batches.values() if batch.total is not None]
        found = FoundPatents(
            patents=tuple(merge(batch.patents for batch in batches.values())),
            provider="+".join(batches),
            attempts=tuple(turn.attempt for turn in turns),
            order=(_joined(plan),),
            because="named in the call" if plan.named else "what is configured",
            total=max(totals, default=None),
            partial=len(batches) < len(turns),
        )
        return found, turns

    async def _turn(
        self, member: PatentProvider, build: Build, seconds: float
    ) -> Turn[PatentBatch]:
        async def work(seconds: float) -> PatentBatch:
            reply = await self._logins.send(member, lambda: build(member), seconds)
            return _parsed(member, reply)

        return await self.family.turn(
            member, work, seconds=seconds, count=lambda batch: len(batch.patents)
        )

    async def _instead(
        self, plan: _Plan, turns: Sequence[Turn[PatentBatch]], ask: Any, what: Any
    ) -> FoundPatents:
        """What the web knows, with what went before it; where it may not be asked, the error of the
        registers.
        """
        attempts = tuple(turn.attempt for turn in turns)
        if not plan.web:
            raise nobody_answered([turn.error for turn in turns if turn.error], attempts, [])
        passed = attempts or (() if plan.named else tuple(map(_unset, self.family.members())))
        try:
            found: FoundPatents = await ask(what, plan.web_provider)
        except WebquarryError as error:
            error.attempts = (*passed, *error.attempts)
            raise
        if plan.named:
            return replace(found, because="named in the call")
        order = (_joined(plan),) if attempts else tuple(one.name for one in self.family.members())
        return replace(
            found,
            attempts=(*passed, *found.attempts),
            notes=(self._said(plan), *found.notes),
            order=(*order, *found.order),
            partial=found.partial or bool(attempts),
        )

    def _said(self, plan: _Plan) -> str:
        if plan.registers:
            return f"No patent service answered, {_INSTEAD}."
        wanted = ", or ".join(" and ".join(one.missing) for one in self.family.members())
        return f"No patent service is configured ({wanted}), {_INSTEAD}."


def _joined(plan: _Plan) -> str:
    return "+".join(member.name for member in plan.registers)


def _unset(member: PatentProvider) -> Attempt:
    verb = "was" if len(member.missing) == 1 else "were"
    return Attempt(member.name, "skipped", f"{' and '.join(member.missing)} {verb} not found.", 0.0)


def _parsed(member: PatentProvider, reply: Reply) -> PatentBatch:
    """What the reply holds, without our own keys."""
    with heeding(reply):
        batch = member.parse_reply(reply)
    return replace(batch, patents=tuple(_concealed(patent, member) for patent in batch.patents))


def _concealed(patent: Patent, member: PatentProvider) -> Patent:
    hide = member.conceal
    return replace(
        patent,
        title=hide(patent.title),
        abstract=hide(patent.abstract),
        assignees=tuple(map(hide, patent.assignees)),
        inventors=tuple(map(hide, patent.inventors)),
        status=hide(patent.status) if patent.status else None,
    )


def _preference(patent: Patent) -> tuple[bool, str, str]:
    """Of several publications of one number: the granted one, then the latest."""
    return patent.number.stage == "granted", patent.published or "", patent.number.kind
