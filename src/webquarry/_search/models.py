"""Queries and answers of searches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

LIBRARY = "library"  # the provider that answers from pages read before
ALL = "all"  # as a provider: all configured providers at once
VERSION = 2  # of cached answers

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True)
class Query:
    """One query to one provider. `page` counts from 0; `cursor` comes from the previous page."""

    text: str
    count: int = 10
    page: int = 0
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    time_range: str | None = None  # day, week, month or year
    safe: str | None = None  # off, medium or high; None for the default of the provider
    language: str | None = None  # ISO 639-1, lower case
    country: str | None = None  # ISO 3166-1 alpha-2, upper case
    exact_terms: str | None = None
    exclude_terms: str | None = None
    engine: str | None = None  # a Google engine, from a lens
    cursor: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """One result: plain text, an absolute URL, an ISO 8601 date if the provider returned one."""

    title: str
    url: str
    snippet: str
    provider: str
    published: str | None = None
    age_seconds: int | None = None  # since the page was read, for results of the library


@dataclass(frozen=True)
class Batch:
    """One page of results; `more` says whether the next one can be requested, with `cursor`."""

    results: tuple[Result, ...]
    more: bool
    cursor: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """One call of a provider: its outcome is one of `errors.OUTCOMES`, or "skipped"."""

    provider: str
    outcome: str
    reason: str
    seconds: float


@dataclass(frozen=True)
class SearchAnswer(Generic[R]):
    """The records of a search and how they were found; `provider` is empty if no request was
    needed.
    """

    results: tuple[R, ...]
    provider: str
    attempts: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()  # parts of the query that could not be applied, and similar
    unapplied: tuple[str, ...] = ()  # names of the filters that were not applied
    order: tuple[str, ...] = ()  # the planned order of providers
    because: str = ""  # the reason for that order
    partial: bool = False  # a request failed or timed out
    cached: bool = False
    age_seconds: float = 0.0
    max_age_seconds: float = 0.0

    @property
    def is_fallback(self) -> bool:
        """Whether another provider than the first one answered."""
        return bool(self.order) and self.provider != self.order[0]


class Found(SearchAnswer[Result]):
    """The results of a web search."""


def pack(found: Any) -> bytes:
    """Serialize an answer for the cache."""
    text = json.dumps(asdict(found), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")  # a lone surrogate has no encoding


def unpack(value: bytes, kind: type[T]) -> T:
    """Inverse of `pack`."""
    return msgspec.json.decode(value, type=kind)
