"""Parameters, results and metadata of answers that several research tools share.

Limits that are rarely exceeded are validated but not listed: a model pays for the schema on every
turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from webquarry._search.domains import host_of
from webquarry._search.guard import shorten
from webquarry._search.models import ALL, LIBRARY, Attempt, Found, Result, SearchAnswer
from webquarry.errors import BadInput
from webquarry.evidence.models import (
    TRUST,
    AnswerPart,
    DomainReputation,
    ZeroResultHints,
    fixed,
    zero_result_hints,
)
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.store.cache import freshness
from webquarry.tool import Answer
from webquarry.tool_schema import UNLISTED

if TYPE_CHECKING:
    from webquarry._search.service import Service
    from webquarry.sessions.models import ResearchSession, Source
    from webquarry.toolkit import Toolkit

A = TypeVar("A", bound=Answer)
P = TypeVar("P", bound=AnswerPart)
ShortText = Annotated[str, Meta(max_length=500, extra=UNLISTED)]
LongText = Annotated[str, Meta(max_length=4_000, extra=UNLISTED)]
Question = Annotated[str, Meta(max_length=1_000, extra=UNLISTED)]
Tokens = Annotated[int, Meta(ge=1, extra=UNLISTED)]
Name = Annotated[str, Meta(max_length=200, extra=UNLISTED)]
Year = Annotated[int, Meta(ge=1000, le=2200, extra=UNLISTED)]
SearchWords = Annotated[
    str, Meta(description="Keywords or a question.", min_length=1, max_length=500)
]
ForcedProvider = Annotated[
    str | None, Meta(description="Use only this search provider, e.g. brave.")
]
RecordingSession = Annotated[
    str | None, Meta(description="Research session that records the sources.")
]
ReadSession = Annotated[str, Meta(description="Id that sequential_search returned.")]
Fresh = Annotated[bool | None, Meta(description="Ignore stored answers.")]

# Arguments that do not affect the results.
NOT_IN_KEY = frozenset({"kit", "sessionId", "claim", "fresh", "unchanged", "again"})
_RESERVE = 0.1  # share of the timeout of a call to put the answer together and send it,
_MOST_RESERVE = 5.0  # in seconds
_MOST_AUTHORS = 20


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
    """The results, best first; an empty answer has hints."""

    urls: list[str]
    query: str
    result_count: int
    results: list[SearchResult]
    hints: ZeroResultHints | None = None
    trust: str = fixed(TRUST)
    note: str | None = None

    def sources(self) -> list[Source]:
        from webquarry.sessions.models import Source

        provider = self.meta.get("webquarry/routing", {}).get("providerUsed") or None
        return [
            Source(result.url, result.title, result.published_at, provider)
            for result in self.results
        ]


async def open_session(kit: Toolkit, id: str) -> ResearchSession:
    """Read a research session, and note that it was used."""
    if not id:
        raise BadInput(
            "sessionId is blank.",
            suggested_action="Give the sessionId that sequential_search returned.",
        )
    session = await kit.sessions.read(id)
    await kit.sessions.touch(session)
    return session


def key_parameters(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call that are part of its cache key."""
    parameters = {name: value for name, value in arguments.items() if name not in NOT_IN_KEY}
    return {"tool": tool} | parameters


def deadline_for(kit: Toolkit, tool: str, started: float) -> float:
    """Return when a call has to end that was started at a moment of the monotonic clock."""
    seconds = kit.settings.seconds_for(tool)
    return started + seconds - min(_MOST_RESERVE, _RESERVE * seconds)


def build_part(part: type[P], source: object, **fields: Any) -> P:
    """Return a part of an answer with the attributes of the same names: texts on one line, URLs
    encoded, optional texts absent if they are empty.
    """
    for name, is_required in _list_fields(part):
        if name in fields or not hasattr(source, name):
            continue
        value = getattr(source, name)
        if isinstance(value, str):
            value = clean_url(value) if name.endswith("url") else clean_line(value)
            value = value if value or is_required else None
        elif isinstance(value, tuple):
            value = list(value)
        fields[name] = value
    return part(**fields)


@cache
def _list_fields(part: type[AnswerPart]) -> list[tuple[str, bool]]:
    """Return the names of the fields and whether they are required."""
    return [(field.name, field.required) for field in msgspec.structs.fields(part)]


def list_authors(names: Iterable[str]) -> list[str]:
    """Return the authors; of many, the first ones and the number of all."""
    written = list(names)
    shown = [clean_line(name) for name in written[:_MOST_AUTHORS]]
    if len(written) > _MOST_AUTHORS:
        shown.append(f"et al. ({len(written)} authors)")
    return shown


def show_result(result: Result, claim: str | None, *, names_provider: bool = False) -> SearchResult:
    """Return a result as it is shown; with a claim, each has a signal, which may be empty."""
    url, snippet = clean_url(result.url), clean_line(result.snippet)
    known = reputation_of(url)
    signal = None
    if claim:
        from webquarry.evidence.language.claims import claim_signal

        signal = claim_signal(claim, snippet)
    is_named = result.age_seconds is not None or names_provider
    return SearchResult(
        title=clean_line(result.title),
        url=url,
        snippet=snippet,
        display_link=host_of(url) or "",
        source_reputation=DomainReputation(tier=known.tier, basis=known.basis) if known else None,
        claim_signal=signal,
        published_at=result.published,
        provider=result.provider if is_named else None,
        age_seconds=result.age_seconds,
    )


def suggest_others(
    filters: Sequence[str], healthy: Iterable[Service], attempts: Iterable[Attempt]
) -> ZeroResultHints:
    """Return hints for an empty answer: its filters, and available services that were not asked."""
    asked = {attempt.provider for attempt in attempts}
    others = [service.name for service in healthy if service.name not in asked]
    return zero_result_hints(filters, others)


def pick_note(found: Found) -> str | None:
    """Return the note for the answer itself: that the library replaces the web, or what it cost to
    ask all providers.
    """
    is_stand_in = found.provider == LIBRARY and found.is_fallback
    if found.notes and (is_stand_in or found.provider == ALL):
        return found.notes[0]
    return None


def add_trace(answer: A, found: SearchAnswer[Any], seconds: float, notes: Iterable[str] = ()) -> A:
    """Add metadata to an answer: its freshness, the providers that were asked, their outcomes."""
    reasons = [
        f"{attempt.provider}: {attempt.outcome} ({shorten(attempt.reason)})"
        for attempt in found.attempts
        if found.is_fallback and attempt.provider != found.provider
    ]
    outcomes = [
        {
            "provider": attempt.provider,
            "outcome": attempt.outcome,
            "reason": attempt.reason,
            "seconds": round(attempt.seconds, 3),
        }
        for attempt in found.attempts
    ]
    return answer.add_meta(
        cache=freshness(found.cached, found.age_seconds, found.max_age_seconds),
        routing={
            "providerUsed": found.provider,
            "providersAttempted": [
                one.provider for one in found.attempts if one.outcome != "skipped"
            ],
            "fallback": found.is_fallback,
            "fallbackReason": "; ".join(reasons),
            "latencyMs": round(seconds * 1000),
            "notes": [*notes, *found.notes],
        },
        trace={"order": list(found.order), "because": found.because, "attempts": outcomes},
    )
