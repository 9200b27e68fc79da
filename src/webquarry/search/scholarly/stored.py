"""What was found <-> the bytes that the cache keeps. VERSION changes with the shape of either."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from webquarry.search.models import Attempt
from webquarry.search.scholarly.models import Author, Paper, PapersFound
from webquarry.search.scholarly.notices import Notice

VERSION = 1
_FRESHNESS = ("cached", "age_seconds", "max_age_seconds")
_TUPLES = ("providers", "notes", "order")


def pack(found: PapersFound) -> bytes:
    """Everything but the freshness, which is the cache's to know."""
    fields = {name: value for name, value in asdict(found).items() if name not in _FRESHNESS}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def unpack(value: bytes) -> PapersFound:
    """The same again."""
    fields: dict[str, Any] = json.loads(value.decode("utf-8", "surrogatepass"))
    fields["papers"] = tuple(map(_paper, fields["papers"]))
    fields["attempts"] = tuple(Attempt(**attempt) for attempt in fields["attempts"])
    return PapersFound(**fields | {name: tuple(fields[name]) for name in _TUPLES})


def _paper(fields: dict[str, Any]) -> Paper:
    authors = tuple(Author(**one) for one in fields["authors"])
    return Paper(
        **fields
        | {"authors": authors, "notices": tuple(Notice(**one) for one in fields["notices"])}
    )
