"""The plan of a search: which providers are asked, in which order.

A provider named in the call takes precedence, then a lens, then SEARCH_ROUTING, then
SEARCH_PROVIDER. The default is every configured provider: those with a key first (Google last of
them, because its service ends on 2027-01-01 and its quota is small), then a SearXNG of the user and
plug-ins, DuckDuckGo at the end. Encyclopedias and communities are asked only by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from webquarry._search.domains import DomainFilter, normalise
from webquarry._search.filters import put_takers_first, words_of
from webquarry._search.guard import find_service
from webquarry._search.models import ALL, Query
from webquarry._search.provider import Provider
from webquarry.errors import BadInput
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens

KINDS = frozenset({"web", "academic", "patents"})  # of searches, in SEARCH_ROUTING
PREFERRED = ("brave", "tavily", "exa", "serper", "searchapi", "google", "searxng")
LAST = "duckduckgo"


@dataclass(frozen=True)
class Plan:
    """A search that is ready to be sent."""

    names: tuple[str, ...]  # of the providers, in order
    because: str  # the reason for the order
    query: Query
    domains: DomainFilter  # of results
    notes: tuple[str, ...] = ()
    is_named: bool = False  # the call names the provider, which is not replaced
    at_once: bool = False  # all providers are asked concurrently


def build_plan(
    query: Query,
    settings: Settings,
    providers: Mapping[str, Provider],
    *,
    provider: str | None = None,
    lens: Lens | None = None,
    kind: str = "web",
) -> Plan:
    """Return the plan of a query. The domains of a lens replace those of the query."""
    notes: list[str] = []
    if lens is not None:
        if query.allowed_domains:
            notes.append(f"`site` was not applied, because the lens {lens.name!r} takes its place.")
        query = replace(query, allowed_domains=tuple(lens.domains))
    domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
    query = normalise_query(query, domains)
    at_once = provider is None and lens is not None and lens.asks_all
    at_once = at_once or (provider is not None and provider.strip().lower() == ALL)
    if at_once:
        names, because = default_order(providers), "all that are configured, at once"
    elif provider is not None:
        names, because = resolve_names([provider], providers), "named in the call"
    elif lens is not None and lens.cx:
        names = resolve_names(["google"], providers)
        because = f"the lens {lens.name!r} has an engine of its own"
    elif lens is not None and lens.routing:
        names = resolve_names(lens.routing, providers)
        because = f"the routing of the lens {lens.name!r}"
    else:
        names, because = order_for(kind, settings, providers)
    ordered = put_takers_first(names, query, providers)
    if ordered != names:
        names = ordered
        because += "; those who take a query of this length first"
    if lens is not None and lens.cx and names == ("google",):
        # The engine has the domains.
        query = replace(query, engine=lens.cx, allowed_domains=())
    is_named = provider is not None and not at_once
    return Plan(names, because, query, domains, tuple(notes), is_named, at_once)


def normalise_query(query: Query, domains: DomainFilter) -> Query:
    """Return the query with its text on one line, normalised domains and terms as words."""
    text = " ".join(query.text.split())
    if not text:
        raise BadInput("The query is blank.", suggested_action="Say what to search for.")
    exact_terms = (query.exact_terms or "").replace('"', " ")
    return replace(
        query,
        text=text,
        allowed_domains=tuple(dict.fromkeys(map(normalise, query.allowed_domains))),
        blocked_domains=tuple(sorted(domains.blocked)),
        exact_terms=" ".join(exact_terms.split()) or None,
        exclude_terms=" ".join(words_of(query.exclude_terms)) or None,
    )


def order_for(
    kind: str, settings: Settings, providers: Mapping[str, Provider]
) -> tuple[tuple[str, ...], str]:
    """Return the providers for this kind of search, and the reason for their order."""
    if settings.search_routing:
        names = parse_routing(settings.search_routing).get(kind)
        if names:
            return resolve_names(names, providers), "set by SEARCH_ROUTING"
    if settings.search_provider:
        return resolve_names([settings.search_provider], providers), "set by SEARCH_PROVIDER"
    return default_order(providers), "what is configured"


def default_order(providers: Mapping[str, Provider]) -> tuple[str, ...]:
    """Return every configured provider of web search."""
    usable = [name for name, one in providers.items() if one.configured and one.kind == "web"]
    order = [*PREFERRED, *sorted(set(usable).difference(PREFERRED, [LAST])), LAST]
    return tuple(name for name in order if name in usable)


def resolve_names(names: Sequence[str], providers: Mapping[str, Provider]) -> tuple[str, ...]:
    """Return the canonical names, each once; unknown ones are `BadInput`."""
    return tuple(dict.fromkeys(find_service(name, providers).name for name in names))


def parse_routing(text: str) -> dict[str, tuple[str, ...]]:
    """Return the provider names of SEARCH_ROUTING by kind; a plain list is for every kind."""
    text = text.strip()
    value: Any = text
    if text.startswith(("{", "[")):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
    by_kind = value if isinstance(value, dict) else dict.fromkeys(KINDS, value)
    orders = {kind: _parse_names(names) for kind, names in by_kind.items()}
    if not KINDS.issuperset(orders) or not all(orders.values()):
        raise BadInput(
            "The setting SEARCH_ROUTING is not usable.",
            suggested_action="Set it to names, such as brave,duckduckgo, or to JSON by kind of "
            'search (web, academic, patents), such as {"web": ["brave", "duckduckgo"]}.',
        )
    return orders


def _parse_names(value: Any) -> tuple[str, ...]:
    """Return the names in a list, or in a text with commas; none for other values."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return ()
    return tuple(filter(None, map(str.strip, value)))
