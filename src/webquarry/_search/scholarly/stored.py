"""What was found <-> the bytes that the cache keeps. VERSION changes with the shape of either."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from webquarry._search.models import Attempt
from webquarry._search.scholarly.models import Author, Paper, PapersFound
from webquarry._search.scholarly.notices import Notice

VERSION = 1
_FRESHNESS = ("cached", "age_seconds", "max_age_seconds")
_TUPLES = ("providers", "notes", "order")


def pack(found: PapersFound) -> bytes:
    """Everything but the freshness, which is the cache's to know."""
    fields = asdict(found)
    for name in _FRESHNESS:
        del fields[name]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def unpack(value: bytes) -> PapersFound:
    """What `pack` was given."""
    fields: dict[str, Any] = json.loads(value.decode("utf-8", "surrogatepass"))
    for name in _TUPLES:
        fields[name] = tuple(fields[name])
    attempts = [Attempt(**attempt) for attempt in fields["attempts"]]
    papers = []
    for paper in fields["papers"]:
        authors = [Author(**author) for author in paper["authors"]]
        notices = [Notice(**notice) for notice in paper["notices"]]
        paper["authors"] = tuple(authors)
        paper["notices"] = tuple(notices)
        papers.append(Paper(**paper))
    fields["attempts"] = tuple(attempts)
    fields["papers"] = tuple(papers)
    return PapersFound(**fields)
