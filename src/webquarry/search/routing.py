"""Who is asked, in which order: settings and the known providers in, their names and the reason for
the order out.

SEARCH_ROUTING decides if it is set, then SEARCH_PROVIDER. Otherwise it is everybody who is
configured: those with a key first, because somebody chose them; Google last of these, because its
service ends on 2027-01-01 and its quota is small; then a SearXNG of the user's own and what other
packages brought; DuckDuckGo, which needs nothing, at the end. Encyclopedias and communities are
asked only by name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from webquarry.errors import BadInput
from webquarry.search.provider import Provider
from webquarry.search.services.service import Service
from webquarry.settings import Settings

KINDS = (
    "web",
    "news",
    "images",
    "academic",
    "patents",
)  # of searches, as SEARCH_ROUTING names them
PREFERRED = ("brave", "tavily", "exa", "serper", "searchapi", "google", "searxng")
LAST = "duckduckgo"
_SHAPES = 'Set it to names, such as brave,duckduckgo, or to JSON, such as {"web": ["brave", "duckduckgo"]}.'


def order_for(
    kind: str, settings: Settings, providers: Mapping[str, Provider]
) -> tuple[tuple[str, ...], str]:
    """The providers to ask for this kind of search, and where the order comes from."""
    routed = None
    if settings.search_routing:
        routed = read_routing(settings.search_routing).get(kind)
    if routed:
        return known(routed, providers), "set by SEARCH_ROUTING"
    if settings.search_provider:
        return known([settings.search_provider], providers), "set by SEARCH_PROVIDER"
    return default_order(providers), "what is configured"


def default_order(providers: Mapping[str, Provider]) -> tuple[str, ...]:
    """Every configured provider of ordinary web search."""
    usable = {
        name
        for name, provider in providers.items()
        if provider.configured and provider.kind == "web"
    }
    first = [name for name in PREFERRED if name in usable]
    others = sorted(usable - {*first, LAST})
    return (*first, *others, *({LAST} & usable))


def known(names: Sequence[str], providers: Mapping[str, Provider]) -> tuple[str, ...]:
    """The names, each once, as we write them; one that no provider has is BadInput."""
    aliases = {
        alias: provider.name for provider in providers.values() for alias in provider.aliases
    }
    wanted = [re.sub(r"[\s_.-]", "", name).lower() for name in names]
    ours = {re.sub(r"[_.-]", "", name).lower(): name for name in providers}
    for name, plain in zip(names, wanted, strict=True):
        if plain not in ours and plain not in aliases:
            raise unknown(name.strip().lower(), providers)
    return tuple(dict.fromkeys(ours.get(plain) or aliases[plain] for plain in wanted))


def unknown(name: str, providers: Mapping[str, Service], also: Iterable[str] = ()) -> BadInput:
    """The error for a name that no provider has: it lists those there are, each once, and which are
    configured. `also` are names that stand for several of them.
    """
    listed = [
        f"{one} (configured)" if providers[one].configured else one for one in sorted(providers)
    ] + [*also]
    return BadInput(
        f"There is no search provider {name[:60]!r}.",
        suggested_action=f"Use one of: {', '.join(listed)}.",
    )


def read_routing(text: str) -> dict[str, tuple[str, ...]]:
    """SEARCH_ROUTING as provider names by kind of search; a plain list counts for every kind."""
    text = text.strip()
    if text.startswith(("{", "[")):
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError):
            raise _unusable("it is not readable JSON") from None
    else:
        value = text.split(",")
    if isinstance(value, dict):
        if strange := [str(kind) for kind in value if kind not in KINDS]:
            raise _unusable(
                f"it knows no kind of search {strange[0][:60]!r}, only {', '.join(KINDS)}"
            )
        return {kind: _names(names) for kind, names in value.items()}
    return dict.fromkeys(KINDS, _names(value))


def _names(value: Any) -> tuple[str, ...]:
    value = value.split(",") if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise _unusable("what is due is a list of names")
    names = tuple(name.strip() for name in value if name.strip())
    if not names:
        raise _unusable("a list names nobody")
    return names


def _unusable(reason: str) -> BadInput:
    return BadInput(
        f"The setting SEARCH_ROUTING is not usable: {reason}.", suggested_action=_SHAPES
    )
