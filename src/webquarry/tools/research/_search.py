"""What the tools that search share: results in their common shape, and what travels beside an
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from webquarry.cache.freshness import freshness
from webquarry.evidence.language.claims import claim_signal
from webquarry.evidence.models import TRUST, DomainReputation, Shape, ZeroResultHints
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.search.models import Attempt, Found, Result
from webquarry.search.query.domains import host_of
from webquarry.search.services.failure import shorten
from webquarry.sessions.models import Source
from webquarry.tool import Answer

NOT_IN_KEY = frozenset({"sessionId"})  # arguments that do not affect what is found

A = TypeVar("A", bound=Answer)


class SearchResult(Shape):
    """One result."""

    title: str
    url: str
    snippet: str
    display_link: str
    source_reputation: DomainReputation | None = None
    claim_signal: str | None = None
    published_at: str | None = None


class SearchOutput(Answer):
    """The results, best first; none is an answer too, and has hints."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    urls: list[str]
    query: str
    result_count: int
    results: list[SearchResult]
    hints: ZeroResultHints | None = None
    trust: str = TRUST

    def sources(self) -> list[Source]:
        provider = self.meta.get("webquarry/routing", {}).get("providerUsed") or None
        return [Source(one.url, one.title, one.published_at, provider) for one in self.results]


def key_parameters(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the cache key must hold of a call: every argument but those that do not affect the
    results.
    """
    return {"tool": tool} | {
        name: value for name, value in arguments.items() if name not in NOT_IN_KEY
    }


def as_search_result(result: Result, claim: str | None) -> SearchResult:
    """A result as it is shown; with a claim, every one has a signal, if only an empty one."""
    url, snippet = clean_url(result.url), clean_line(result.snippet)
    known = reputation_of(url)
    return SearchResult(
        title=clean_line(result.title),
        url=url,
        snippet=snippet,
        display_link=host_of(url) or "",
        source_reputation=DomainReputation(tier=known.tier, basis=known.basis) if known else None,
        claim_signal=claim_signal(claim, snippet) if claim else None,
        published_at=result.published,
    )


def with_trace(answer: A, found: Found, seconds: float, notes: tuple[str, ...] = ()) -> A:
    """Put beside an answer how fresh it is, who was asked, and what came of it."""
    asked = [attempt for attempt in found.attempts if attempt.outcome != "skipped"]
    failed = [attempt for attempt in found.attempts if attempt.provider != found.provider]
    why = "; ".join(f"{one.provider}: {one.outcome} ({shorten(one.reason)})" for one in failed)
    fallback = bool(found.order) and found.provider != found.order[0]
    return answer.beside(
        cache=freshness(found.cached, found.age_seconds, found.max_age_seconds),
        routing={
            "providerUsed": found.provider,
            "providersAttempted": [attempt.provider for attempt in asked],
            "fallback": fallback,
            "fallbackReason": why if fallback else "",
            "latencyMs": round(seconds * 1000),
            "notes": [*notes, *found.notes],
        },
        trace=trace_of(found.order, found.because, found.attempts),
    )


def trace_of(order: Iterable[str], because: str, attempts: Iterable[Attempt]) -> dict[str, Any]:
    """Who was to be asked and why, and what came of each."""
    told = [
        {
            "provider": one.provider,
            "outcome": one.outcome,
            "reason": one.reason,
            "seconds": round(one.seconds, 3),
        }
        for one in attempts
    ]
    return {"order": list(order), "because": because, "attempts": told}
