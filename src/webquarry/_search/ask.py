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

from webquarry._search.answers import INCOMPLETE_SHARE, split_answers, to_entry
from webquarry._search.filters import Sieve, cut_query, find_unapplied, notes_on, with_reserve
from webquarry._search.guard import GuardedCall, choose_error
from webquarry._search.models import ALL, LIBRARY, Attempt, Found
from webquarry._search.paging import ResultCollector, fuse, read_pages
from webquarry._search.plan import Plan
from webquarry._search.provider import Provider
from webquarry._search.services import Services
from webquarry._search.text import describe_age
from webquarry.settings import Settings
from webquarry.store.cache import Made

_LIBRARY_SECONDS = 1.0  # least time for the library


async def ask_in_order(services: Services[Provider], settings: Settings, plan: Plan) -> Made:
    """Return the answer of a plan for the cache, or raise the most useful error if no provider
    answered.
    """
    if plan.domains.admits_nothing:
        return to_entry(Found((), "", notes=plan.notes), settings.cache_empty_seconds)
    end = services.clock.monotonic() + settings.timeout_seconds
    stages = [plan.names] if plan.at_once else [(name,) for name in plan.names]
    calls: list[GuardedCall] = []
    empty: Found | None = None
    for place, stage in enumerate(stages, 1):
        seconds = end - services.clock.monotonic()
        later = [] if plan.at_once else plan.names[place:]
        if any(services.get(name).configured for name in later):
            seconds /= 2
        asked = [ask_provider(services, name, plan, seconds) for name in stage]
        stage_calls, answers = split_answers(await asyncio.gather(*asked))
        calls += stage_calls
        if not answers:
            continue
        found = _fuse_answers(plan, stage_calls, answers) if plan.at_once else answers[0]
        if found.results:
            return _finish(settings, found, calls)
        empty = empty or found
    if empty is not None:
        return _finish(settings, empty, calls)
    return await _ask_library(services, plan, calls, end)


async def ask_provider(
    services: Services[Provider], name: str, plan: Plan, seconds: float
) -> tuple[GuardedCall, Found]:
    """Return the call of one provider and its results, also those before a timeout."""
    provider = services.get(name)
    sieve = Sieve.of(plan.query, plan.domains, provider, services.clock.now())
    collector = ResultCollector(plan.query.count, sieve.admits)
    query, cut_notes = cut_query(plan.query, provider)
    query = with_reserve(query, provider)
    async with services.guard(provider, seconds) as call:
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
        provider=name,
        notes=(*plan.notes, *cut_notes, *notes_on(plan.query, provider), *collector.notes),
        unapplied=find_unapplied(plan.query, provider),
        order=plan.names,
        because=plan.because,
        partial=collector.is_partial,
    )
    return call, found


async def _ask_library(
    services: Services[Provider], plan: Plan, calls: Sequence[GuardedCall], end: float
) -> Made:
    """Return pages that were read before, because no provider answered; raise the error if there
    are none, the call names a provider, or the query is invalid.
    """
    attempts = [call.attempt for call in calls]
    failures = [call.error for call in calls if call.error is not None]
    is_invalid = any(error.kind == "bad_input" for error in failures)
    found = Found((), "")
    if not plan.is_named and not is_invalid and services.get(LIBRARY).configured:
        seconds = max(_LIBRARY_SECONDS, end - services.clock.monotonic())
        _, found = await ask_provider(services, LIBRARY, plan, seconds)
    if not found.results:
        healthy = [one.name for one in services.healthy() if one.kind == "web"]
        others = [name for name in healthy if name not in plan.names]
        raise choose_error(failures, attempts, others)
    oldest = max(result.age_seconds or 0 for result in found.results)
    note = (
        "No provider answered: these are pages that were read here before, not a search of "
        f"the web. The oldest was read {describe_age(oldest)} ago."
    )
    reason = f"{len(found.results)} pages that were read before stand in."
    attempts.append(Attempt(LIBRARY, "ok", reason, 0.0))
    found = replace(found, notes=(note, *found.notes), attempts=tuple(attempts))
    return to_entry(found, 0.0)


def _finish(settings: Settings, found: Found, calls: Sequence[GuardedCall]) -> Made:
    """Return an answer with its attempts and its lifetime in the cache: the full one only if it
    is complete and from the first provider, none if it is from the library, which grows with
    every page.
    """
    seconds = settings.cache_empty_seconds
    if found.provider == LIBRARY:
        seconds = 0
    elif found.results and not found.partial:
        seconds = settings.cache_search_seconds
        if found.is_fallback:
            seconds /= INCOMPLETE_SHARE
    found = replace(found, attempts=tuple(call.attempt for call in calls))
    return to_entry(found, seconds)


def _fuse_answers(plan: Plan, calls: Sequence[GuardedCall], answers: Sequence[Found]) -> Found:
    """Return the fused results of providers that were asked at once, with a note on the number of
    requests and the providers that may charge for them.
    """
    asked = [call for call in calls if call.attempt.outcome != "skipped"]
    requests = sum(max(1, call.requests) for call in asked)
    with_key = [call.service.label for call in asked if call.service.credentials]
    names = ", ".join(call.service.label for call in asked)
    billed = "none of them with a key."
    if with_key:
        billed = f"billed or counted by {', '.join(with_key)}."
    bill = f"{len(asked)} providers were asked at once ({names}): {requests} requests, {billed}"
    notes = [bill, *(note for found in answers for note in found.notes)]
    unapplied = [name for found in answers for name in found.unapplied]
    return Found(
        results=tuple(fuse([found.results for found in answers])[: plan.query.count]),
        provider=ALL,
        notes=tuple(dict.fromkeys(notes)),
        unapplied=tuple(dict.fromkeys(unapplied)),
        order=(ALL, *plan.names),
        because=plan.because,
        partial=len(answers) < len(calls) or any(found.partial for found in answers),
    )
