"""Read the best search results in parallel; if one fails, the next one is read while there is time.

Which pages are read depends on the outcomes, not on the order of arrival: a further one is started
only if the running ones cannot be enough. So the same web gives the same sources, by rank.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from webquarry._read.slices.paragraphs import Paragraph, paragraphs_of
from webquarry._search.identity import identity
from webquarry._search.models import Result
from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.pages.clean import clean_url
from webquarry.pages.pages import Pages
from webquarry.pages.score import ScoredPage, ScoringQuery, build_score_job, read_scores
from webquarry.pages.snapshot import Snapshot
from webquarry.progress import note

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReadResult:
    """A result that was read and scored."""

    result: Result
    snapshot: Snapshot
    scored: ScoredPage

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """The paragraphs of its text; they need much memory and are not cached."""
        return paragraphs_of(self.snapshot.text)

    @cached_property
    def identities(self) -> tuple[str, str]:
        """The identity of its URL after redirects, and the digest of its text."""
        return identity(self.snapshot.fields["url"]), self.snapshot.digest


@dataclass(frozen=True)
class FailedResult:
    """A result that could not be read."""

    result: Result
    error: WebquarryError


@dataclass
class ResultOutcomes:
    """The outcomes of the results, by rank."""

    read: dict[int, ReadResult] = field(default_factory=dict)
    failed: dict[int, FailedResult] = field(default_factory=dict)

    def sources(self, *, same_text: bool) -> list[ReadResult]:
        """Return the read results by rank, each page once."""
        duplicates = self.find_duplicates(same_text=same_text)
        return [page for rank, page in sorted(self.read.items()) if rank not in duplicates]

    def find_duplicates(self, *, same_text: bool) -> dict[int, int]:
        """Return the ranks of results with the page of a better one, and the rank of that; with
        `same_text` also of results with the same text.
        """
        seen: dict[str, int] = {}
        duplicates: dict[int, int] = {}
        for rank, page in sorted(self.read.items()):
            identities = page.identities if same_text else page.identities[:1]
            first = next((seen[one] for one in identities if one in seen), None)
            if first is None:
                seen |= dict.fromkeys(identities, rank)
            else:
                duplicates[rank] = first
        return duplicates

    def notes(self, *, same_text: bool) -> tuple[str, ...]:
        """Return notes on duplicates, and those of the pages."""
        notes = []
        for rank, first in sorted(self.find_duplicates(same_text=same_text).items()):
            url, first_url = (clean_url(self.read[one].result.url) for one in (rank, first))
            notes.append(f"{url} is the same page as {first_url}, and counts once.")
        for page in self.sources(same_text=same_text):
            notes += [f"{page.snapshot.fields['url']}: {text}" for text in page.snapshot.notes]
        return tuple(notes)


class ResultReader:
    """Reads results until enough have been read, none is left, or the deadline has passed."""

    def __init__(
        self, pages: Pages, query: ScoringQuery, wanted: int, deadline: float, *, same_text: bool
    ) -> None:
        self._pages = pages
        self._query = query
        self._wanted = wanted
        self._deadline = deadline  # in monotonic time
        self._same_text = same_text
        self._running: dict[asyncio.Task[ReadResult], tuple[int, Result]] = {}
        self._started = 0
        self.outcomes = ResultOutcomes()
        self.results: list[Result] = []

    async def run(
        self, results: Sequence[Result], search_further: Callable[[], Awaitable[Sequence[Result]]]
    ) -> ResultOutcomes:
        """Return the outcomes. `search_further` is called once for more results, if these are not
        enough.
        """
        self.results = list(results)
        has_searched = False
        try:
            while self._seconds_left > 0:
                missing = self._start_missing()
                if missing and not has_searched:
                    has_searched = True
                    await self._add_results(search_further)
                elif not self._running or not await self._wait():
                    break
        finally:
            await self._stop()
        return self.outcomes

    @property
    def _seconds_left(self) -> float:
        return self._deadline - self._pages.clock.monotonic()

    def _start_missing(self) -> int:
        """Start as many as are needed if all running ones succeed; return how many are missing."""
        sources = self.outcomes.sources(same_text=self._same_text)
        missing = self._wanted - len(sources) - len(self._running)
        while missing > 0 and self._started < len(self.results):
            result = self.results[self._started]
            self._running[asyncio.create_task(self._read(result))] = (self._started, result)
            self._started += 1
            missing -= 1
        return max(0, missing)

    async def _add_results(self, search_further: Callable[[], Awaitable[Sequence[Result]]]) -> None:
        """Add new results of a further search, if they arrive in time."""
        try:
            async with asyncio.timeout(self._seconds_left):
                further = await search_further()
        except TimeoutError:
            return
        known = {identity(result.url) for result in self.results}
        self.results += [result for result in further if identity(result.url) not in known]

    async def _read(self, result: Result) -> ReadResult:
        """Read and score a result."""
        snapshot = await self._pages.get(result.url)
        job = build_score_job(snapshot, result, self._query)
        return ReadResult(result, snapshot, read_scores(await self._pages.runner.run(job)))

    async def _wait(self) -> bool:
        """Wait for the next results; return whether any has ended before the deadline."""
        done, _ = await asyncio.wait(
            self._running, timeout=self._seconds_left, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            rank, result = self._running.pop(task)
            error = _error_of(task)
            if error is None:
                self.outcomes.read[rank] = task.result()
            else:
                self.outcomes.failed[rank] = FailedResult(result, error)
        note(f"{min(len(self.outcomes.read), self._wanted)} of {self._wanted} pages read")
        return bool(done)

    async def _stop(self) -> None:
        """Cancel the running ones, and record them as late."""
        for task, (rank, result) in self._running.items():
            task.cancel()
            error = NetworkFailure(
                "It had not been read when the time for the call was over.",
                suggested_action="Call scrape_page with this url, or search_and_scrape with fewer "
                "results.",
            )
            self.outcomes.failed[rank] = FailedResult(result, error)
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running = {}


def _error_of(task: asyncio.Task[ReadResult]) -> WebquarryError | None:
    """Return the error of a task; an unexpected page does not fail the others."""
    if task.cancelled():
        return NetworkFailure("Reading it was stopped.")
    error = task.exception()
    if error is None or isinstance(error, WebquarryError):
        return error
    log.error("a page could not be read", exc_info=error)
    return WebquarryError(f"Reading it failed: {type(error).__name__}.")
