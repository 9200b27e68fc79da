"""Providers of a plan asked one after the other until one has results, or all at once.

The next provider is asked unless the last one had results; "nothing found" is the answer only if no
later one has results. One deadline applies to the search: each provider may use half of the time
that is left, the last one all of it. Each provider may cost money, so the answer of several states
the number of requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from webquarry._search.filters import Sieve, cut_query, find_unapplied, notes_on, with_reserve
from webquarry._search.guard import NO_ANSWER, GuardedCall, choose_error
from webquarry._search.models import ALL, LIBRARY, Attempt, Found, pack
from webquarry._search.paging import ResultCollector, fuse, read_pages
from webquarry._search.plan import Plan
from webquarry._search.provider import Provider
from webquarry._search.services import Services
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
from webquarry.store.cache import Made

_LIBRARY_SECONDS = 1.0  # least time for the library
FALLBACK_SHARE = 6  # an answer of a fallback is cached for a sixth of the time


async def ask_provider(
    services: Services[Provider], provider: Provider, plan: Plan, seconds: float
) -> tuple[GuardedCall, Found]:
    """Return the call of one provider and its results, also those before a timeout."""
    sieve = Sieve.of(plan.query, plan.domains, provider, services.clock.now())
    collector = ResultCollector(plan.query.count, sieve.admits)
    query, cut_notes = cut_query(plan.query, provider)
    query = with_reserve(query, provider)
    async with services.guard(provider, seconds, late=NO_ANSWER) as call:
        if call.is_admitted:
            async for batch in read_pages(services, provider, query, collector, seconds):
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


async def ask_in_order(services: Services[Provider], settings: Settings, plan: Plan) -> Made:
    """Return the answer of the providers of a plan for the cache, or raise the most useful error if
    none of them answered.
    """
    if plan.domains.admits_nothing:
        return _pack(settings, Found((), "", notes=plan.notes), [])
    calls: list[GuardedCall] = []
    empty: Found | None = None
    end = services.clock.monotonic() + settings.timeout_seconds
    if plan.at_once:
        calls, found = await _ask_at_once(services, plan, settings.timeout_seconds)
        attempts = [call.attempt for call in calls]
        if found is not None:
            return _pack(settings, found, attempts)
    else:
        for place, name in enumerate(plan.names):
            seconds = end - services.clock.monotonic()
            later = plan.names[place + 1 :]
            if any(services.get(other).configured for other in later):
                seconds /= 2
            call, found = await ask_provider(services, services.get(name), plan, seconds)
            calls.append(call)
            attempts = [call.attempt for call in calls]
            if call.error is None and found.results:
                return _pack(settings, found, attempts)
            if call.error is None:
                empty = empty or found
    if empty is not None:
        return _pack(settings, empty, attempts)
    failures = [call.error for call in calls if call.error is not None]
    stand_in = await _ask_library(services, plan, failures, end)
    if stand_in is not None:
        reason = f"{len(stand_in.results)} pages that were read before stand in."
        attempts.append(Attempt(stand_in.provider, "ok", reason, 0.0))
        return _pack(settings, stand_in, attempts)
    others = [
        provider.name
        for provider in services.healthy()
        if provider.kind == "web" and provider.name not in plan.names
    ]
    raise choose_error(failures, attempts, others)


async def _ask_at_once(
    services: Services[Provider], plan: Plan, seconds: float
) -> tuple[list[GuardedCall], Found | None]:
    """Return the calls of all providers and their fused results, None if none answered."""
    asked = await asyncio.gather(
        *(ask_provider(services, services.get(name), plan, seconds) for name in plan.names)
    )
    calls = [call for call, _ in asked]
    answered = [found for call, found in asked if call.error is None]
    if not answered:
        return calls, None
    notes = dict.fromkeys([_write_bill(calls)])
    unapplied: dict[str, None] = {}
    for found in answered:
        notes |= dict.fromkeys(found.notes)
        unapplied |= dict.fromkeys(found.unapplied)
    fused = Found(
        results=tuple(fuse([found.results for found in answered])[: plan.query.count]),
        provider=ALL,
        notes=tuple(notes),
        unapplied=tuple(unapplied),
        order=(ALL, *plan.names),
        because=plan.because,
        partial=len(answered) < len(calls) or any(found.partial for found in answered),
    )
    return calls, fused


def _write_bill(calls: Sequence[GuardedCall]) -> str:
    """Return a note with the number of requests and the providers that may charge for them."""
    asked = [call for call in calls if call.attempt.outcome != "skipped"]
    requests = sum(max(1, call.requests) for call in asked)
    with_key = [call.service.label for call in asked if call.service.credentials]
    names = ", ".join(call.service.label for call in asked)
    bill = f"{len(asked)} providers were asked at once ({names}): {requests} requests"
    if not with_key:
        return f"{bill}, none of them with a key."
    return f"{bill}, billed or counted by {', '.join(with_key)}."


async def _ask_library(
    services: Services[Provider], plan: Plan, failures: Sequence[WebquarryError], end: float
) -> Found | None:
    """Return pages that were read before, unless the call names a provider or the query is
    invalid.
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
    """Return an age in words."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


def _pack(settings: Settings, found: Found, attempts: Sequence[Attempt]) -> Made:
    """Return an answer for the cache: with the full lifetime only if it is complete and from the
    first provider of the order, and not from the library, which grows with every page.
    """
    seconds = settings.cache_empty_seconds
    if found.provider == LIBRARY:
        seconds = 0
    elif found.results and not found.partial:
        seconds = settings.cache_search_seconds
        if found.is_fallback:
            seconds /= FALLBACK_SHARE
    found = replace(found, attempts=tuple(attempts))
    return Made(pack(found), seconds, found)
