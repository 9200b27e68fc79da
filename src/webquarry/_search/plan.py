"""Who is asked what, in which order: a query, the settings and the known providers in, a plan out.

A provider that the call names counts for more than all, then a lens. Otherwise SEARCH_ROUTING
decides if it is set, then SEARCH_PROVIDER, else it is everybody who is configured: those with a key
first, because somebody chose them; Google last of these, because its service ends on 2027-01-01 and
its quota is small; then a SearXNG of the user's own and what other packages brought; DuckDuckGo,
which needs nothing, at the end. Encyclopedias and communities are asked only by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from webquarry._search.domains import DomainFilter, normalise
from webquarry._search.filters import put_takers_first, words_of
from webquarry._search.guard import unknown_service
from webquarry._search.models import ALL, Query
from webquarry._search.provider import Provider
from webquarry.errors import BadInput
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens

KINDS = ("web", "academic", "patents")  # of searches, in SEARCH_ROUTING
PREFERRED = ("brave", "tavily", "exa", "serper", "searchapi", "google", "searxng")
LAST = "duckduckgo"
_EXAMPLES = (
    "Set it to names, such as brave,duckduckgo, or to JSON, "
    'such as {"web": ["brave", "duckduckgo"]}.'
)
_SEPARATORS = re.compile(r"[\s_.-]")  # in names, as people write them or not
_LONGEST_KIND = 60  # of what is quoted in an error


@dataclass(frozen=True)
class Plan:
    """One search, ready to be asked."""

    names: tuple[str, ...]  # of the providers, in order
    because: str  # where the order comes from
    query: Query  # as providers take it
    domains: DomainFilter  # where results may come from
    notes: tuple[str, ...] = ()
    is_named: bool = False  # whether the call names the provider, whom nobody stands in for
    at_once: bool = False  # whether all of them are asked, and their lists made one


def build_plan(
    query: Query,
    settings: Settings,
    providers: Mapping[str, Provider],
    *,
    provider: str | None = None,
    lens: Lens | None = None,
    kind: str = "web",
) -> Plan:
    """The plan for a query. The domains of a lens take the place of the query's own."""
    notes: list[str] = []
    if lens is not None:
        if query.allowed_domains:
            notes.append(f"`site` was not applied, because the lens {lens.name!r} takes its place.")
        query = replace(query, allowed_domains=tuple(lens.domains))
    domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
    query = normalise_query(query, domains)
    at_once = is_all(provider) or (provider is None and lens is not None and lens.asks_all)
    if at_once:
        names = default_order(providers)
        because = "all that are configured, at once"
    elif provider is not None:
        names = resolve_names([provider], providers)
        because = "named in the call"
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
        # The engine holds the domains itself.
        query = replace(query, engine=lens.cx, allowed_domains=())
    is_named = provider is not None and not at_once
    return Plan(names, because, query, domains, tuple(notes), is_named, at_once)


def is_all(provider: str | None) -> bool:
    """Whether a name stands for everybody who is configured."""
    return provider is not None and provider.strip().lower() == ALL


def normalise_query(query: Query, domains: DomainFilter) -> Query:
    """The query as providers take it: text in one line, bare domains in the order they were given,
    terms as words.
    """
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
    """The providers to ask for this kind of search, and where the order comes from."""
    if settings.search_routing:
        names = parse_routing(settings.search_routing).get(kind)
        if names:
            return resolve_names(names, providers), "set by SEARCH_ROUTING"
    if settings.search_provider:
        return resolve_names([settings.search_provider], providers), "set by SEARCH_PROVIDER"
    return default_order(providers), "what is configured"


def default_order(providers: Mapping[str, Provider]) -> tuple[str, ...]:
    """Every configured provider of ordinary web search."""
    usable = set()
    for name, provider in providers.items():
        if provider.configured and provider.kind == "web":
            usable.add(name)
    first = [name for name in PREFERRED if name in usable]
    others = sorted(usable.difference(PREFERRED, [LAST]))
    last = usable.intersection([LAST])
    return (*first, *others, *last)


def resolve_names(names: Sequence[str], providers: Mapping[str, Provider]) -> tuple[str, ...]:
    """The names as we write them, each once; one that no provider has is BadInput."""
    resolved = []
    for name in names:
        plain = _SEPARATORS.sub("", name).lower()
        if plain in providers:  # as nearly all
            resolved.append(plain)
            continue
        known = _list_spellings(providers)
        if plain not in known:
            raise unknown_service(name.strip().lower(), providers)
        resolved.append(known[plain])
    return tuple(dict.fromkeys(resolved))  # each once, in their order


def _list_spellings(providers: Mapping[str, Provider]) -> dict[str, str]:
    """The names of the providers by what they are called, without separators."""
    known: dict[str, str] = {}
    for provider in providers.values():
        known |= dict.fromkeys(provider.aliases, provider.name)
    for name in providers:
        plain = _SEPARATORS.sub("", name).lower()
        known[plain] = name
    return known


def parse_routing(text: str) -> dict[str, tuple[str, ...]]:
    """SEARCH_ROUTING as provider names by kind of search; a plain list counts for every kind."""
    text = text.strip()
    value: Any = text.split(",")
    if text.startswith(("{", "[")):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise _build_routing_error("it is not readable JSON") from None
    if not isinstance(value, dict):
        return dict.fromkeys(KINDS, _parse_names(value))
    for kind in value:
        if kind not in KINDS:
            known = ", ".join(KINDS)
            raise _build_routing_error(
                f"it knows no kind of search {str(kind)[:_LONGEST_KIND]!r}, only {known}"
            )
    return {kind: _parse_names(names) for kind, names in value.items()}


def _parse_names(value: Any) -> tuple[str, ...]:
    """Provider names, of a list or of a text with commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise _build_routing_error("what is due is a list of names")
    stripped = [name.strip() for name in value]
    names = [name for name in stripped if name]
    if not names:
        raise _build_routing_error("a list names nobody")
    return tuple(names)


def _build_routing_error(reason: str) -> BadInput:
    return BadInput(
        f"The setting SEARCH_ROUTING is not usable: {reason}.", suggested_action=_EXAMPLES
    )
