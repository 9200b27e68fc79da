"""One provider of a plan is asked: how the call went, and what it found, out."""

from __future__ import annotations

from webquarry._search.models import Found
from webquarry._search.paging import ResultCollector, read_pages
from webquarry._search.plan import Plan
from webquarry._search.provider import Provider
from webquarry._search.query.filters import Sieve, find_unapplied, notes_on, with_reserve
from webquarry._search.query.length import cut_query
from webquarry._search.services.guard import NO_ANSWER, GuardedCall
from webquarry._search.services.services import Services


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
