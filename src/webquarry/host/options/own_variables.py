"""Which environment variables are webquarry's own: its settings, and the keys of its providers."""

from __future__ import annotations

from functools import cache

from webquarry.registry import members_of

_PREFIXES = ("WEBQUARRY_", "WEBSEARCH_")


def is_own_variable(name: str) -> bool:
    """Is this a setting or a credential of ours, however it is written?"""
    upper = name.upper()
    return upper.startswith(_PREFIXES) or upper in _list_credentials()


@cache
def _list_credentials() -> frozenset[str]:
    # Only a tool that names variables needs these, and they take a while to load.
    from webquarry._search.patents.provider import PatentProvider
    from webquarry._search.provider import Provider
    from webquarry._search.scholarly.provider import Scholarly
    from webquarry.ask.keys import NAMES
    from webquarry.store.redis_config import REDIS_URL, STORE_KEY, USUAL_URL

    search = "webquarry._search"
    patents = f"{search}.patents.providers"
    services = [
        *members_of(f"{search}.providers", Provider, group="webquarry.providers"),
        *members_of(f"{search}.scholarly.providers", Scholarly, group="webquarry.scholarly"),
        *members_of(patents, PatentProvider, group="webquarry.patent_providers"),
    ]
    names = set(NAMES)
    for service in services:
        names.update(credential.variable for credential in service.credentials)
    names.update(credential.variable for credential in (REDIS_URL, STORE_KEY, USUAL_URL))
    return frozenset(names)
