"""A plan in, what its providers found out: asked one after the other until one has results.

Anything but results passes the question on to the next provider. "Nothing found" is the answer only
when nobody after it had results. One deadline holds for the whole: each provider may use half of
the time that is left, and the last one all of it, so that a slow one leaves time for the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webquarry._search.ask_at_once import ask_at_once
from webquarry._search.ask_provider import ask_provider
from webquarry._search.models import LIBRARY, Attempt, Found
from webquarry._search.plan import Plan
from webquarry._search.provider import Provider
from webquarry._search.services.failure import choose_error
from webquarry._search.services.services import Services
from webquarry._search.stored import pack
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
from webquarry.store.cache import Made

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
