"""A plan in, what all of its providers found out: asked at once, their lists made one.

The lists are fused by reciprocal rank: what several providers rank well comes before what one ranks
first. One page is one result, with the words of whoever ranked it best. Each provider is paid for,
so the answer tells how many requests there were.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webquarry._search.ask_provider import ask_provider
from webquarry._search.identity import identity
from webquarry._search.models import ALL, Attempt, Found, Result
from webquarry._search.plan import Plan
from webquarry._search.provider import Provider
from webquarry._search.services.guard import GuardedCall
from webquarry._search.services.services import Services
from webquarry.errors import WebquarryError

_SMOOTHING = 60  # ranks: how little the first place counts for more than the second


@dataclass(frozen=True)
class AskedAtOnce:
    """What came of all of them; `found` is None where nobody answered."""

    found: Found | None
    attempts: list[Attempt]
    failures: list[WebquarryError]


async def ask_at_once(services: Services[Provider], plan: Plan, seconds: float) -> AskedAtOnce:
    """Ask every provider of a plan at once."""
    providers = [services.get(name) for name in plan.names]
    asked = await asyncio.gather(
        *(ask_provider(services, provider, plan, seconds) for provider in providers)
    )
    attempts = [call.attempt for call, _ in asked]
    failures = [call.error for call, _ in asked if call.error is not None]
    answered = [found for call, found in asked if call.error is None]
    if not answered:
        return AskedAtOnce(None, attempts, failures)
    notes: dict[str, None] = {_write_bill([call for call, _ in asked]): None}
    for found in answered:
        notes |= dict.fromkeys(found.notes)
    unapplied: dict[str, None] = {}
    for found in answered:
        unapplied |= dict.fromkeys(found.unapplied)
    fused = Found(
        results=tuple(fuse([found.results for found in answered])[: plan.query.count]),
        provider=ALL,
        notes=tuple(notes),
        unapplied=tuple(unapplied),
        order=(ALL, *plan.names),
        because=plan.because,
        partial=bool(failures) or any(found.partial for found in answered),
    )
    return AskedAtOnce(fused, attempts, failures)


def fuse(lists: Sequence[Sequence[Result]]) -> list[Result]:
    """One list of several, each page once, by the sum of its reciprocal ranks."""
    scores: dict[str, float] = {}
    best: dict[str, tuple[int, Result]] = {}
    for results in lists:
        for rank, result in enumerate(results):
            page = identity(result.url)
            scores[page] = scores.get(page, 0.0) + 1 / (_SMOOTHING + rank + 1)
            known = best.get(page)
            if known is None or rank < known[0]:
                published = result.published or (known[1].published if known else None)
                best[page] = (rank, replace(result, published=published))
            elif known[1].published is None:
                best[page] = (known[0], replace(known[1], published=result.published))
    ordered = sorted(scores, key=lambda page: -scores[page])  # the earlier list first, if equal
    return [best[page][1] for page in ordered]


def _write_bill(calls: Sequence[GuardedCall]) -> str:
    """How many requests were made, and which of them may cost something."""
    asked = [call for call in calls if call.attempt.outcome != "skipped"]
    requests = sum(max(1, call.requests) for call in asked)
    with_key = [call.service.label for call in asked if call.service.credentials]
    names = ", ".join(call.service.label for call in asked)
    bill = f"{len(asked)} providers were asked at once ({names}): {requests} requests"
    if not with_key:
        return f"{bill}, none of them with a key."
    return f"{bill}, billed or counted by {', '.join(with_key)}."
