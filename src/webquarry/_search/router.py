"""Query in, results out: asks one named provider, or one after the other until somebody has
results.

`search` asks the provider that is named. `route` plans who is asked (`plan`), keeps what was found
for a while, and lets concurrent callers with the same question share one answer. What may come back
is enforced on our side, whatever the provider was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from webquarry._search.ask import ask_in_order
from webquarry._search.domains import DomainFilter
from webquarry._search.guard import Breakers
from webquarry._search.models import LIBRARY, VERSION, Found, Query, Result, unpack
from webquarry._search.paging import ResultCollector, read_pages
from webquarry._search.plan import build_plan, normalise_query, resolve_names
from webquarry._search.provider import KeptPages, Provider
from webquarry._search.services import Services
from webquarry.clock import Clock
from webquarry.errors import BadInput
from webquarry.net.client import Client
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.cache import Cache, key_of

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens


class Router:
    """Knows the providers and how to ask them. One for the process."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock | None = None,
        open_cache: Callable[[], Cache] | None = None,
        board: Breakers | None = None,
        kept_pages: KeptPages | None = None,
    ) -> None:
        self._kept_pages = kept_pages
        self._settings = settings
        self._clock = clock or Clock()
        self._open_cache = open_cache
        self._signatures: dict[str, list[Any]] = {}
        self.services: Services[Provider] = Services(
            "webquarry._search.providers",
            Provider,
            client,
            settings,
            environ,
            self._clock,
            group="webquarry.providers",
            board=board,
            prepare=self._lend_pages,
        )

    def _lend_pages(self, provider: Provider) -> None:
        """A provider may look into the pages that were read before."""
        provider.kept_pages = self._kept_pages

    def providers(self) -> list[Provider]:
        """Every provider, configured or not, sorted by name."""
        return self.services.all()

    def provider(self, name: str) -> Provider:
        """One provider by its name; its credentials are looked for now, and nobody else's."""
        return self.services.get(name)

    def healthy(self) -> list[Provider]:
        """The providers that could be asked now: configured, and not resting after failures. The
        library is none of them: it knows nothing new.
        """
        return [one for one in self.services.healthy() if one.name != LIBRARY]

    def states(self) -> dict[str, str]:
        """How each provider is doing, by name: closed (asked as usual), open (resting after
        failures) or half-open.
        """
        return self.services.states()

    def describe_providers(self) -> list[dict[str, Any]]:
        """Every provider, whether it is configured, and the state of its circuit breaker."""
        states = self.states()
        return [
            {
                "name": provider.name,
                "label": provider.label,
                "kind": provider.kind,
                "configured": provider.configured,
                "state": states[provider.name],
            }
            for provider in self.providers()
        ]

    def pace(self, name: str) -> AbstractAsyncContextManager[None]:
        """A block with a request to a provider that is no search: after its pause, and nobody
        else's meanwhile.
        """
        return self.services.pace(self.services.get(name))

    async def probe(self, name: str) -> None:
        """Ask a provider the cheapest question there is; what is wrong with it is raised."""
        await self.services.probe(self.services.get(name))

    def check_lens(self, lens: Lens) -> None:
        """Refuse a lens that names a provider that nobody is."""
        if lens.asks_all:
            return
        try:
            resolve_names(lens.routing or (), self.services.by_name())
        except BadInput as error:
            raise BadInput(
                f"The lens {lens.name!r} cannot be used: {error.sentence}",
                suggested_action=error.suggested_action,
            ) from None

    async def search(self, name: str, query: Query, notes: list[str] | None = None) -> list[Result]:
        """Up to `query.count` results of one provider: absolute URLs, each once, from the domains
        asked for. What could not be asked for is added to `notes`.
        """
        provider = self.services.get(name)
        domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
        query = normalise_query(query, domains)
        notes = [] if notes is None else notes
        if domains.admits_nothing:
            notes.append("Nobody was asked: every allowed domain is blocked as well.")
            return []
        collector = ResultCollector(query.count, lambda result: domains.admits(result.url))
        async for batch in read_pages(self.services, provider, query, collector):
            collector.add(batch)
        notes += collector.notes
        return list(collector.merge_results())

    async def route(
        self,
        query: Query,
        *,
        provider: str | None = None,
        lens: Lens | None = None,
        kind: str = "web",
        asked: Mapping[str, Any] | None = None,
        fresh: bool = False,
    ) -> Found:
        """What the first provider that has results found. A named `provider` is never replaced by
        another.

        `asked` is whatever else the caller was asked with: it goes into the cache key, so that
        nobody gets the answer to another question. `fresh` goes past what is kept, and replaces it.
        """
        providers = self.services.by_name()
        plan = build_plan(query, self._settings, providers, provider=provider, lens=lens, kind=kind)
        parameters = {
            "query": vars(plan.query),
            "provider": provider,
            "lens": lens.fingerprint if lens else None,
            "kind": kind,
            "routing": [self._signature(providers[name]) for name in plan.names],
            "asked": dict(asked or {}),
            "good": [self._settings.cache_search_seconds, self._settings.cache_empty_seconds],
        }
        key = key_of("search", VERSION, parameters)
        kept = await self._cache.get_or_make(
            key, lambda: ask_in_order(self.services, self._settings, plan), fresh=fresh
        )
        freshness: dict[str, Any] = {
            "cached": kept.cached,
            "age_seconds": kept.age_seconds,
            "max_age_seconds": kept.max_age_seconds,
        }
        made: Found | None = kept.thing
        return unpack(kept.value, **freshness) if made is None else replace(made, **freshness)

    @cached_property
    def _cache(self) -> Cache:
        """Opened only when something is routed."""
        if self._open_cache is None:
            return Cache([], self._clock)
        return self._open_cache()

    def _signature(self, provider: Provider) -> list[Any]:
        """What decides a provider's answer besides the question: whether it can be asked, its
        address, and what of its credentials is no secret.
        """
        name = provider.name
        if name in self._signatures:
            return self._signatures[name]
        origins = {
            place: redact(origin)
            for place, origin in self._settings.origins.items()
            if place == name or place.startswith(f"{name}_")
        }
        public = [wanted.variable for wanted in provider.credentials if not wanted.secret]
        values = {
            variable: provider.credential(variable)
            for variable in public
            if variable not in provider.missing
        }
        signature = [name, provider.configured, origins, values]
        self._signatures[name] = signature
        return signature
