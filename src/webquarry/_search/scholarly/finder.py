"""Searches for papers: the indexes are asked concurrently and their records merged.

An index that fails is left out, which a note says; if all fail, scholarly sites are searched on the
web, which a note says too. Answers are cached; concurrent callers with the same query share one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webquarry._search.addresses import split_url
from webquarry._search.answers import (
    INCOMPLETE_SHARE,
    ask_web_instead,
    from_entry,
    split_answers,
    to_entry,
)
from webquarry._search.guard import Breakers, GuardedCall, choose_error, shorten
from webquarry._search.identity import identity
from webquarry._search.models import ALL, Query, Result
from webquarry._search.router import Router
from webquarry._search.scholarly.merge import merge
from webquarry._search.scholarly.models import FoundPapers, Paper, PaperQuery
from webquarry._search.scholarly.provider import Scholarly, build_record, paper_of
from webquarry._search.services import Pace, Services
from webquarry.clock import Clock
from webquarry.errors import BadInput
from webquarry.net.client import Client
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens

VERSION = 2  # of cached answers
_NUMBER = re.compile(r"^\[\d{4}\.\d{4,5}(?:v\d+)?\]\s*")  # of arXiv, before the title
_PUBMED = re.compile(r"https://pubmed\.ncbi\.nlm\.nih\.gov/(\d+)")
_ARXIV_PAGE = "https://arxiv.org/abs/"
_MOST_RECORDS = 100  # of one index
_WEB_RESULTS = 10


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
            Scholarly,
            client,
            settings,
            environ,
            clock,
            board=board,
            pace=pace,
        )

    async def find(
        self,
        query: PaperQuery,
        *,
        source: str = ALL,
        provider: str | None = None,
        asked: Mapping[str, Any] | None = None,
    ) -> FoundPapers:
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
            "query": vars(query),
            "routing": [index.signature() for index in indexes],
            "named": bool(provider),
            "asked": dict(asked or {}),
            "good": [self._settings.cache_academic_seconds, self._settings.cache_empty_seconds],
        }

        async def make() -> Made:
            found = await self._ask_all(query, indexes, source, is_named=bool(provider))
            found = replace(found, order=tuple(index.name for index in indexes), because=because)
            seconds = self._settings.cache_academic_seconds
            if found.is_fallback or not found.results:
                seconds = self._settings.cache_empty_seconds
            elif found.partial:
                seconds /= INCOMPLETE_SHARE
            return to_entry(found, seconds)

        key = key_of("papers", VERSION, parameters)
        return from_entry(await self._open_cache().get_or_make(key, make), FoundPapers)

    async def _ask_all(
        self, query: PaperQuery, indexes: Sequence[Scholarly], source: str, *, is_named: bool
    ) -> FoundPapers:
        """Return the papers of all indexes, or of the web if no index answered."""
        asked = (self._ask(index, query) for index in indexes)
        calls, answers = split_answers(await asyncio.gather(*asked))
        if answers:
            return _combine(calls, answers, query)
        if is_named:
            others = [index.name for index in self.services.healthy() if index not in indexes]
            failures = [call.error for call in calls if call.error is not None]
            raise choose_error(failures, [call.attempt for call in calls], others)
        sites: tuple[str, ...] = ()
        if source != ALL:
            sites = tuple(domain for index in indexes for domain in index.domains)
        web = await ask_web_instead(
            self._router(),
            Query(query.text, _WEB_RESULTS, allowed_domains=sites),
            calls,
            kind="academic",
            lens=None if sites else self._lenses()["academic"],
        )
        note = (
            f"No index answered, so the web was searched on "
            f"{', '.join(sites) or 'scholarly sites'}: "
            "a paper has only what its search result says."
        )
        return FoundPapers(
            _select(papers_of(web.results), query),
            web.provider,
            attempts=web.attempts,
            notes=(note, *web.notes),
            from_web=True,
            partial=True,
        )

    async def _ask(self, index: Scholarly, query: PaperQuery) -> tuple[GuardedCall, list[Paper]]:
        """Return the records of one index with their ranks."""
        seconds = min(self._settings.academic_timeout_seconds, self._settings.timeout_seconds)
        call, records = await self.services.fetch(
            index,
            lambda: index.build_request(query),
            index.next_request,
            lambda reply: index.parse_reply(reply)[:_MOST_RECORDS],
            seconds,
        )
        return call, [replace(record, rank=rank) for rank, record in enumerate(records)]


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


def _combine(
    calls: Sequence[GuardedCall], answers: Sequence[Sequence[Paper]], query: PaperQuery
) -> FoundPapers:
    """Return the merged records, and a note for each index that failed."""
    notes = [
        f"{call.service.label} is left out: {call.error.kind} ({shorten(call.error.message)})."
        for call in calls
        if call.error is not None
    ]
    return FoundPapers(
        _select([record for papers in answers for record in papers], query),
        ",".join(call.service.name for call in calls if call.attempt.outcome == "ok"),
        attempts=tuple(call.attempt for call in calls),
        notes=tuple(notes),
        partial=bool(notes),
    )


def _select(records: Sequence[Paper], query: PaperQuery) -> tuple[Paper, ...]:
    """Return the papers that pass the filters in the requested order, undated ones last."""
    papers = [paper for paper in merge(records) if query.admits(paper)]
    if query.newest_first:
        papers.sort(key=lambda paper: paper.published or str(paper.year or ""), reverse=True)
    return tuple(papers[: query.count])
