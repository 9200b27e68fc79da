"""Search results -> the best of them read, at once; where one fails, the next takes its place while
there is time.

Which pages are read depends on what became of them and not on the order in which they arrive: a
further one is begun only when those under way cannot be enough. So the same web gives the same
sources, by rank.
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

_LARGE_BYTES = 500_000  # of a text whose digest takes longer than others may wait


@dataclass(frozen=True)
class ReadResult:
    """A result that was read and judged."""

    result: Result
    snapshot: Snapshot
    scored: ScoredPage

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """Its text in pieces, which take several times what the text does and are not kept."""
        return paragraphs_of(self.snapshot.text)

    @cached_property
    def address(self) -> str:
        """What tells this page from any other, after redirects."""
        return identity(self.snapshot.fields["url"])

    @cached_property
    def digest(self) -> str:
        """What tells its text from any other."""
        return self.snapshot.digest

    def compute_digest(self) -> None:
        """Have the digest ready: that of a large text takes milliseconds, in any thread."""
        _ = self.digest


@dataclass(frozen=True)
class FailedResult:
    """A result that could not be read."""

    result: Result
    error: WebquarryError


@dataclass
class ResultOutcomes:
    """What came of the results, by rank."""

    read: dict[int, ReadResult] = field(default_factory=dict)
    failed: dict[int, FailedResult] = field(default_factory=dict)

    def sources(self, *, same_text: bool) -> list[ReadResult]:
        """What was read, by rank, each page once."""
        duplicates = self.find_duplicates(same_text=same_text)
        sources = []
        for rank in sorted(self.read):
            if rank in duplicates:
                continue
            sources.append(self.read[rank])
        return sources

    def find_duplicates(self, *, same_text: bool) -> dict[int, int]:
        """Results that led to a page which a better one had led to, and the rank of that one; if
        wanted, also to a page of the same text.
        """
        seen: dict[str, int] = {}
        duplicates: dict[int, int] = {}
        for rank, page in sorted(self.read.items()):
            marks = [page.address]
            if same_text:
                marks.append(page.digest)
            first = next((seen[mark] for mark in marks if mark in seen), None)
            if first is None:
                seen |= dict.fromkeys(marks, rank)
            else:
                duplicates[rank] = first
        return duplicates

    def notes(self, *, same_text: bool) -> tuple[str, ...]:
        """Which results led to the same page, and what the pages say of how they were read."""
        notes = []
        duplicates = self.find_duplicates(same_text=same_text)
        for rank, first in sorted(duplicates.items()):
            same = self.read[rank].result
            url = clean_url(same.url)
            better = self.read[first].result
            first_url = clean_url(better.url)
            notes.append(f"{url} is the same page as {first_url}, and counts once.")
        for page in self.sources(same_text=same_text):
            url = page.snapshot.fields["url"]
            notes += [f"{url}: {text}" for text in page.snapshot.notes]
        return tuple(notes)


class ResultReader:
    """Reads results until enough have been read, none is left, or the time is over."""

    def __init__(
        self, pages: Pages, query: ScoringQuery, wanted: int, deadline: float, *, same_text: bool
    ) -> None:
        self._pages = pages
        self._query = query
        self._wanted = wanted
        self._deadline = deadline  # on the clock's monotonic scale
        self._same_text = same_text
        self._running: dict[asyncio.Task[ReadResult], tuple[int, Result]] = {}
        self._begun = 0
        self.outcomes = ResultOutcomes()
        self.results: list[Result] = []

    async def run(
        self, results: Sequence[Result], search_further: Callable[[], Awaitable[Sequence[Result]]]
    ) -> ResultOutcomes:
        """What came of them. `search_further` is called once for more results, when these were not
        enough.
        """
        self.results = list(results)
        has_searched = False
        try:
            while self._seconds_left > 0:
                missing = self._begin_missing()
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
        """Until the deadline."""
        now = self._pages.clock.monotonic()
        return self._deadline - now

    def _begin_missing(self) -> int:
        """Begin as many as are needed if all that are under way are good; how many there were no
        results for.
        """
        sources = self.outcomes.sources(same_text=self._same_text)
        missing = self._wanted - len(sources) - len(self._running)
        while missing > 0 and self._begun < len(self.results):
            result = self.results[self._begun]
            task = asyncio.create_task(self._read(result))
            self._running[task] = (self._begun, result)
            self._begun += 1
            missing -= 1
        return max(0, missing)

    async def _add_results(self, search_further: Callable[[], Awaitable[Sequence[Result]]]) -> None:
        """Add the further results that are not among these, if they come in time."""
        try:
            async with asyncio.timeout(self._seconds_left):
                further = await search_further()
        except TimeoutError:
            return
        known = {identity(result.url) for result in self.results}
        for result in further:
            page = identity(result.url)
            if page not in known:
                self.results.append(result)

    async def _read(self, result: Result) -> ReadResult:
        """Read a result and judge it."""
        snapshot = await self._pages.get(result.url)
        job = build_score_job(snapshot, result, self._query)
        scored = read_scores(await self._pages.runner.run(job))
        read = ReadResult(result, snapshot, scored)
        if len(snapshot.data) > _LARGE_BYTES:
            await asyncio.to_thread(read.compute_digest)
        return read

    async def _wait(self) -> bool:
        """Whether anything has ended before the time was over; what has is put in its place."""
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

        read = min(len(self.outcomes.read), self._wanted)
        note(f"{read} of {self._wanted} pages read")
        return bool(done)

    async def _stop(self) -> None:
        """End what is still under way, and say that it was late."""
        for task, (rank, result) in self._running.items():
            task.cancel()
            error = NetworkFailure(
                "It had not been read when the time for the call was over.",
                suggested_action="Call scrape_page with this url, or search_and_scrape with fewer "
                "results.",
            )
            self.outcomes.failed[rank] = FailedResult(result, error)
        if self._running:
            await asyncio.wait(self._running)
            for task in self._running:
                _error_of(task)  # looked at, so that nobody complains that it never was
        self._running = {}


def _error_of(task: asyncio.Task[ReadResult]) -> WebquarryError | None:
    """What went wrong; one page that nobody foresaw does not take the others with it."""
    if task.cancelled():
        return NetworkFailure("Reading it was stopped.")
    error = task.exception()
    if error is None or isinstance(error, WebquarryError):
        return error
    log.error("a page could not be read", exc_info=error)
    return WebquarryError(f"Reading it failed: {type(error).__name__}.")
