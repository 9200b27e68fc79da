"""Query in, results out: asks one named provider, or one after the other until somebody has
results.

`search` asks the provider that is named. `route` decides who is asked (`routing`, a lens), keeps
what was found for a while, and lets concurrent callers with the same question share one answer.
What may come back is enforced on our side, whatever the provider was asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import httpx2

from webquarry.cache.base import key_of
from webquarry.cache.cache import Cache, Made
from webquarry.clock import Clock
from webquarry.errors import BadInput, ProviderFailure, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.search import routing
from webquarry.search.models import Batch, Found, Query, Result
from webquarry.search.paging import Gathering, gather
from webquarry.search.provider import Provider
from webquarry.search.query.domains import DomainFilter, host_of, normalise
from webquarry.search.query.filters import words_of
from webquarry.search.query.lenses import Lens
from webquarry.search.services.asker import heeding
from webquarry.search.services.breakers import Breakers
from webquarry.search.services.pace import Pace
from webquarry.search.stored import VERSION, pack, unpack
from webquarry.search.turns import Plan, Turns
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)


class Router:
    """Knows the providers and how to ask one."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock | None = None,
        open_cache: Callable[[], Cache] | None = None,
        board: Breakers | None = None,
    ) -> None:
        self._client = client
        self._settings = settings
        self._environ = environ
        self._clock = clock or Clock()
        self._open_cache = open_cache or (
            lambda: Cache([], self._clock)
        )  # opened only when something is routed
        self._board = board
        self._pace = Pace(self._clock)
        self._configured: dict[str, Provider] = {}

    @cached_property
    def _kinds(self) -> dict[str, type[Provider]]:
        kinds = members_of("webquarry.search.providers", Provider, group="webquarry.providers")
        return {kind.name: kind for kind in kinds}

    def providers(self) -> list[Provider]:
        """Every provider, configured or not, sorted by name."""
        return [self.provider(name) for name in sorted(self._kinds)]

    def provider(self, name: str) -> Provider:
        """One provider by its name; its credentials are looked for now, and nobody else's."""
        if name not in self._kinds:
            raise routing.unknown(name, self._all)
        if name not in self._configured:
            self._configured[name] = self._kinds[name].configure(
                self._settings, self._environ, self._clock
            )
        return self._configured[name]

    def turn(self, name: str) -> AbstractAsyncContextManager[None]:
        """A provider's turn, for a request to it that is no search: after its pause, and nobody
        else's meanwhile.
        """
        return self._pace.turn(self.provider(name))

    async def probe(self, name: str) -> None:
        """Ask a provider the cheapest question there is; what is wrong with it is raised."""
        provider = self.provider(name)
        try:
            provider.parse_probe(await self._send(provider, provider.build_probe()))
        except WebquarryError as error:
            provider.explain(error)
            raise

    async def search(self, name: str, query: Query) -> list[Result]:
        """Up to `query.count` results of one provider: absolute URLs, each once, from the domains
        asked for.
        """
        provider = self.provider(name)
        domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
        query = _tidied(query, domains)
        if domains.admits_nothing:
            return []
        gathering = Gathering(query.count, lambda result: domains.admits(result.url))
        await gather(self._page, provider, query, gathering)
        return gathering.results

    async def route(
        self,
        query: Query,
        *,
        provider: str | None = None,
        lens: Lens | None = None,
        kind: str = "web",
        asked: Mapping[str, Any] | None = None,
    ) -> Found:
        """What the first provider that has results found. A named `provider` is never replaced by
        another.

        `asked` is whatever else the caller was asked with: it goes into the cache key, so that
        nobody gets the answer to another question.
        """
        plan = self._plan(query, provider, lens, kind)
        parameters = {
            "query": asdict(plan.query),
            "provider": provider,
            "lens": lens.fingerprint if lens else None,
            "kind": kind,
            "routing": [self._signature(name) for name in plan.names],
            "asked": dict(asked or {}),
            "good": [self._settings.cache_search_seconds, self._settings.cache_empty_seconds],
        }

        async def make() -> Made:
            if plan.domains.admits_nothing:
                found = Found((), "", notes=plan.notes)
            else:
                found = await self._turns.take(plan)
            whole = found.results and not found.partial
            return Made(
                pack(found),
                self._settings.cache_search_seconds
                if whole
                else self._settings.cache_empty_seconds,
            )

        kept = await self._cache.get_or_make(key_of("search", VERSION, parameters), make)
        return replace(
            unpack(kept.value),
            cached=kept.cached,
            age_seconds=kept.age_seconds,
            max_age_seconds=kept.max_age_seconds,
        )

    def check_lens(self, lens: Lens) -> None:
        """Refuse a lens that names a provider that nobody is."""
        try:
            routing.known(lens.routing or (), self._all)
        except BadInput as error:
            raise BadInput(
                f"The lens {lens.name!r} cannot be used: {error.message}",
                suggested_action=error.suggested_action,
            ) from None

    def healthy(self) -> list[Provider]:
        """The providers that could be asked now: configured, and not resting after failures."""
        return [self.provider(name) for name in self._turns.healthy()]

    def states(self) -> dict[str, str]:
        """How each provider is doing, by name: closed (asked as usual), open (resting after
        failures) or half-open.
        """
        return self._turns.states()

    @cached_property
    def _all(self) -> dict[str, Provider]:
        return {provider.name: provider for provider in self.providers()}

    @cached_property
    def _cache(self) -> Cache:
        return self._open_cache()

    @cached_property
    def _turns(self) -> Turns:
        return Turns(self._all, self._page, self._settings, self._clock, self._board)

    def _plan(self, query: Query, provider: str | None, lens: Lens | None, kind: str) -> Plan:
        """Who is asked what. A lens counts for more than the query's own domains, a named provider
        for more than all.
        """
        notes: list[str] = []
        if lens is not None:
            if query.allowed_domains:
                notes.append(
                    f"`site` was not applied, because the lens {lens.name!r} takes its place."
                )
            query = replace(query, allowed_domains=tuple(lens.domains))
        domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
        query = _tidied(query, domains)
        if provider is not None:
            names, because = routing.known([provider], self._all), "named in the call"
        elif lens is not None and lens.cx:
            names, because = (
                routing.known(["google"], self._all),
                f"the lens {lens.name!r} has an engine of its own",
            )
        elif lens is not None and lens.routing:
            names, because = (
                routing.known(lens.routing, self._all),
                f"the routing of the lens {lens.name!r}",
            )
        else:
            names, because = routing.order_for(kind, self._settings, self._all)
        if (
            lens is not None and lens.cx and names == ("google",)
        ):  # the engine holds the domains itself
            query = replace(query, engine=lens.cx, allowed_domains=())
        return Plan(names, because, query, domains, tuple(notes))

    def _signature(self, name: str) -> list[Any]:
        """What decides a provider's answer besides the question: its address and what of its
        credentials is no secret.
        """
        provider = self._all[name]
        origins = {
            place: redact(origin)
            for place, origin in self._settings.origins.items()
            if place == name or place.startswith(f"{name}_")
        }
        public = [wanted.variable for wanted in provider.credentials if not wanted.secret]
        return [
            name,
            origins,
            {
                variable: provider.credential(variable)
                for variable in public
                if variable not in provider.missing
            },
        ]

    async def _page(self, provider: Provider, query: Query, seconds: float | None = None) -> Batch:
        """One page of results; errors carry the provider's name and notice."""
        try:
            batch = await self._batch(provider, query, seconds)
        except WebquarryError as error:
            provider.explain(error)
            raise
        return replace(
            batch, results=tuple(_concealed(result, provider) for result in batch.results)
        )

    async def _batch(self, provider: Provider, query: Query, seconds: float | None) -> Batch:
        """By the provider's second way where the first failed and there is one; the first error is
        the one that counts.
        """
        try:
            return await self._parsed(provider, provider.build_request(query), seconds)
        except WebquarryError as error:
            other = provider.fallback_request(query, error)
            if other is None:
                raise
            log.info("%s is asked by its second way: %s", provider.label, error.message)
            try:
                return await self._parsed(provider, other, seconds)
            except WebquarryError as second:
                raise error from second

    async def _parsed(
        self, provider: Provider, request: httpx2.Request, seconds: float | None
    ) -> Batch:
        reply = await self._send(provider, request, seconds)
        with heeding(reply):
            return _addressed(provider.parse_reply(reply), provider)

    async def _send(
        self, provider: Provider, request: httpx2.Request, seconds: float | None = None
    ) -> Reply:
        async with self._pace.turn(provider):
            return await self._client.send(request, timeout_seconds=seconds)


def _tidied(query: Query, domains: DomainFilter) -> Query:
    """The query as providers take it: text in one line, bare domains in the order they were given,
    terms as words.
    """
    text = " ".join(query.text.split())
    if not text:
        raise BadInput("The query is blank.", suggested_action="Say what to search for.")
    return replace(
        query,
        text=text,
        allowed_domains=tuple(dict.fromkeys(map(normalise, query.allowed_domains))),
        blocked_domains=tuple(sorted(domains.blocked)),
        exact_terms=" ".join((query.exact_terms or "").replace('"', " ").split()) or None,
        exclude_terms=" ".join(words_of(query.exclude_terms)) or None,
    )


def _addressed(batch: Batch, provider: Provider) -> Batch:
    """The batch, if any of its results leads anywhere; a provider that changed its fields is not
    one without results.
    """
    if batch.results and not any(host_of(result.url) for result in batch.results):
        raise ProviderFailure(
            f"{provider.label} answered with results that have no address.", retryable=False
        )
    return batch


def _concealed(result: Result, provider: Provider) -> Result:
    hide = provider.conceal
    return replace(
        result, title=hide(result.title), url=hide(result.url), snippet=hide(result.snippet)
    )
