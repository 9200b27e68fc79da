"""Requests to one provider until there are enough results: page by page, or by groups of domains.

If filters leave too few results, up to two further pages are requested. A further page that fails
is left out. A list of domains that is too long for one query is sent in groups, in its order: up to
ten requests, which may cost money; none once there are enough results, and none after an error.
Notes name the domains that were not asked for.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import unquote_plus

from webquarry._search.domains import host_of, split_entry
from webquarry._search.filters import longest_prefix
from webquarry._search.guard import apply_retry_after
from webquarry._search.identity import identity
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider
from webquarry._search.services import LEAST_SECONDS, Services
from webquarry._search.text import shorten_text
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.net.models import Reply

log = logging.getLogger(__name__)

EXTRA_PAGES = 2  # beyond those that the count needs
MOST_GROUPS = 10  # requests for a long list of domains
_LONGEST_TITLE = 1_000  # characters
_LONGEST_SNIPPET = 10_000
_LONGEST_ADDRESS = 8_000
_MOST_NAMED = 5  # domains in a note
_SMOOTHING = 60  # of reciprocal rank fusion


def fuse(lists: Sequence[Sequence[Result]]) -> list[Result]:
    """Return several ranked lists as one, by reciprocal rank fusion: each page once, with the text
    of its best rank and a date of any list.
    """
    scores: dict[str, float] = {}
    best: dict[str, tuple[int, Result]] = {}
    for results in lists:
        for rank, result in enumerate(results):
            page = identity(result.url)
            scores[page] = scores.get(page, 0.0) + 1 / (_SMOOTHING + rank + 1)
            known_rank, known = best.get(page, (rank + 1, result))
            first, second = (result, known) if rank < known_rank else (known, result)
            dated = replace(first, published=first.published or second.published)
            best[page] = (min(rank, known_rank), dated)
    ordered = sorted(scores, key=lambda page: -scores[page])  # stable: the earlier list first
    return [best[page][1] for page in ordered]


class ResultCollector:
    """Results of one provider that pass the filters, each page once; they remain if the time runs
    out.
    """

    def __init__(self, wanted: int, admits: Callable[[Result], bool]) -> None:
        self._wanted = wanted
        self._admits = admits
        self._lists: list[dict[str, Result]] = []  # by identity
        self.came = 0  # results before the filters
        self.notes: list[str] = []
        self.is_partial = False  # a request failed

    def begin_list(self) -> None:
        """Rank results that are added from now on from the top."""
        self._lists.append({})

    def add(self, batch: Batch) -> None:
        """Add the results of one page that pass."""
        self.came += len(batch.results)
        pages = self._lists[-1]
        for result in filter(self._admits, batch.results):
            first = pages.setdefault(identity(result.url), result)
            if first.published is None and result.published is not None:
                pages[identity(result.url)] = replace(first, published=result.published)

    def leave_out(self, what: str, provider: Provider, error: WebquarryError) -> None:
        """Record that a request failed and is left out."""
        log.warning("%s of %s failed and is left out: %s", what, provider.label, error.message)
        self.is_partial = True
        self.notes.append(
            f"{what.capitalize()} of {provider.label} failed and is left out ({error.kind})."
        )

    @property
    def count(self) -> int:
        """The number of results, at most the wanted number."""
        return min(len(set().union(*self._lists)), self._wanted)

    @property
    def is_enough(self) -> bool:
        """Whether there are as many results as wanted."""
        return self.count >= self._wanted

    def merge_results(self) -> tuple[Result, ...]:
        """Return the wanted number of results, best first."""
        return tuple(fuse([list(pages.values()) for pages in self._lists])[: self._wanted])


async def read_pages(
    services: Services[Provider],
    provider: Provider,
    query: Query,
    collector: ResultCollector,
    seconds: float | None = None,
) -> AsyncIterator[Batch]:
    """Yield the pages of a provider, each for the caller to add to the collector, until that has
    enough or there are no more. An error is raised only if nothing was collected before.
    """
    end = None if seconds is None else services.clock.monotonic() + seconds
    query = drop_paths(provider, query)
    groups = split_domains(provider, query)
    most_pages = 1
    if len(groups) == 1:
        needed = -(-query.count // provider.page_size)
        most_pages = min(needed + EXTRA_PAGES, provider.max_pages)
    asked: list[str] = []
    for number, group in enumerate(groups, 1):
        collector.begin_list()
        asked += group
        part = replace(query, allowed_domains=group)
        for page in range(most_pages):
            part = replace(part, page=page)
            left = None
            if end is not None:
                left = max(LEAST_SECONDS, end - services.clock.monotonic())
            try:
                batch = await fetch_page(services, provider, part, left)
            except WebquarryError as error:
                if not collector.count:
                    raise
                what = f"page {page + 1}" if len(groups) == 1 else f"group {number} of the domains"
                collector.leave_out(what, provider, error)
                break
            yield batch
            if collector.is_enough or not batch.more:
                break
            part = replace(part, cursor=batch.cursor)
        if collector.is_enough or collector.is_partial:
            break
    collector.notes += _notes_on_domains(provider, query, asked, collector.is_enough)


def _notes_on_domains(
    provider: Provider, query: Query, asked: Sequence[str], is_enough: bool
) -> list[str]:
    """Return a note on the domains of a list that were not asked for."""
    wanted = query.allowed_domains
    if not wanted or "allowed_domains" not in provider.native:
        return []
    left_out = [domain for domain in wanted if domain not in set(asked)]
    if not left_out:
        return []
    names = ", ".join(left_out[:_MOST_NAMED])
    if len(left_out) > _MOST_NAMED:
        names += f" and {len(left_out) - _MOST_NAMED} more"
    why = ", which gave enough results" if is_enough else ""
    return [
        f"{provider.label} takes few domains at once: {len(wanted) - len(left_out)} of "
        f"{len(wanted)} were asked for{why}. Not asked for: {names}."
    ]


async def fetch_page(
    services: Services[Provider], provider: Provider, query: Query, seconds: float | None
) -> Batch:
    """Return one page of results, by the fallback of the provider after an error. If that fails as
    well, the first error is raised.
    """
    first: WebquarryError | None = None
    with provider.explain_errors():
        request = provider.build_request(query)
        while True:
            try:
                reply = await services.send(provider, request, seconds, provider.parse_reply)
                batch = _parse_page(provider, reply)
                break
            except WebquarryError as error:
                if first is not None:
                    raise first from error
                other_request = provider.fallback_request(query, error)
                if other_request is None:
                    raise
                log.info("%s is asked by its second way: %s", provider.label, error.message)
                first, request = error, other_request
    results = []
    for one in provider.conceal(batch.results):
        if len(one.url) <= _LONGEST_ADDRESS:
            title = shorten_text(one.title, _LONGEST_TITLE)
            results.append(
                replace(one, title=title, snippet=shorten_text(one.snippet, _LONGEST_SNIPPET))
            )
    return replace(batch, results=tuple(results))


def _parse_page(provider: Provider, reply: Reply) -> Batch:
    """Return the results of a reply; results without any URL are an error."""
    with apply_retry_after(reply):
        batch = provider.parse_reply(reply)
        is_usable = provider.has_files or any(host_of(result.url) for result in batch.results)
        if batch.results and not is_usable:
            words = f"{provider.label} answered with results that have no address."
            raise ProviderFailure(words, retryable=False)
        return batch


def drop_paths(provider: Provider, query: Query) -> Query:
    """Return the query without paths of domains if the provider does not support them. An allowed
    domain is wider without its path, which filtering corrects; a blocked one is dropped.
    """
    if provider.takes_paths:
        return query
    allowed = [split_entry(domain)[0] for domain in query.allowed_domains]
    blocked = [domain for domain in query.blocked_domains if not split_entry(domain)[1]]
    return replace(
        query, allowed_domains=tuple(dict.fromkeys(allowed)), blocked_domains=tuple(blocked)
    )


def split_domains(provider: Provider, query: Query) -> list[tuple[str, ...]]:
    """Return the allowed domains in the longest groups that fit into a request. A domain that is
    too long by itself is in none of them.
    """
    rest = query.allowed_domains
    if len(rest) < 2 or "allowed_domains" not in provider.native:
        return [rest]
    if _names_all(provider, query, rest):
        return [rest]
    groups: list[tuple[str, ...]] = []
    while rest and len(groups) < MOST_GROUPS:
        size = longest_prefix(len(rest), partial(_fits_first, provider, query, rest))
        if size:
            groups.append(rest[:size])
        rest = rest[size or 1 :]
    return groups or [query.allowed_domains]


def _fits_first(provider: Provider, query: Query, domains: Sequence[str], size: int) -> bool:
    return _names_all(provider, query, domains[:size])


def _names_all(provider: Provider, query: Query, domains: Sequence[str]) -> bool:
    """Return whether a request for these domains names all of them; providers omit a list that
    does not fit.
    """
    try:
        request = provider.build_request(replace(query, allowed_domains=tuple(domains)))
    except WebquarryError:
        return True  # raised again by the real request
    body = request.read().decode("utf-8", "replace")
    text = unquote_plus(str(request.url)) + unquote_plus(body)
    return all(domain in text for domain in domains)
