"""The filters of a search, enforced on what came back where the provider may not have: a result in,
yes or no out.

Domains and excluded words are checked on every result, whoever was asked. A time range is checked
where the provider knows none, on the results that carry a date. An exact phrase, a language, a
country and safe search cannot be seen in a result: if the provider does not know them they are not
applied, and a note says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from webquarry.search.models import Query, Result
from webquarry.search.provider import Provider
from webquarry.search.query.domains import DomainFilter

_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_SLACK = timedelta(days=1)  # dates come without a zone, or without a time
_UNSPACED = (
    "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts without blanks between words
)
_STARTS_WORD, _ENDS_WORD = (
    re.compile(rf"(?![{_UNSPACED}])\w"),
    re.compile(rf"(?![{_UNSPACED}])\w\Z"),
)
_UNCHECKABLE = ("exact_terms", "language", "country")


@dataclass(frozen=True)
class Sieve:
    """What one search lets through."""

    domains: DomainFilter
    excluded: re.Pattern[str] | None = None
    since: date | None = None

    @classmethod
    def of(cls, query: Query, domains: DomainFilter, provider: Provider, now: datetime) -> Sieve:
        """The sieve for what this provider sends."""
        known = not query.time_range or "time_range" in provider.applied(query)
        if known:
            since = None
        else:
            since = (now - timedelta(days=_DAYS[query.time_range or ""]) - _SLACK).date()
        return cls(domains, _any_word(words_of(query.exclude_terms)), since)

    def admits(self, result: Result) -> bool:
        """May this result stay?"""
        if not self.domains.admits(result.url):
            return False
        if self.excluded and self.excluded.search(f"{result.title}\n{result.snippet}".casefold()):
            return False
        dated = _date_of(result) if self.since else None
        return dated is None or self.since is None or dated >= self.since


def words_of(terms: str | None) -> list[str]:
    """The words of `exclude_terms`, each once, without the signs that people put around them."""
    words = re.split(r"[\s,;\"“”]+", terms or "")
    return list(dict.fromkeys(word for word in (word.lstrip("-") for word in words) if word))


def find_unapplied(query: Query, provider: Provider) -> tuple[str, ...]:
    """The filters that were asked for and that nobody can apply to this provider's results."""
    names = [
        name
        for name in _UNCHECKABLE
        if getattr(query, name) and name not in provider.applied(query)
    ]
    if query.safe not in (None, "medium") and "safe" not in provider.applied(
        query
    ):  # the middle is what everybody does by default
        names.append("safe")
    return tuple(names)


def with_reserve(query: Query, provider: Provider) -> Query:
    """The query for twice as many results, as far as one page goes, where we will have to take some
    out ourselves.
    """
    ours = [name for name in ("time_range", "exclude_terms") if getattr(query, name)]
    if all(name in provider.applied(query) for name in ours):
        return query
    return replace(query, count=max(query.count, min(2 * query.count, provider.page_size)))


def notes_on(query: Query, provider: Provider) -> list[str]:
    """What could not be done, or only in part, in sentences."""
    notes = []
    if names := find_unapplied(query, provider):
        notes.append(f"{provider.label} cannot filter by {' and '.join(names)}: not applied.")
    if query.time_range and "time_range" not in provider.applied(query):
        notes.append(
            f"{provider.label} cannot filter by time_range: applied only to results that carry a "
            "date."
        )
    if query.exclude_terms and "exclude_terms" not in provider.applied(query):
        notes.append(
            f"{provider.label} cannot filter by exclude_terms: applied to titles and snippets."
        )
    return notes


def _any_word(words: list[str]) -> re.Pattern[str] | None:
    """Any of these as a whole word; scripts without blanks have no words to be whole."""
    parts = []
    for word in map(str.casefold, words):
        before = r"(?<!\w)" if _STARTS_WORD.match(word) else ""
        after = r"(?!\w)" if _ENDS_WORD.search(word) else ""
        parts.append(before + re.escape(word) + after)
    if parts:
        return re.compile("|".join(parts))
    return None


def _date_of(result: Result) -> date | None:
    try:
        return date.fromisoformat((result.published or "")[:10])
    except ValueError:
        return None
