"""A question in, papers out: the chosen indexes are asked at once, and what they know of one paper
is made into one.

An index that fails is left out and told of; when all of them fail, the web is searched on scholarly
sites instead, and that is told too. What was found is kept for a while, and concurrent callers with
the same question share one answer.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from webquarry.cache.base import key_of
from webquarry.cache.cache import Cache, Made
from webquarry.clock import Clock
from webquarry.errors import BadInput, RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.search.models import Attempt, Query
from webquarry.search.query.lenses import Lens
from webquarry.search.router import Router
from webquarry.search.scholarly.fallback import papers_of
from webquarry.search.scholarly.merge import merge
from webquarry.search.scholarly.models import Author, Paper, PaperQuery, PapersFound
from webquarry.search.scholarly.provider import Scholarly
from webquarry.search.scholarly.stored import VERSION, pack, unpack
from webquarry.search.services.asker import Turn, heeding
from webquarry.search.services.breakers import Breakers
from webquarry.search.services.failure import nobody_answered, short
from webquarry.search.services.services import Family
from webquarry.secret import redact
from webquarry.settings import Settings

ALL = "all"
_MOST_REQUESTS = 3  # of one index for one search
_MOST_RECORDS = 100  # of one index, whatever it was asked for
_WEB_RESULTS = 10


class Finder:
    """Knows the indexes and how they have been doing. One for the process."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
        open_cache: Callable[[], Cache],
        router: Callable[[], Router],
        lenses: Callable[[], Mapping[str, Lens]],
        board: Breakers | None = None,
    ) -> None:
        self._settings = settings
        self._open_cache, self._router, self._lenses = open_cache, router, lenses
        self.family: Family[Scholarly] = Family(
            "webquarry.search.scholarly.providers",
            Scholarly,
            client,
            settings,
            environ,
            clock,
            group="webquarry.scholarly",
            board=board,
        )
        self._waiting: Counter[str] = Counter()

    async def find(
        self,
        query: PaperQuery,
        *,
        source: str = ALL,
        provider: str | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> PapersFound:
        """Papers of the index `source`, or of all. A named `provider` is asked alone, and never
        replaced by the web.

        `asked` is whatever else the caller was asked with: it goes into the cache key.
        """
        query = replace(query, text=" ".join(query.text.split()))
        if not query.text:
            raise BadInput("The query is blank.", suggested_action="Say what to search for.")
        chosen, because = self._chosen(source, provider)
        parameters = {
            "query": [getattr(query, part.name) for part in fields(query)],
            "routing": [[one.name, redact(one.base), bool(one.sources())] for one in chosen],
            "named": bool(provider),
            "asked": dict(asked or {}),
            "good": [self._settings.cache_academic_seconds, self._settings.cache_empty_seconds],
        }

        async def make() -> Made:
            found = await self._found(
                query, chosen, because, instead=not provider, limited=source != ALL
            )
            return Made(pack(found), self._good_for(found))

        kept = await self._open_cache().get_or_make(key_of("papers", VERSION, parameters), make)
        return replace(
            unpack(kept.value),
            cached=kept.cached,
            age_seconds=kept.age_seconds,
            max_age_seconds=kept.max_age_seconds,
        )

    def _chosen(self, source: str, provider: str | None) -> tuple[list[Scholarly], str]:
        if provider:
            return [self.family.member(provider)], "named in the call"
        if source != ALL:
            return [self.family.member(source)], "the source of the call"
        return self.family.members(), "all indexes, at once"

    def _good_for(self, found: PapersFound) -> float:
        """Seconds: a whole answer is good for long, one that lacks an index for a sixth of it, a
        makeshift hardly.
        """
        if found.fallback or not found.papers:
            return self._settings.cache_empty_seconds
        return self._settings.cache_academic_seconds / (6 if found.partial else 1)

    async def _found(
        self,
        query: PaperQuery,
        chosen: Sequence[Scholarly],
        because: str,
        *,
        instead: bool,
        limited: bool,
    ) -> PapersFound:
        turns = await asyncio.gather(*(self._turn(one, query) for one in chosen))
        attempts = tuple(turn.attempt for turn in turns)
        failures = [turn.error for turn in turns if turn.error is not None]
        order = tuple(one.name for one in chosen)
        if len(failures) < len(turns):
            records = [record for turn in turns for record in turn.value or []]
            papers = _selected(records, query)
            notes = [
                f"{one.label} is left out: {turn.error.kind} ({short(turn.error.message)})."
                for one, turn in zip(chosen, turns, strict=True)
                if turn.error is not None
            ]
            used = tuple(one.provider for one in attempts if one.outcome == "ok")
            return PapersFound(
                papers, used, attempts, tuple(notes), order, because, partial=bool(failures)
            )
        if not instead:
            others = [one.name for one in self.family.healthy() if one.name not in order]
            raise nobody_answered(failures, attempts, others)
        places = tuple(place for one in chosen for place in one.domains) if limited else ()
        return replace(
            await self._by_web(query, places, failures, attempts), order=order, because=because
        )

    async def _turn(self, one: Scholarly, query: PaperQuery) -> Turn[list[Paper]]:
        seconds = min(self._settings.academic_timeout_seconds, self._settings.timeout_seconds)
        if (
            self._waiting[one.name] * one.min_interval_seconds >= seconds
        ):  # no fault of its own, so not a failure
            error = RateLimited(
                f"{one.label} is asked slowly, and its turn would not come in time.",
                provider=one.name,
            )
            return Turn(Attempt(one.name, "skipped", error.message, 0.0), error=error)
        self._waiting[one.name] += 1
        try:
            return await self.family.turn(
                one, lambda _: self._records(one, query, seconds), seconds=seconds, count=len
            )
        finally:
            self._waiting[one.name] -= 1

    async def _records(self, one: Scholarly, query: PaperQuery, seconds: float) -> list[Paper]:
        """What the index has, each record with its rank and without our keys."""
        reply = await self.family.send(one, one.build_request(query), seconds)
        for _ in range(_MOST_REQUESTS - 1):
            with heeding(reply):
                further = one.next_request(reply)
            if further is None:
                break
            reply = await self.family.send(one, further, seconds)
        with heeding(reply):
            records = one.parse_reply(reply)
        return [
            _concealed(replace(record, rank=rank), one)
            for rank, record in enumerate(records[:_MOST_RECORDS])
        ]

    async def _by_web(
        self,
        query: PaperQuery,
        places: tuple[str, ...],
        failures: list[WebquarryError],
        attempts: tuple[Attempt, ...],
    ) -> PapersFound:
        """Results of a web search: on the sites of the indexes that were chosen, or of the lens for
        papers.
        """
        lens = None if places else self._lenses()["academic"]
        asked = Query(query.text, _WEB_RESULTS, allowed_domains=places)
        try:
            web = await self._router().route(asked, lens=lens, kind="academic")
        except WebquarryError as error:
            raise nobody_answered([*failures, error], [*attempts, *error.attempts], []) from error
        where = ", ".join(places) if places else "scholarly sites"
        note = f"No index answered, so the web was searched on {where}: a paper has only what its search result says."
        papers = _selected(papers_of(web.results), query)
        used = (web.provider,) if web.provider else ()
        return PapersFound(
            papers,
            used,
            (*attempts, *web.attempts),
            (note, *web.notes),
            fallback=True,
            partial=True,
        )


def _selected(records: Sequence[Paper], query: PaperQuery) -> tuple[Paper, ...]:
    """The papers that pass, in the order that was asked for; those without a date come last by
    date.
    """
    papers = [paper for paper in merge(records) if query.admits(paper)]
    if query.newest_first:
        papers.sort(key=lambda paper: paper.published or str(paper.year or ""), reverse=True)
    return tuple(papers[: query.count])


def _concealed(paper: Paper, one: Scholarly) -> Paper:
    """The record without our own keys, should the index have put them back into its answer."""
    texts: dict[str, Any] = {
        part.name: one.conceal(value)
        for part in fields(paper)
        if isinstance(value := getattr(paper, part.name), str)
    }
    people = tuple(
        Author(*map(one.conceal, (name.written, name.family, name.given))) for name in paper.authors
    )
    return replace(paper, **texts, authors=people)
