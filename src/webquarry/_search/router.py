"""Searches of the web by one named provider (`search`) or by those of a plan (`route`).

Answers of `route` are cached, and concurrent callers with the same query share one. Filters are
applied to all results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from webquarry._search.answers import from_entry
from webquarry._search.ask import ask_in_order
from webquarry._search.domains import DomainFilter
from webquarry._search.guard import Breakers
from webquarry._search.models import LIBRARY, VERSION, Found, Query, Result
from webquarry._search.paging import ResultCollector, read_pages
from webquarry._search.plan import build_plan, normalise_query, resolve_names
from webquarry._search.provider import KeptPages, Provider
from webquarry._search.services import Services
from webquarry.clock import Clock
from webquarry.errors import BadInput
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.store.cache import Cache, key_of

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens


class Router:
    """Searches the providers. One per process."""

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
        self._settings = settings
        self._clock = clock or Clock()
        self._open_cache = open_cache

        def prepare(provider: Provider) -> None:
            provider.kept_pages = kept_pages

        self.services: Services[Provider] = Services(
            Provider,
            client,
            settings,
            environ,
            self._clock,
            board=board,
            prepare=prepare,
        )

    def providers(self) -> list[Provider]:
        """Return every provider, configured or not, sorted by name."""
        return self.services.all()

    def provider(self, name: str) -> Provider:
        """Return one provider; only its own credentials are read."""
        return self.services.get(name)

    def healthy(self) -> list[Provider]:
        """Return the configured providers whose breaker is not open, without the library."""
        return [one for one in self.services.healthy() if one.name != LIBRARY]

    def describe_providers(self) -> list[dict[str, Any]]:
        """Return every provider, whether it is configured, and the state of its circuit breaker."""
        states = self.services.states()
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
        """Return a block with a request to a provider that is not a search: see `Pace.hold`."""
        return self.services.pace(self.services.get(name))

    def check_lens(self, lens: Lens) -> None:
        """Raise `BadInput` for a lens that names an unknown provider."""
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
        """Return up to `query.count` results of one provider. Filters that could not be sent are
        added to `notes`.
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
        """Return the answer of the first provider that has results; a named `provider` is never
        replaced by another.

        `asked` holds further arguments of the caller for the cache key. `fresh` replaces a cached
        answer.
        """
        providers = self.services.by_name()
        plan = build_plan(query, self._settings, providers, provider=provider, lens=lens, kind=kind)
        parameters = {
            "query": vars(plan.query),
            "provider": provider,
            "lens": lens.fingerprint if lens else None,
            "kind": kind,
            "routing": [providers[name].signature() for name in plan.names],
            "asked": dict(asked or {}),
            "good": [self._settings.cache_search_seconds, self._settings.cache_empty_seconds],
        }
        key = key_of("search", VERSION, parameters)
        entry = await self._cache.get_or_make(
            key, lambda: ask_in_order(self.services, self._settings, plan), fresh=fresh
        )
        return from_entry(entry, Found)

    @cached_property
    def _cache(self) -> Cache:
        """Opened by the first routed search."""
        return Cache([], self._clock) if self._open_cache is None else self._open_cache()
