"""Providers of a plan asked one after the other until one has results, or all at once.

The next provider is asked unless the last one had results; "nothing found" is the answer only if no
later one has results. One deadline applies to the search: each provider may use half of the time
that is left, the last one all of it. Lists of several providers are fused by reciprocal rank, each
page once. Each provider may cost money, so the answer states the number of requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from webquarry._search.filters import Sieve, cut_query, find_unapplied, notes_on, with_reserve
from webquarry._search.guard import NO_ANSWER, GuardedCall, choose_error
from webquarry._search.identity import identity
from webquarry._search.models import ALL, LIBRARY, Attempt, Found, Result, pack
from webquarry._search.paging import ResultCollector, read_pages
from webquarry._search.plan import Plan
from webquarry._search.provider import Provider
from webquarry._search.services import Services
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
from webquarry.store.cache import Made


async def ask_provider(
    services: Services[Provider], provider: Provider, plan: Plan, seconds: float
) -> tuple[GuardedCall, Found]:
    """How the call of one provider went, and what it found; what had come when the time was
    over counts.
    """
    sieve = Sieve.of(plan.query, plan.domains, provider, services.clock.now())
    collector = ResultCollector(plan.query.count, sieve.admits)
    query, cut_notes = cut_query(plan.query, provider)
    query = with_reserve(query, provider)
    async with services.guard(provider, seconds, late=NO_ANSWER) as call:
        if call.is_admitted:
            pages = read_pages(services, provider, query, collector, seconds)
            async for batch in pages:
                collector.add(batch)
                call.found = collector.count
                call.requests += 1
            if collector.came:
                call.why_empty = f"None of {collector.came} results passed the filters."
    if call.is_cut_short:
        collector.is_partial = True
        collector.notes.append(f"{provider.label} was cut short after {seconds:.3g} s.")
    found = Found(
        results=collector.merge_results(),
        provider=provider.name,
        notes=(*plan.notes, *cut_notes, *notes_on(plan.query, provider), *collector.notes),
        unapplied=find_unapplied(plan.query, provider),
        order=plan.names,
        because=plan.because,
        partial=collector.is_partial,
    )
    return call, found


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


_LIBRARY_SECONDS = 1.0  # that it has in any case
FALLBACK_SHARE = 6  # a makeshift is kept for this part of the usual time


async def ask_in_order(services: Services[Provider], settings: Settings, plan: Plan) -> Made:
    """What the providers of a plan found, asked one after the other, as the cache keeps it; if
    none of them answered, the error that helps most.
    """
    if plan.domains.admits_nothing:
        return _pack(settings, Found((), "", notes=plan.notes), [])
    attempts: list[Attempt] = []
    failures: list[WebquarryError] = []
    empty: Found | None = None
    end = services.clock.monotonic() + settings.timeout_seconds
    names = plan.names
    if plan.at_once:
        names = ()
        fused = await ask_at_once(services, plan, settings.timeout_seconds)
        attempts, failures = fused.attempts, fused.failures
        empty = fused.found
        if empty is not None and empty.results:
            return _pack(settings, empty, attempts)
    for place, name in enumerate(names):
        # All the time that is left if nobody after it can be asked, half of it otherwise.
        seconds = end - services.clock.monotonic()
        later = names[place + 1 :]
        if any(services.get(other).configured for other in later):
            seconds /= 2
        call, found = await ask_provider(services, services.get(name), plan, seconds)
        attempts.append(call.attempt)
        if call.error is not None:
            failures.append(call.error)
        elif found.results:
            return _pack(settings, found, attempts)
        else:
            empty = empty or found
    if empty is not None:
        return _pack(settings, empty, attempts)
    stand_in = await _ask_library(services, plan, failures, end)
    if stand_in is not None:
        return _pack(settings, stand_in, [*attempts, _describe_stand_in(stand_in)])
    others = []
    for provider in services.healthy():
        if provider.kind == "web" and provider.name not in plan.names:
            others.append(provider.name)
    raise choose_error(failures, attempts, others)


async def _ask_library(
    services: Services[Provider], plan: Plan, failures: Sequence[WebquarryError], end: float
) -> Found | None:
    """What was read before, where nobody answered whom the call did not name; None if there is
    nothing. A question that is wrong itself is not answered so.
    """
    if plan.is_named or any(error.kind == "bad_input" for error in failures):
        return None
    library = services.by_name().get(LIBRARY)
    if library is None or not library.configured:
        return None
    seconds = max(_LIBRARY_SECONDS, end - services.clock.monotonic())
    _, found = await ask_provider(services, library, plan, seconds)
    if not found.results:
        return None
    oldest = max(result.age_seconds or 0 for result in found.results)
    note = (
        "No provider answered: these are pages that were read here before, not a search of the "
        f"web. The oldest was read {describe_age(oldest)} ago."
    )
    return replace(found, notes=(note, *found.notes))


def describe_age(seconds: float) -> str:
    """How long ago something was, in words."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


def _describe_stand_in(found: Found) -> Attempt:
    reason = f"{len(found.results)} pages that were read before stand in."
    return Attempt(found.provider, "ok", reason, 0.0)


def _pack(settings: Settings, found: Found, attempts: list[Attempt]) -> Made:
    """What was found as bytes, and as it is. It is good for long only if it is whole and comes
    from the provider who was to be asked first: another's is a makeshift until that one answers
    again.
    """
    seconds = settings.cache_empty_seconds
    if found.provider == LIBRARY:  # which changes with every page that is read
        seconds = 0
    elif found.results and not found.partial:
        seconds = settings.cache_search_seconds
        if found.is_fallback:
            seconds /= FALLBACK_SHARE
    found = replace(found, attempts=tuple(attempts))
    return Made(pack(found), seconds, found)
