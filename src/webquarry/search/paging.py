"""Asking one provider until there is enough: page by page, or by groups of domains; results that
pass are gathered.

When filtering leaves too few, two further pages are asked for and no more. A further page that
fails costs nothing but itself. A list of domains that is too long for one query is asked for in
groups, in the order of the list, in up to three requests: with the whole list left out, the few
results from those domains would have to come by chance.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import unquote_plus

from webquarry.errors import WebquarryError
from webquarry.search.merge import merge
from webquarry.search.models import Batch, Query, Result
from webquarry.search.provider import Provider

log = logging.getLogger(__name__)

EXTRA_PAGES = 2  # asked for at most, beyond those that the count alone needs
MOST_GROUPS = 3  # requests for a list of domains that does not fit into one

Ask = Callable[[Provider, Query], Awaitable[Batch]]


class Gathering:
    """The results of one provider as they come in; what is there when the time runs out is not
    lost.
    """

    def __init__(self, wanted: int, admits: Callable[[Result], bool]) -> None:
        self._wanted = wanted
        self._admits = admits
        self._lists: list[list[Result]] = []
        self.came = 0  # results before the filters
        self.notes: list[str] = []
        self.partial = False  # something that was asked for did not come

    def begin_list(self) -> None:
        """What is added from now on is ranked from the top again."""
        self._lists.append([])

    def add(self, batch: Batch) -> None:
        self.came += len(batch.results)
        self._lists[-1] += filter(self._admits, batch.results)

    @property
    def results(self) -> list[Result]:
        return merge(self._lists)[: self._wanted]

    @property
    def is_enough(self) -> bool:
        return len(self.results) >= self._wanted


async def gather(ask: Ask, provider: Provider, query: Query, gathering: Gathering) -> None:
    """Ask the provider until the gathering has enough or there is no more; an error only if nothing
    was gathered.
    """
    groups = domain_groups(provider, query)
    asked_for = 0
    for number, group in enumerate(groups, 1):
        gathering.begin_list()
        asked_for += len(group)
        part = replace(query, allowed_domains=group)
        try:
            await _ask_pages(ask, provider, part, gathering, single=len(groups) > 1)
        except WebquarryError as error:
            if not gathering.results:
                raise
            _pass_over(gathering, provider, f"group {number} of the domains", error)
        if gathering.is_enough:
            break
    if asked_for < (of := len(query.allowed_domains)):
        gathering.notes.append(
            f"{provider.label} takes few domains at once: the first {asked_for} of {of} were "
            "asked for."
        )


async def _ask_pages(
    ask: Ask, provider: Provider, query: Query, gathering: Gathering, *, single: bool
) -> None:
    cursor = query.cursor
    needed = -(-query.count // provider.page_size)
    for page in range(1 if single else min(needed + EXTRA_PAGES, provider.max_pages)):
        try:
            batch = await ask(provider, replace(query, page=page, cursor=cursor))
        except WebquarryError as error:
            if page == 0 or not gathering.results:
                raise
            _pass_over(gathering, provider, f"page {page + 1}", error)
            return
        gathering.add(batch)
        if gathering.is_enough or not batch.more:
            return
        cursor = batch.cursor


def _pass_over(gathering: Gathering, provider: Provider, what: str, error: WebquarryError) -> None:
    log.warning("%s of %s failed and is left out: %s", what, provider.label, error.message)
    gathering.partial = True
    gathering.notes.append(
        f"{what.capitalize()} of {provider.label} failed and is left out ({error.kind})."
    )


def domain_groups(provider: Provider, query: Query) -> list[tuple[str, ...]]:
    """The allowed domains as they are asked for: all at once if they fit, else the longest groups
    that do.
    """
    rest = query.allowed_domains
    if len(rest) < 2 or "allowed_domains" not in provider.native or _carries(provider, query, rest):
        return [rest]
    groups: list[tuple[str, ...]] = []
    while rest and len(groups) < MOST_GROUPS:
        size = _longest(provider, query, rest)
        if not size:
            break
        groups.append(rest[:size])
        rest = rest[size:]
    return groups or [query.allowed_domains]


def _longest(provider: Provider, query: Query, domains: tuple[str, ...]) -> int:
    """How many of the domains, from the first on, go into one request."""
    fits, too_many = 0, len(domains) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if _carries(provider, query, domains[:middle]):
            fits = middle
        else:
            too_many = middle
    return fits


def _carries(provider: Provider, query: Query, domains: tuple[str, ...]) -> bool:
    """Would a request for these domains name them all? A provider leaves out a list that does not
    fit, as a whole.
    """
    try:
        request = provider.build_request(replace(query, allowed_domains=domains))
    except WebquarryError:
        return True  # it will be raised again when the provider is really asked
    said = unquote_plus(str(request.url)) + unquote_plus(request.read().decode("utf-8", "replace"))
    return all(domain in said for domain in domains)
