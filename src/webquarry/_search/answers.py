"""What searches of the web, of papers and of patents have in common: the form of answers in the
cache, services that are asked at once, and the web if none of them answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from webquarry._search.guard import GuardedCall, choose_error
from webquarry._search.models import Found, Query, SearchAnswer, pack, unpack
from webquarry.errors import WebquarryError
from webquarry.store.cache import CachedValue, Made

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens
    from webquarry._search.router import Router

INCOMPLETE_SHARE = 6  # an answer of a fallback is cached for a sixth of the time

A = TypeVar("A", bound=SearchAnswer[Any])
T = TypeVar("T")


def to_entry(found: SearchAnswer[Any], seconds: float) -> Made:
    """Return an answer for the cache, with its lifetime."""
    return Made(pack(found), seconds, found)


def from_entry(entry: CachedValue, kind: type[A]) -> A:
    """Return the answer of a cache entry."""
    found: A = entry.thing or unpack(entry.value, kind)
    return replace(
        found,
        cached=entry.cached,
        age_seconds=entry.age_seconds,
        max_age_seconds=entry.max_age_seconds,
    )


def split_answers(
    pairs: Iterable[tuple[GuardedCall, T]],
) -> tuple[list[GuardedCall], list[T]]:
    """Return the calls of services, and the values of those that answered."""
    pairs = list(pairs)
    return [call for call, _ in pairs], [value for call, value in pairs if call.error is None]


async def ask_web_instead(
    router: Router,
    query: Query,
    calls: Sequence[GuardedCall],
    *,
    kind: str,
    provider: str | None = None,
    lens: Lens | None = None,
) -> Found:
    """Search the web because no service answered; the answer or error has all attempts."""
    attempts = [call.attempt for call in calls]
    failures = [call.error for call in calls if call.error is not None]
    try:
        web = await router.route(query, provider=provider, lens=lens, kind=kind)
    except WebquarryError as error:
        if not failures:
            raise
        attempts += error.attempts
        raise choose_error([*failures, error], attempts, []) from error
    return replace(web, attempts=(*attempts, *web.attempts))
