"""Serialize search results for the cache. Increment VERSION when the format changes."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from webquarry._search.models import Attempt, Found, Result

VERSION = 2
_CACHE_FIELDS = ("cached", "age_seconds", "max_age_seconds")
_TUPLES = ("notes", "unapplied", "order")


def pack(found: Found) -> bytes:
    """Serialize everything except the cache fields."""
    fields = dict(vars(found))
    for name in _CACHE_FIELDS:
        del fields[name]
    fields["results"] = [vars(result) for result in found.results]
    fields["attempts"] = [vars(attempt) for attempt in found.attempts]
    try:
        return msgspec.json.encode(fields)
    except ValueError:  # a lone surrogate cannot be encoded as UTF-8
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")


def unpack(value: bytes, **freshness: Any) -> Found:
    """Inverse of `pack`; `freshness` are the cache fields."""
    fields: dict[str, Any] = json.loads(value.decode("utf-8", "surrogatepass"))
    for name in _TUPLES:
        fields[name] = tuple(fields[name])
    results = [Result(**result) for result in fields["results"]]
    attempts = [Attempt(**attempt) for attempt in fields["attempts"]]
    fields["results"] = tuple(results)
    fields["attempts"] = tuple(attempts)
    return Found(**fields, **freshness)
