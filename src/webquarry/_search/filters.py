"""Filters and length limits of providers: what is sent, what is applied to results, and notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from webquarry._search.domains import DomainFilter
from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider

_QUOTED = r'"[^"]*"'


def with_sites(
    text: str, allowed: Sequence[str], blocked: Sequence[str], fits: Callable[[str], bool]
) -> str:
    """The query text with as many operators as `fits` lets it hold."""
    choice = " OR ".join(f"site:{domain}" for domain in allowed)
    if choice and fits(f"{text} {choice}"):
        text = f"{text} {choice}"
    for domain in blocked:
        if fits(f"{text} -site:{domain}"):
            text = f"{text} -site:{domain}"
    return text


def with_first_site(text: str, allowed: Sequence[str]) -> str:
    """The query text as long as it is with the least that a choice of domains takes."""
    if not allowed:
        return text
    return f"{text} site:{allowed[0]}"


def with_terms(query: Query) -> str:
    """The query text with the words that must be there as they stand, and those that must not be
    there.
    """
    parts = [query.text]
    exact = (query.exact_terms or "").replace('"', " ").split()
    if exact:
        parts.append(f'"{" ".join(exact)}"')
    for word in (query.exclude_terms or "").replace('"', " ").split():
        parts.append(f"-{word}")
    return " ".join(filter(None, parts))


def without_commands(text: str, marks: str) -> str:
    """The text with every word that begins with one of these marks (`!bang`) in quotation marks, so
    that it is a word.
    """

    if not any(mark in text for mark in marks):
        return text

    def quote_command(found: re.Match[str]) -> str:
        word = found[0]
        if word.startswith('"'):  # a phrase, which is quoted already
            return word
        bare = word.replace('"', "")
        return f'"{bare}"'

    word = re.compile(rf"{_QUOTED}|(?<!\S)[{re.escape(marks)}]\S*")
    return word.sub(quote_command, text)


def put_takers_first(
    names: Sequence[str], query: Query, providers: Mapping[str, Provider]
) -> tuple[str, ...]:
    """Return the names with the providers that accept the whole query first."""
    takers = []
    for name in names:
        provider = providers[name]
        if provider.configured and provider.takes(query):
            takers.append(name)
    others = [name for name in names if name not in takers]
    if all(providers[name].takes(query) for name in others):
        return tuple(names)
    return (*takers, *others)


def cut_query(query: Query, provider: Provider) -> tuple[Query, list[str]]:
    """Return the query shortened to the limit of the provider after a whole word, and a note."""
    if provider.takes(query):
        return query, []
    text = query.text
    fits = 0
    too_many = len(text)
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if provider.takes(replace(query, text=text[:middle].rstrip())):
            fits = middle
        else:
            too_many = middle
    words = text[:fits].rstrip()
    if not text[fits].isspace() and " " in words:
        words = words.rpartition(" ")[0].rstrip()  # no half word
    if words.count('"') % 2:
        words = "".join(words.rsplit('"', 1)).strip()  # a phrase that is cut is none
    if not words:
        return query, []
    note = (
        f"{provider.label} takes at most {provider.query_limit} in a query: the first {len(words)} "
        f"of {len(text)} characters were searched for."
    )
    return replace(query, text=words), [note]


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
    """Return the distinct words of `exclude_terms` without punctuation."""
    if not terms:
        return []
    parts = _BETWEEN_WORDS.split(terms)
    words = [part.lstrip("-") for part in parts]
    return list(dict.fromkeys(filter(None, words)))


def find_unapplied(query: Query, provider: Provider) -> tuple[str, ...]:
    """Return the filters that cannot be applied to results of this provider."""
    applied = provider.applied(query)
    wanted = [name for name in _UNCHECKABLE if getattr(query, name)]
    if query.safe not in (None, "medium"):  # the middle is what everybody does by default
        wanted.append("safe")
    return tuple(name for name in wanted if name not in applied)


def with_reserve(query: Query, provider: Provider) -> Query:
    """Return the query for up to twice as many results if we filter them ourselves."""
    applied = provider.applied(query)
    filters = [name for name in ("time_range", "exclude_terms") if getattr(query, name)]
    if all(name in applied for name in filters):
        return query
    twice = min(2 * query.count, provider.page_size)
    return replace(query, count=max(query.count, twice))


def notes_on(query: Query, provider: Provider) -> list[str]:
    """Return sentences on filters that are not or only partly applied."""
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
