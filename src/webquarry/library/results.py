"""Passages of the library as search results, and the filters of a query."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from webquarry._search.domains import DomainFilter
from webquarry._search.filters import words_of
from webquarry._search.models import LIBRARY, Query, Result
from webquarry._search.text import plain, shorten_text
from webquarry.evidence.language.words import fold
from webquarry.library.models import FoundPassage, KeptPage

_SNIPPET_CHARACTERS = 500


def show_passage(found: FoundPassage, now: datetime) -> Result:
    """Return a passage as a result, with the time since its page was read."""
    return Result(
        title=plain(found.title) or plain(found.url),
        url=found.url,
        snippet=shorten_text(plain(found.text), _SNIPPET_CHARACTERS),
        provider=LIBRARY,
        published=found.published,
        age_seconds=max(0, int(now.timestamp() - found.fetched_at)),
    )


def build_sieve(query: Query) -> Callable[[KeptPage], bool]:
    """Return a filter of pages: by domains, exact phrase and excluded words."""
    domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
    phrase = " ".join(fold(query.exact_terms or "").split())
    unwanted = [fold(word) for word in words_of(query.exclude_terms)]

    def admits(page: KeptPage) -> bool:
        if domains and not domains.admits(page.url):
            return False
        if not phrase and not unwanted:
            return True
        text = fold(f"{page.title}\n{page.text.decode('utf-8', 'replace')}")
        words = " ".join(text.split())
        return phrase in words and not any(word in words for word in unwanted)

    return admits
