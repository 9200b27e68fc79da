"""What is asked, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

LIBRARY = "library"  # the provider that stands in for all others
ALL = "all"  # in the place of a provider: everybody who is configured, at once


@dataclass(frozen=True)
class Query:
    """One question to one provider. `page` counts from 0; `cursor` is what the page before left for
    this one.
    """

    text: str
    count: int = 10
    page: int = 0
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    time_range: str | None = None  # day, week, month or year
    safe: str | None = None  # off, medium or high; None is whatever the provider does by itself
    language: str | None = None  # ISO 639-1, lower case
    country: str | None = None  # ISO 3166-1 alpha-2, upper case
    exact_terms: str | None = None
    exclude_terms: str | None = None
    engine: str | None = None  # a Google engine of its own, from a lens
    cursor: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """One hit: plain text, an absolute URL, a date in ISO 8601 only where the provider gave one."""

    title: str
    url: str
    snippet: str
    provider: str
    published: str | None = None
    age_seconds: int | None = None  # since the page was read, where it comes from the library


@dataclass(frozen=True)
class Batch:
    """One page of a provider's answer; `more` says whether a further page can be asked for, with
    `cursor`.
    """

    results: tuple[Result, ...]
    more: bool
    cursor: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """One provider's turn: its outcome is one of `errors.OUTCOMES`, or "skipped" when it was not
    asked.
    """

    provider: str
    outcome: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class Found:
    """What a routed search came to, and how it came to it."""

    results: tuple[Result, ...]
    provider: str  # who answered; empty when nobody had to be asked
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()  # what was asked for and could not be done
    unapplied: tuple[str, ...] = ()  # the filters that nobody applied
    order: tuple[str, ...] = ()  # who would have been asked, in which order
    because: str = ""  # where that order comes from
    partial: bool = False  # a further page failed, or the time ran out
    cached: bool = False
    age_seconds: float = 0.0
    max_age_seconds: float = 0.0

    @property
    def is_fallback(self) -> bool:
        """Whether another answered than the one who was to be asked first."""
        return bool(self.order) and self.provider != self.order[0]


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
