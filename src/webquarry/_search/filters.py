"""Filters and length limits of providers: what is sent, what is applied to results, and notes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from webquarry._search.domains import DomainFilter
from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider

_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366}
_SLACK = timedelta(days=1)  # dates have no zone, or no time
# Scripts without blanks between words.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_STARTS_WORD = rf"(?![{_UNSPACED}])\w"
_ENDS_WORD = rf"(?![{_UNSPACED}])\w\Z"
_BETWEEN_WORDS = re.compile(r"[\s,;\"“”]+")
_UNCHECKABLE = ("exact_terms", "language", "country")


def longest_prefix(length: int, fits: Callable[[int], bool]) -> int:
    """Return the largest size up to `length` that fits, where all smaller ones fit as well."""
    sizes = range(1, length + 1)
    return bisect_left(sizes, True, key=lambda size: not fits(size))


def put_takers_first(
    names: Sequence[str], query: Query, providers: Mapping[str, Provider]
) -> tuple[str, ...]:
    """Return the names with the providers that accept the whole query first."""
    takes = {name: providers[name].takes(query) for name in names}
    if all(taken or not providers[name].configured for name, taken in takes.items()):
        return tuple(names)
    return tuple(sorted(names, key=lambda name: not (takes[name] and providers[name].configured)))


def cut_query(query: Query, provider: Provider) -> tuple[Query, list[str]]:
    """Return the query shortened to the limit of the provider after a whole word, and a note."""
    if provider.takes(query):
        return query, []
    text = query.text
    fits = longest_prefix(
        len(text) - 1, lambda size: provider.takes(replace(query, text=text[:size].rstrip()))
    )
    words = text[:fits].rstrip()
    if not text[fits].isspace() and " " in words:
        words = words.rpartition(" ")[0].rstrip()
    if words.count('"') % 2:
        words = "".join(words.rsplit('"', 1)).strip()  # the phrase is incomplete
    if not words:
        return query, []
    note = (
        f"{provider.label} takes at most {provider.query_limit} in a query: the first {len(words)} "
        f"of {len(text)} characters were searched for."
    )
    return replace(query, text=words), [note]


@dataclass(frozen=True)
class Sieve:
    """The filters that are applied to the results of one provider."""

    domains: DomainFilter
    excluded: re.Pattern[str] | None = None
    since: date | None = None
    has_files: bool = False

    @classmethod
    def of(cls, query: Query, domains: DomainFilter, provider: Provider, now: datetime) -> Sieve:
        """Return the filters of a query for a provider."""
        since = None
        if query.time_range and "time_range" not in provider.applied(query):
            since = (now - timedelta(days=_DAYS[query.time_range]) - _SLACK).date()
        # Excluded terms match whole words; scripts without blanks have no word boundaries.
        patterns = []
        for word in map(str.casefold, words_of(query.exclude_terms)):
            before = r"(?<!\w)" if re.match(_STARTS_WORD, word) else ""
            after = r"(?!\w)" if re.search(_ENDS_WORD, word) else ""
            patterns.append(before + re.escape(word) + after)
        excluded = re.compile("|".join(patterns)) if patterns else None
        return cls(domains, excluded, since, provider.has_files)

    def admits(self, result: Result) -> bool:
        """Return whether a result passes."""
        is_file = self.has_files and result.url.startswith("file:")
        if not self.domains.admits(result.url) and (self.domains or not is_file):
            return False
        if self.excluded and self.excluded.search(f"{result.title}\n{result.snippet}".casefold()):
            return False
        if self.since is None:
            return True
        try:
            return date.fromisoformat((result.published or "")[:10]) >= self.since
        except ValueError:
            return True


def words_of(terms: str | None) -> list[str]:
    """Return the distinct words of `exclude_terms` without punctuation."""
    words = [part.lstrip("-") for part in _BETWEEN_WORDS.split(terms or "")]
    return list(dict.fromkeys(filter(None, words)))


def find_unapplied(query: Query, provider: Provider) -> tuple[str, ...]:
    """Return the filters that cannot be applied to results of this provider."""
    wanted = [name for name in _UNCHECKABLE if getattr(query, name)]
    if query.safe not in (None, "medium"):  # medium is the default of all providers
        wanted.append("safe")
    applied = provider.applied(query)
    return tuple(name for name in wanted if name not in applied)


def with_reserve(query: Query, provider: Provider) -> Query:
    """Return the query for up to twice as many results if we filter them ourselves."""
    filters = {name for name in ("time_range", "exclude_terms") if getattr(query, name)}
    if filters <= provider.applied(query):
        return query
    twice = min(2 * query.count, provider.page_size)
    return replace(query, count=max(query.count, twice))


def notes_on(query: Query, provider: Provider) -> list[str]:
    """Return sentences on filters that are not or only partly applied."""
    notes = []
    applied = provider.applied(query)
    names = find_unapplied(query, provider)
    if names:
        notes.append(f"{provider.label} cannot filter by {' and '.join(names)}: not applied.")
    if query.time_range and "time_range" not in applied:
        notes.append(
            f"{provider.label} cannot filter by time_range: applied only to results that carry a "
            "date."
        )
    if query.exclude_terms and "exclude_terms" not in applied:
        notes.append(
            f"{provider.label} cannot filter by exclude_terms: applied to titles and snippets."
        )
    return notes
