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

from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider
from webquarry._search.query.domains import DomainFilter

_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_SLACK = timedelta(days=1)  # dates come without a zone, or without a time
# Scripts without blanks between words.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_STARTS_WORD = rf"(?![{_UNSPACED}])\w"
_ENDS_WORD = rf"(?![{_UNSPACED}])\w\Z"
_BETWEEN_WORDS = re.compile(r"[\s,;\"“”]+")
_UNCHECKABLE = ("exact_terms", "language", "country")


@dataclass(frozen=True)
class Sieve:
    """What one search lets through."""

    domains: DomainFilter
    excluded: re.Pattern[str] | None = None
    since: date | None = None
    has_files: bool = False  # whether files of this machine are results

    @classmethod
    def of(cls, query: Query, domains: DomainFilter, provider: Provider, now: datetime) -> Sieve:
        """The sieve for what this provider sends."""
        since = None
        if query.time_range and "time_range" not in provider.applied(query):
            span = timedelta(days=_DAYS[query.time_range]) + _SLACK
            since = (now - span).date()
        # Any excluded word as a whole one; scripts without blanks have no words to be whole.
        patterns = []
        for word in map(str.casefold, words_of(query.exclude_terms)):
            pattern = re.escape(word)
            if re.match(_STARTS_WORD, word):
                pattern = r"(?<!\w)" + pattern
            if re.search(_ENDS_WORD, word):
                pattern += r"(?!\w)"
            patterns.append(pattern)
        excluded = None
        if patterns:
            excluded = re.compile("|".join(patterns))
        return cls(domains, excluded, since, provider.has_files)

    def admits(self, result: Result) -> bool:
        """May this result stay?"""
        is_file = self.has_files and result.url.startswith("file:")
        if not self.domains.admits(result.url) and (self.domains or not is_file):
            return False
        if self.excluded and self.excluded.search(f"{result.title}\n{result.snippet}".casefold()):
            return False
        if self.since is None:
            return True
        try:
            published = date.fromisoformat((result.published or "")[:10])
        except ValueError:
            return True
        return published >= self.since


def words_of(terms: str | None) -> list[str]:
    """The words of `exclude_terms`, each once, without the signs that people put around them."""
    if not terms:
        return []
    parts = _BETWEEN_WORDS.split(terms)
    words = [part.lstrip("-") for part in parts]
    return list(dict.fromkeys(filter(None, words)))


def find_unapplied(query: Query, provider: Provider) -> tuple[str, ...]:
    """The filters that were asked for and that nobody can apply to this provider's results."""
    applied = provider.applied(query)
    wanted = [name for name in _UNCHECKABLE if getattr(query, name)]
    if query.safe not in (None, "medium"):  # the middle is what everybody does by default
        wanted.append("safe")
    return tuple(name for name in wanted if name not in applied)


def with_reserve(query: Query, provider: Provider) -> Query:
    """The query for twice as many results, as far as one page goes, where we will have to take some
    out ourselves.
    """
    applied = provider.applied(query)
    filters = [name for name in ("time_range", "exclude_terms") if getattr(query, name)]
    if all(name in applied for name in filters):
        return query
    twice = min(2 * query.count, provider.page_size)
    return replace(query, count=max(query.count, twice))


def notes_on(query: Query, provider: Provider) -> list[str]:
    """What could not be done, or only in part, in sentences."""
    notes = []
    names = find_unapplied(query, provider)
    if names:
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
