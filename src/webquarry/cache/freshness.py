"""How fresh an answer is, as it travels beside it: `webquarry/cache` of every door that has room
for it.
"""

from __future__ import annotations

from typing import Any


def freshness(cached: bool, age_seconds: float, max_age_seconds: float) -> dict[str, Any]:
    """`live`: fetched for this call. `fresh`: kept, and younger than half of its time. `aging`:
    older than that.
    """
    word = "aging"
    if not cached:
        word = "live"
    elif age_seconds * 2 < max_age_seconds:
        word = "fresh"
    return {
        "cached": cached,
        "ageSeconds": round(age_seconds),
        "maxAgeSeconds": round(max_age_seconds),
        "freshness": word,
    }
