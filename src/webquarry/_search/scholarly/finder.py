"""Searches for papers: the indexes are asked concurrently and their records merged.

An index that fails is left out, which a note says; if all fail, scholarly sites are searched on the
web, which a note says too. Answers are cached; concurrent callers with the same query share one.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from webquarry._search.addresses import split_url
from webquarry._search.guard import (
    Breakers,
    GuardedCall,
    apply_retry_after,
    choose_error,
    shorten,
)
from webquarry._search.identity import identity
from webquarry._search.models import ALL, Attempt, Query, Result, pack, unpack
from webquarry._search.router import Router
from webquarry._search.scholarly.merge import merge
from webquarry._search.scholarly.models import Paper, PaperQuery, PapersFound
from webquarry._search.scholarly.provider import Scholarly, build_record, paper_of
from webquarry._search.services import Pace, Services
from webquarry.clock import Clock
from webquarry.errors import BadInput, RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens

VERSION = 1  # of cached answers
_NUMBER = re.compile(r"^\[\d{4}\.\d{4,5}(?:v\d+)?\]\s*")  # of arXiv, before the title
_PUBMED = re.compile(r"https://pubmed\.ncbi\.nlm\.nih\.gov/(\d+)")
_ARXIV_PAGE = "https://arxiv.org/abs/"
_MOST_REQUESTS = 3  # to one index for one search
_MOST_RECORDS = 100  # of one index
_WEB_RESULTS = 10
_PARTIAL_SHARE = 6  # an answer without an index is cached for a sixth of the time

IndexAnswer = tuple[GuardedCall, list[Paper]]


class Finder:
    """Searches the scholarly indexes. One per process."""

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
        pace: Pace | None = None,
    ) -> None:
        self._settings = settings
        self._open_cache = open_cache
        self._router = router
        self._lenses = lenses
        self.services: Services[Scholarly] = Services(
            "webquarry._search.scholarly.providers",
            Scholarly,
            client,
            settings,
            environ,
            clock,
            group="webquarry.scholarly",
            board=board,
            pace=pace,
        )
        self._waiting: Counter[str] = Counter()  # calls in progress, by index

    async def find(
        self,
        query: PaperQuery,
        *,
        source: str = ALL,
        provider: str | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> PapersFound:
        """Search the index `source` or all; a named `provider` is never replaced by the web.

        `asked` holds further arguments of the caller for the cache key.
        """
        query = replace(query, text=" ".join(query.text.split()))
        if not query.text:
            raise BadInput("The query is blank.", suggested_action="Say what to search for.")
        if provider:
            indexes = [self.services.find(provider)]
            because = "named in the call"
        elif source != ALL:
            indexes = [self.services.find(source)]
            because = "the source of the call"
        else:
            indexes = self.services.all()
            because = "all indexes, at once"
        parameters = {
            "query": [getattr(query, field.name) for field in fields(query)],
            "routing": [[one.name, redact(one.base), bool(one.sources())] for one in indexes],
            "named": bool(provider),
            "asked": dict(asked or {}),
            "good": [self._settings.cache_academic_seconds, self._settings.cache_empty_seconds],
        }

        async def make() -> Made:
            found = await self._ask_all(query, indexes, source, is_named=bool(provider))
            order = tuple(index.name for index in indexes)
            found = replace(found, order=order, because=because)
            seconds = self._settings.cache_academic_seconds
            if found.fallback or not found.papers:
                seconds = self._settings.cache_empty_seconds
            elif found.partial:
                seconds /= _PARTIAL_SHARE
            return Made(pack(found), seconds)

        entry = await self._open_cache().get_or_make(key_of("papers", VERSION, parameters), make)
        return replace(
            unpack(entry.value, PapersFound),
            cached=entry.cached,
            age_seconds=entry.age_seconds,
            max_age_seconds=entry.max_age_seconds,
        )

    async def _ask_all(
        self, query: PaperQuery, indexes: Sequence[Scholarly], source: str, *, is_named: bool
    ) -> PapersFound:
        """Return the papers of all indexes, or of the web if no index answered."""
        answers = await asyncio.gather(*(self._ask(index, query) for index in indexes))
        attempts = [call.attempt for call, _ in answers]
        failures = [call.error for call, _ in answers if call.error is not None]
        if len(failures) < len(answers):
            return _combine(answers, query)
        if is_named:
            others = [index.name for index in self.services.healthy() if index not in indexes]
            raise choose_error(failures, attempts, others)
        sites: list[str] = []
        if source != ALL:
            sites = [domain for index in indexes for domain in index.domains]
        return await self._search_web(query, tuple(sites), failures, attempts)

    async def _ask(self, index: Scholarly, query: PaperQuery) -> IndexAnswer:
        """Return the records of one index with their ranks."""
        seconds = min(self._settings.academic_timeout_seconds, self._settings.timeout_seconds)
        if self._waiting[index.name] * index.min_interval_seconds >= seconds:
            words = f"{index.label} is asked slowly, and its turn would not come in time."
            return GuardedCall(index, RateLimited(words, provider=index.name)), []
        papers: list[Paper] = []
        self._waiting[index.name] += 1
        try:
            async with self.services.guard(index, seconds) as call:
                if call.is_admitted:
                    with index.explain_errors():
                        reply = await self.services.send_in_steps(
                            index,
                            index.build_request(query),
                            index.next_request,
                            seconds,
                            _MOST_REQUESTS,
                        )
                        with apply_retry_after(reply):
                            records = index.parse_reply(reply)[:_MOST_RECORDS]
                    papers = [
                        replace(index.conceal(record), rank=rank)
                        for rank, record in enumerate(records)
                    ]
                    call.found = len(papers)
        finally:
            self._waiting[index.name] -= 1
        return call, papers

    async def _search_web(
        self,
        query: PaperQuery,
        sites: tuple[str, ...],
        failures: Sequence[WebquarryError],
        attempts: Sequence[Attempt],
    ) -> PapersFound:
        """Return results of a web search on the sites of the indexes, or of the academic lens."""
        lens = None if sites else self._lenses()["academic"]
        where = ", ".join(sites) or "scholarly sites"
        web_query = Query(query.text, _WEB_RESULTS, allowed_domains=sites)
        try:
            web = await self._router().route(web_query, lens=lens, kind="academic")
        except WebquarryError as error:
            raise choose_error([*failures, error], [*attempts, *error.attempts], []) from error
        note = (
            f"No index answered, so the web was searched on {where}: "
            "a paper has only what its search result says."
        )
        return PapersFound(
            _select(papers_of(web.results), query),
            (web.provider,) if web.provider else (),
            attempts=(*attempts, *web.attempts),
            notes=(note, *web.notes),
            fallback=True,
            partial=True,
        )


def papers_of(results: Iterable[Result]) -> list[Paper]:
    """Return a paper of each web result, with the identifiers in its URL, without an abstract."""
    papers = []
    for rank, result in enumerate(results):
        page = identity(result.url)
        pubmed = _PUBMED.match(page)
        path = split_url(result.url).path.lower()
        is_arxiv = page.startswith(_ARXIV_PAGE)
        is_pdf = path.endswith(".pdf") or (is_arxiv and path.startswith("/pdf/"))
        record = build_record(
            result.provider,
            titles=[_NUMBER.sub("", result.title), result.url],
            url=result.url,
            doi=page if page.startswith("https://doi.org/") else None,
            arxiv_id=page.removeprefix(_ARXIV_PAGE),
            pmid=pubmed[1] if pubmed else "",
            published=result.published,
            open_access=is_arxiv or None,
            pdf_url=result.url if is_pdf else None,
        )
        paper = paper_of(record)
        if paper is not None:
            papers.append(replace(paper, rank=rank))
    return papers


def _combine(answers: Sequence[IndexAnswer], query: PaperQuery) -> PapersFound:
    """Return the merged records, and a note for each index that failed."""
    records = [record for _, papers in answers for record in papers]
    notes = [
        f"{call.service.label} is left out: {call.error.kind} ({shorten(call.error.message)})."
        for call, _ in answers
        if call.error is not None
    ]
    used = [call.service.name for call, _ in answers if call.attempt.outcome == "ok"]
    return PapersFound(
        _select(records, query),
        tuple(used),
        attempts=tuple(call.attempt for call, _ in answers),
        notes=tuple(notes),
        partial=bool(notes),
    )


def _select(records: Sequence[Paper], query: PaperQuery) -> tuple[Paper, ...]:
    """Return the papers that pass the filters in the requested order, undated ones last."""
    papers = [paper for paper in merge(records) if query.admits(paper)]
    if query.newest_first:
        papers.sort(key=lambda paper: paper.published or str(paper.year or ""), reverse=True)
    return tuple(papers[: query.count])
