"""Searches for papers: the indexes are asked concurrently and their records merged.

An index that fails is left out, which a note says; if all fail, scholarly sites are searched on the
web, which a note says too. Answers are cached; concurrent callers with the same query share one.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import TYPE_CHECKING, Any

import msgspec

from webquarry._search.addresses import normal_doi, split_url
from webquarry._search.guard import Breakers, GuardedCall, apply_retry_after, choose_error, shorten
from webquarry._search.identity import identity
from webquarry._search.models import Attempt, Query, Result
from webquarry._search.router import Router
from webquarry._search.scholarly.merge import merge
from webquarry._search.scholarly.models import Author, Paper, PaperQuery, PapersFound
from webquarry._search.scholarly.provider import Scholarly, parse_arxiv_id, with_origins
from webquarry._search.services import Pace, Services
from webquarry._search.text import plain
from webquarry.clock import Clock
from webquarry.errors import BadInput, RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of

if TYPE_CHECKING:
    from webquarry._search.lenses import Lens

_NUMBER = re.compile(r"^\[\d{4}\.\d{4,5}(?:v\d+)?\]\s*")  # arXiv puts it before the title
_PUBMED = re.compile(r"https://pubmed\.ncbi\.nlm\.nih\.gov/(\d+)")


def papers_of(results: Iterable[Result]) -> list[Paper]:
    """One record for each result. A snippet is no abstract, so there is none."""
    papers = []
    for rank, result in enumerate(results):
        # The identifiers are those that its address names.
        page = identity(result.url)
        number = parse_arxiv_id(page.removeprefix("https://arxiv.org/abs/")) or ""
        doi = None
        if page.startswith("https://doi.org/"):
            doi = normal_doi(page)
        pubmed = _PUBMED.match(page)
        path = split_url(result.url).path.lower()
        pdf_url = ""
        if path.endswith(".pdf") or (number and path.startswith("/pdf/")):
            pdf_url = result.url
        published = (result.published or "")[:10]
        year = None
        if published:
            year = int(published[:4])
        paper = Paper(
            title=_NUMBER.sub("", plain(result.title)) or result.url,
            url=result.url,
            source=result.provider,
            rank=rank,
            doi=doi or "",
            arxiv_id=number,
            pmid=pubmed[1] if pubmed else "",
            published=published,
            year=year,
            open_access=True if number else None,
            pdf_url=pdf_url,
        )
        papers.append(with_origins(paper, result.provider))
    return papers


VERSION = 1  # of cached answers
ALL = "all"
_MOST_REQUESTS = 3  # of one index for one search
_MOST_RECORDS = 100  # of one index, whatever it was asked for
_WEB_RESULTS = 10
_PARTIAL_SHARE = 6  # an answer that lacks an index is kept for a sixth of the time

IndexAnswer = tuple[GuardedCall, list[Paper]]  # of one index: how the call went, and its records


class Finder:
    """Searches the scholarly indexes. One for the process."""

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
        self._waiting: Counter[str] = Counter()  # calls of an index under way, by its name

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
            seconds = self._seconds_good(found)
            return Made(_pack(found), seconds)

        cache = self._open_cache()
        kept = await cache.get_or_make(key_of("papers", VERSION, parameters), make)
        return replace(
            msgspec.json.decode(kept.value, type=PapersFound),
            cached=kept.cached,
            age_seconds=kept.age_seconds,
            max_age_seconds=kept.max_age_seconds,
        )

    def _seconds_good(self, found: PapersFound) -> float:
        """Return the lifetime of an answer: shorter if it lacks an index or is a fallback."""
        if found.fallback or not found.papers:
            return self._settings.cache_empty_seconds
        if found.partial:
            return self._settings.cache_academic_seconds / _PARTIAL_SHARE
        return self._settings.cache_academic_seconds

    async def _ask_all(
        self, query: PaperQuery, indexes: Sequence[Scholarly], source: str, *, is_named: bool
    ) -> PapersFound:
        """Return the papers of all indexes, or of the web if no index answered."""
        answers = await asyncio.gather(*(self._ask(index, query) for index in indexes))
        attempts = []
        failures = []
        for call, _ in answers:
            attempts.append(call.attempt)
            if call.error is not None:
                failures.append(call.error)
        if len(failures) < len(answers):
            return _combine(answers, query)
        if is_named:
            healthy = [index.name for index in self.services.healthy()]
            names = [index.name for index in indexes]
            others = [name for name in healthy if name not in names]
            raise choose_error(failures, attempts, others)
        sites: list[str] = []
        if source != ALL:
            for index in indexes:
                sites += index.domains
        return await self._search_web(query, tuple(sites), failures, attempts)

    async def _ask(self, index: Scholarly, query: PaperQuery) -> IndexAnswer:
        """Return the records of one index, each with its rank and without our keys."""
        seconds = min(self._settings.academic_timeout_seconds, self._settings.timeout_seconds)
        if self._waiting[index.name] * index.min_interval_seconds >= seconds:
            # Not a failure of the index.
            words = f"{index.label} is asked slowly, and its turn would not come in time."
            error = RateLimited(words, provider=index.name)
            return GuardedCall(index, error), []
        records: list[Paper] = []
        self._waiting[index.name] += 1
        try:
            async with self.services.guard(index, seconds) as call:
                if call.is_admitted:
                    with index.explain_errors():
                        records = await self._fetch_records(index, query, seconds)
                    call.found = len(records)
        finally:
            self._waiting[index.name] -= 1
        return call, records

    async def _fetch_records(
        self, index: Scholarly, query: PaperQuery, seconds: float
    ) -> list[Paper]:
        """Return the records of an index, which may take several requests."""
        reply = await self.services.send_in_steps(
            index, index.build_request(query), index.next_request, seconds, _MOST_REQUESTS
        )
        with apply_retry_after(reply):
            records = index.parse_reply(reply)
        # Without our own keys, should the index have put them back into its answer.
        hide = index.conceal
        papers = []
        for rank, record in enumerate(records[:_MOST_RECORDS]):
            texts: dict[str, Any] = {}
            for field in fields(record):
                value = getattr(record, field.name)
                if isinstance(value, str):
                    texts[field.name] = hide(value)
            authors = []
            for author in record.authors:
                names = (author.written, author.family, author.given)
                authors.append(Author(*map(hide, names)))
            papers.append(replace(record, **texts, rank=rank, authors=tuple(authors)))
        return papers

    async def _search_web(
        self,
        query: PaperQuery,
        sites: tuple[str, ...],
        failures: Sequence[WebquarryError],
        attempts: Sequence[Attempt],
    ) -> PapersFound:
        """Return results of a web search on the sites of the indexes, or of the academic lens."""
        lens = None
        where = ", ".join(sites)
        if not sites:
            lens = self._lenses()["academic"]
            where = "scholarly sites"
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
            (*attempts, *web.attempts),
            (note, *web.notes),
            fallback=True,
            partial=True,
        )


def _combine(answers: Sequence[IndexAnswer], query: PaperQuery) -> PapersFound:
    """Return the merged records, and a note for each index that failed."""
    all_records: list[Paper] = []
    used = []
    notes = []
    for call, records in answers:
        all_records += records
        if call.error is not None:
            why = f"{call.error.kind} ({shorten(call.error.message)})"
            notes.append(f"{call.service.label} is left out: {why}.")
        elif call.attempt.outcome == "ok":
            used.append(call.service.name)
    return PapersFound(
        _select(all_records, query),
        tuple(used),
        tuple(call.attempt for call, _ in answers),
        tuple(notes),
        partial=bool(notes),
    )


def _select(records: Sequence[Paper], query: PaperQuery) -> tuple[Paper, ...]:
    """Return the papers that pass the filters in the requested order, undated ones last."""
    papers = [paper for paper in merge(records) if query.admits(paper)]
    if query.newest_first:
        papers.sort(key=lambda paper: paper.published or str(paper.year or ""), reverse=True)
    return tuple(papers[: query.count])


def _pack(found: PapersFound) -> bytes:
    text = json.dumps(asdict(found), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
