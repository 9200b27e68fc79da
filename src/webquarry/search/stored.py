"""What was found <-> the bytes that the cache keeps. VERSION changes with the shape of either."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_json

from webquarry.search.models import Attempt, Found, Result

VERSION = 2
_OF_THE_CACHE = ("cached", "age_seconds", "max_age_seconds", "source")
_TUPLES = ("notes", "unapplied", "order")


def pack(found: Found) -> bytes:
    """Everything but where it is kept and how fresh it is, which is the cache's to know."""
    fields = dict(vars(found))
    for name in _OF_THE_CACHE:
        del fields[name]
    fields["results"] = [vars(result) for result in found.results]
    fields["attempts"] = [vars(attempt) for attempt in found.attempts]
    try:
        return to_json(fields)
    except ValueError:  # half a surrogate pair, which is not written in UTF-8
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")


def unpack(value: bytes) -> Found:
    """What `pack` was given."""
    fields: dict[str, Any] = json.loads(value.decode("utf-8", "surrogatepass"))
    for name in _TUPLES:
        fields[name] = tuple(fields[name])
    results = [Result(**result) for result in fields["results"]]
    attempts = [Attempt(**attempt) for attempt in fields["attempts"]]
    fields["results"] = tuple(results)
    fields["attempts"] = tuple(attempts)
    return Found(**fields)
