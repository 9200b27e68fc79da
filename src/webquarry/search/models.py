"""What is asked, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """One question to one provider. `page` counts from 0."""

    text: str
    count: int = 10
    page: int = 0
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """One hit: plain text, an absolute URL, a date in ISO 8601 only where the provider gave one."""

    title: str
    url: str
    snippet: str
    provider: str
    published: str | None = None


@dataclass(frozen=True)
class Batch:
    """One page of a provider's answer; `more` says whether a further page can be asked for."""

    results: tuple[Result, ...]
    more: bool
