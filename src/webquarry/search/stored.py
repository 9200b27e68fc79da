"""What was found <-> the bytes that the cache keeps. VERSION changes with the shape of either."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from webquarry.search.models import Attempt, Found, Result

VERSION = 1
_TUPLES = ("notes", "unapplied", "order")


def pack(found: Found) -> bytes:
    """Everything but the freshness, which is the cache's to know."""
    fields = asdict(found)
    for name in ("cached", "age_seconds", "max_age_seconds"):
        del fields[name]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def unpack(value: bytes) -> Found:
    """The same again."""
    fields: dict[str, Any] = json.loads(value.decode("utf-8", "surrogatepass"))
    fields["results"] = tuple(Result(**result) for result in fields["results"])
    fields["attempts"] = tuple(Attempt(**attempt) for attempt in fields["attempts"])
    return Found(**fields | {name: tuple(fields[name]) for name in _TUPLES})
