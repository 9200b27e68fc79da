"""Asking one provider until there is enough: page by page, or by groups of domains; results that
pass are collected.

When filtering leaves too few, two further pages are asked for and no more. A further page that
fails costs nothing but itself. A list of domains that is too long for one query is asked for in
groups, in the order of the list: with the whole list left out, the few results from those domains
would have to come by chance. Each group is a request that may cost money: there are ten at most,
none after there are enough results, and none after one that says that the next would fail as well.
The domains that were not asked for are told.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from urllib.parse import unquote_plus

from webquarry._search.domains import host_of, split_entry
from webquarry._search.guard import apply_retry_after
from webquarry._search.identity import identity
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider
from webquarry._search.services import LEAST_SECONDS, Services
from webquarry._search.text import shorten_text
from webquarry.errors import NetworkFailure, ProviderFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply

IdentifiedResult = tuple[str, Result]  # with the identity of its page


def merge(lists: Iterable[Sequence[IdentifiedResult]]) -> list[Result]:
    """Return the results of ranked lists, each page once at its best rank, with the text of the
    first list and a date of any.
    """
    found: dict[str, Result] = {}
    places: dict[str, tuple[int, int]] = {}
    for number, results in enumerate(lists):
        for rank, (page, result) in enumerate(results):
            first = found.setdefault(page, result)
            if first.published is None and result.published is not None:
                found[page] = replace(first, published=result.published)
            place = (rank, number)
            places[page] = min(places.get(page, place), place)
    ordered = sorted(found, key=places.__getitem__)
    return [found[page] for page in ordered]


log = logging.getLogger(__name__)

EXTRA_PAGES = 2  # asked for at most, beyond those that the count alone needs
_LONGEST_TITLE = 1_000  # characters
_LONGEST_SNIPPET = 10_000
_LONGEST_ADDRESS = 8_000
MOST_GROUPS = 10  # requests for a list of domains that does not fit into one
_LASTING = (RateLimited, NetworkFailure)  # the next request would fail as well
_MOST_NAMED = 5  # domains that were not asked for, in a note


class ResultCollector:
    """Results of one provider that pass the filters, each page once; they remain if the time runs
    out.
    """

    def __init__(self, wanted: int, admits: Callable[[Result], bool]) -> None:
        self._wanted = wanted
        self._admits = admits
        self._lists: list[list[IdentifiedResult]] = []
        self._identities: set[str] = set()
        self.came = 0  # results before the filters
        self.notes: list[str] = []
        self.is_partial = False  # something that was asked for did not come

    def begin_list(self) -> None:
        """Rank results that are added from now on from the top."""
        self._lists.append([])

    def add(self, batch: Batch) -> None:
        """Add the results of one page that pass."""
        self.came += len(batch.results)
        for result in batch.results:
            if self._admits(result):
                page = identity(result.url)
                self._lists[-1].append((page, result))
                self._identities.add(page)

    def leave_out(self, what: str, provider: Provider, error: WebquarryError) -> None:
        """Record that something failed and is left out."""
        log.warning("%s of %s failed and is left out: %s", what, provider.label, error.message)
        self.is_partial = True
        self.notes.append(
            f"{what.capitalize()} of {provider.label} failed and is left out ({error.kind})."
        )

    @property
    def count(self) -> int:
        """The number of results, at most the wanted number."""
        return min(len(self._identities), self._wanted)

    @property
    def is_enough(self) -> bool:
        """Whether there are as many as are wanted."""
        return self.count >= self._wanted

    def merge_results(self) -> tuple[Result, ...]:
        """Return the wanted number of results, best first."""
        return tuple(merge(self._lists)[: self._wanted])


async def read_pages(
    services: Services[Provider],
    provider: Provider,
    query: Query,
    collector: ResultCollector,
    seconds: float | None = None,
) -> AsyncIterator[Batch]:
    """The pages of a provider's answer, each for the caller to add to the collector, until that has
    enough or there is no more. An error is raised only if nothing was collected before.
    """
    end = None
    if seconds is not None:
        end = services.clock.monotonic() + seconds
    wanted = query.allowed_domains
    query = drop_paths(provider, query)
    groups = split_domains(provider, query)
    needed = -(-query.count // provider.page_size)
    most_pages = 1
    if len(groups) == 1:
        most_pages = min(needed + EXTRA_PAGES, provider.max_pages)
    asked: list[str] = []
    goes_on = True
    for number, group in enumerate(groups, 1):
        collector.begin_list()
        asked += group
        cursor = query.cursor
        for page in range(most_pages):
            part = query
            if (group, page, cursor) != (query.allowed_domains, query.page, query.cursor):
                part = replace(query, allowed_domains=group, page=page, cursor=cursor)
            if end is not None:
                seconds = max(LEAST_SECONDS, end - services.clock.monotonic())
            try:
                batch = await fetch_page(services, provider, part, seconds)
            except WebquarryError as error:
                if not collector.count:
                    raise
                what = f"page {page + 1}"
                if len(groups) > 1:
                    what = f"group {number} of the domains"
                collector.leave_out(what, provider, error)
                goes_on = error.retryable and not isinstance(error, _LASTING)
                break
            yield batch
            if collector.is_enough or not batch.more:
                break
            cursor = batch.cursor
        if collector.is_enough or not goes_on:
            break
    collector.notes += _notes_on_domains(provider, query, asked, collector.is_enough)
    if collector.came and not collector.count and query.allowed_domains != wanted:
        collector.notes.append(
            f"{provider.label} was asked for whole domains, because it knows no paths: none of its "
            f"{collector.came} results was below the paths that are allowed."
        )


def _notes_on_domains(
    provider: Provider, query: Query, asked: Sequence[str], is_enough: bool
) -> list[str]:
    """What of a list of domains the provider was not asked for, in a sentence."""
    wanted = query.allowed_domains
    if not wanted or "allowed_domains" not in provider.native:
        return []
    if not _names_all(provider, query, asked[:1]):
        return [
            f"The query leaves no room to name domains: {provider.label} was asked without them, "
            "and only its results from them are here."
        ]
    known = set(asked)
    left_out = [domain for domain in wanted if domain not in known]
    if not left_out:
        return []
    names = ", ".join(left_out[:_MOST_NAMED])
    more = len(left_out) - _MOST_NAMED
    if more > 0:
        names += f" and {more} more"
    why = ", which gave enough results" if is_enough else ""
    return [
        f"{provider.label} takes few domains at once: {len(wanted) - len(left_out)} of "
        f"{len(wanted)} were asked for{why}. Not asked for: {names}."
    ]


async def fetch_page(
    services: Services[Provider], provider: Provider, query: Query, seconds: float | None
) -> Batch:
    """One page of results, by the provider's second way where the first failed and there is one;
    the first error is the one that counts. Errors carry the provider's name and notice.
    """
    with provider.explain_errors():
        try:
            request = provider.build_request(query)
            reply = await services.send(provider, request, seconds, provider.parse_reply)
            batch = _parse_page(provider, reply)
        except WebquarryError as error:
            other_request = provider.fallback_request(query, error)
            if other_request is None:
                raise
            log.info("%s is asked by its second way: %s", provider.label, error.message)
            try:
                reply = await services.send(provider, other_request, seconds, provider.parse_reply)
                batch = _parse_page(provider, reply)
            except WebquarryError as second:
                raise error from second
    results = []
    for one in batch.results:
        if len(one.url) > _LONGEST_ADDRESS:
            continue  # half an address leads elsewhere
        is_long = len(one.title) > _LONGEST_TITLE or len(one.snippet) > _LONGEST_SNIPPET
        if is_long or provider.has_secrets:
            one = _bound_result(one, provider)
        results.append(one)
    return Batch(tuple(results), batch.more, batch.cursor)


def _bound_result(result: Result, provider: Provider) -> Result:
    """A result without our own keys, and no longer than it may be."""
    hide = provider.conceal
    title = shorten_text(hide(result.title), _LONGEST_TITLE)
    snippet = shorten_text(hide(result.snippet), _LONGEST_SNIPPET)
    return replace(result, title=title, url=hide(result.url), snippet=snippet)


def _parse_page(provider: Provider, reply: Reply) -> Batch:
    """The results of a reply; a provider that changed its fields is not one without results."""
    with apply_retry_after(reply):
        batch = provider.parse_reply(reply)
        if not batch.results:
            return batch
        for result in batch.results:
            if provider.has_files or host_of(result.url):
                return batch
        words = f"{provider.label} answered with results that have no address."
        raise ProviderFailure(words, retryable=False)


def drop_paths(provider: Provider, query: Query) -> Query:
    """The query with what the provider can be told of its domains. Without their paths an allowed
    domain is wider, which is mended by what comes back; a blocked one would take too much with it.
    """
    has_domains = query.allowed_domains or query.blocked_domains
    if provider.takes_paths or not has_domains:
        return query
    allowed = [split_entry(domain)[0] for domain in query.allowed_domains]
    blocked = [domain for domain in query.blocked_domains if not split_entry(domain)[1]]
    return replace(
        query, allowed_domains=tuple(dict.fromkeys(allowed)), blocked_domains=tuple(blocked)
    )


def split_domains(provider: Provider, query: Query) -> list[tuple[str, ...]]:
    """The allowed domains as they are asked for: all at once if they fit, else the longest groups
    that do. A domain that is too long even alone is in none of them.
    """
    rest = query.allowed_domains
    if len(rest) < 2 or "allowed_domains" not in provider.native:
        return [rest]
    if _names_all(provider, query, rest):
        return [rest]
    groups: list[tuple[str, ...]] = []
    while rest and len(groups) < MOST_GROUPS:
        size = _find_longest(provider, query, rest)
        if size:
            groups.append(rest[:size])
        rest = rest[size or 1 :]
    return groups or [query.allowed_domains]


def _find_longest(provider: Provider, query: Query, domains: tuple[str, ...]) -> int:
    """How many of the domains, from the first on, go into one request."""
    fits = 0
    too_many = len(domains) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if _names_all(provider, query, domains[:middle]):
            fits = middle
        else:
            too_many = middle
    return fits


def _names_all(provider: Provider, query: Query, domains: Sequence[str]) -> bool:
    """Would a request for these domains name them all? A provider leaves out a list that does not
    fit, as a whole.
    """
    try:
        part = replace(query, allowed_domains=tuple(domains))
        request = provider.build_request(part)
    except WebquarryError:
        return True  # it will be raised again when the provider is really asked
    body = request.read().decode("utf-8", "replace")
    url = str(request.url)
    text = unquote_plus(url) + unquote_plus(body)
    return all(domain in text for domain in domains)
