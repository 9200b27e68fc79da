"""What the tools that search share: results in their common shape, and what travels beside an
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Meta

from webquarry._search.domains import host_of
from webquarry._search.guard import shorten
from webquarry._search.models import ALL, LIBRARY, Attempt, Found, Result
from webquarry.evidence.models import TRUST, AnswerPart, DomainReputation, ZeroResultHints, fixed
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.store.cache import freshness
from webquarry.tool import Answer

if TYPE_CHECKING:
    from webquarry.sessions.source import Source

# Arguments that do not affect what is found: a claim is held against it afterwards.
NOT_IN_KEY = frozenset({"sessionId", "claim", "fresh", "again"})

A = TypeVar("A", bound=Answer)
Fresh = Annotated[bool | None, Meta(description="Go past the cache.")]


class SearchResult(AnswerPart, kw_only=True):
    """One result."""

    title: str
    url: str
    snippet: str
    display_link: str
    source_reputation: DomainReputation | None = None
    claim_signal: str | None = None
    published_at: str | None = None
    provider: str | None = None
    age_seconds: int | None = None


class SearchOutput(Answer, kw_only=True):
    """The results, best first; none is an answer too, and has hints."""

    urls: list[str]
    query: str
    result_count: int
    results: list[SearchResult]
    hints: ZeroResultHints | None = None
    trust: str = fixed(TRUST)
    note: str | None = None

    def sources(self) -> list[Source]:
        from webquarry.sessions.source import Source

        routing = self.meta.get("webquarry/routing", {})
        provider = routing.get("providerUsed") or None
        sources = []
        for result in self.results:
            source = Source(result.url, result.title, result.published_at, provider)
            sources.append(source)
        return sources


def key_parameters(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the cache key must hold of a call: every argument but those that do not affect the
    results.
    """
    parameters = {name: value for name, value in arguments.items() if name not in NOT_IN_KEY}
    return {"tool": tool} | parameters


def show_result(result: Result, claim: str | None, *, names_provider: bool = False) -> SearchResult:
    """A result as it is shown; with a claim, every one has a signal, if only an empty one. Who
    found it is told where several did, and of a page that was read before.
    """
    url, snippet = clean_url(result.url), clean_line(result.snippet)
    reputation = None
    known = reputation_of(url)
    if known:
        reputation = DomainReputation(tier=known.tier, basis=known.basis)
    signal = None
    if claim:
        from webquarry.evidence.language.claims import claim_signal

        signal = claim_signal(claim, snippet)
    provider = None
    if result.age_seconds is not None or names_provider:
        provider = result.provider
    return SearchResult(
        title=clean_line(result.title),
        url=url,
        snippet=snippet,
        display_link=host_of(url) or "",
        source_reputation=reputation,
        claim_signal=signal,
        published_at=result.published,
        provider=provider,
        age_seconds=result.age_seconds,
    )


def pick_note(found: Found) -> str | None:
    """What the answer itself says of who gave it: that pages which were read before stand in for
    the web, or what it cost to ask everybody.
    """
    is_stand_in = found.provider == LIBRARY and found.is_fallback
    if found.notes and (is_stand_in or found.provider == ALL):
        return found.notes[0]
    return None


def add_trace(answer: A, found: Found, seconds: float, notes: tuple[str, ...] = ()) -> A:
    """Put beside an answer how fresh it is, who was asked, and what came of it."""
    reason = ""
    if found.is_fallback:
        others = [attempt for attempt in found.attempts if attempt.provider != found.provider]
        reason = describe_attempts(others)
    asked = [attempt.provider for attempt in found.attempts if attempt.outcome != "skipped"]
    return answer.add_meta(
        cache=freshness(found.cached, found.age_seconds, found.max_age_seconds),
        routing={
            "providerUsed": found.provider,
            "providersAttempted": asked,
            "fallback": found.is_fallback,
            "fallbackReason": reason,
            "latencyMs": round(seconds * 1000),
            "notes": [*notes, *found.notes],
        },
        trace=show_trace(found.order, found.because, found.attempts),
    )


def describe_attempts(attempts: Iterable[Attempt]) -> str:
    """What came of each, in one line."""
    outcomes = []
    for attempt in attempts:
        reason = shorten(attempt.reason)
        outcomes.append(f"{attempt.provider}: {attempt.outcome} ({reason})")
    return "; ".join(outcomes)


def show_trace(order: Iterable[str], because: str, attempts: Iterable[Attempt]) -> dict[str, Any]:
    """Who was to be asked and why, and what came of each."""
    outcomes = [
        {
            "provider": attempt.provider,
            "outcome": attempt.outcome,
            "reason": attempt.reason,
            "seconds": round(attempt.seconds, 3),
        }
        for attempt in attempts
    ]
    return {"order": list(order), "because": because, "attempts": outcomes}
