"""Health of a running server: the checks that need no network, and the size of the cache."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from webquarry import __version__
from webquarry.caller import LOCAL, caller
from webquarry.doctor.checks import examine_parts

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_STARTED = time.monotonic()


async def describe_health(kit: Toolkit) -> dict[str, Any]:
    """Version, parts and cache.

    Remote callers get the state of each part, without paths, addresses and the cache of others.
    """
    results = examine_parts(kit.settings, kit.environ)
    cache = []
    if caller() == LOCAL:
        parts = [result.as_dict() for result in results]
        for store in await kit.cache.stats():
            cache.append({"name": store.name, "entries": store.entries, "bytes": store.bytes})
    else:
        parts = [{"name": result.name, "state": result.state} for result in results]
    is_broken = any(result.state == "broken" for result in results)
    return {
        "status": "broken" if is_broken else "ok",
        "version": __version__,
        "uptimeSeconds": round(time.monotonic() - _STARTED),
        "parts": parts,
        "cache": cache,
    }
