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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.pages.score import Question, Study, study
from webquarry.pages.snapshot import Snapshot, snapshot_of
from webquarry.progress import note
from webquarry.read.executor import is_large
from webquarry.read.slices.paragraphs import Paragraph, paragraphs_of
from webquarry.search.identity import identity
from webquarry.search.models import Result
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

_SMALL = 20_000  # bytes; judging a text of that size takes less than the way to a thread and back


@dataclass(frozen=True)
class Read:
    """A result that was read and judged."""

    result: Result
    snapshot: Snapshot
    study: Study

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """Its text in pieces."""
        return self.study.paragraphs or paragraphs_of(self.snapshot.data)

    @cached_property
    def address(self) -> str:
        """What tells this page from any other, after redirects."""
        return identity(self.snapshot.fields["url"])

    @cached_property
    def digest(self) -> str:
        """What tells its text from any other."""
        return self.snapshot.digest


@dataclass(frozen=True)
class Failed:
    """A result that could not be read."""

    result: Result
    error: WebquarryError


@dataclass
class Harvest:
    """What came of the results; places are ranks."""

    read: dict[int, Read] = field(default_factory=dict)
    failed: dict[int, Failed] = field(default_factory=dict)

    def sources(self, *, same_text: bool) -> list[Read]:
        """What was read, by rank, each page once."""
        twins = self.twins(same_text=same_text)
        return [self.read[rank] for rank in sorted(self.read) if rank not in twins]

    def twins(self, *, same_text: bool) -> dict[int, int]:
        """Results that led to a page which a better one had led to; if wanted, also to a page of
        the same text.
        """
        seen: dict[str, int] = {}
        found: dict[int, int] = {}
        for rank, read in sorted(self.read.items()):
            marks = (read.address, read.digest) if same_text else (read.address,)
            first = next((seen[mark] for mark in marks if mark in seen), None)
            if first is not None:
                found[rank] = first
            else:
                seen |= dict.fromkeys(marks, rank)
        return found


class Reading:
    """Reads results until enough have been read, none is left, or the time is over."""

    def __init__(
        self, kit: Toolkit, question: Question, wanted: int, ends: float, *, same_text: bool
    ) -> None:
        self._kit = kit
        self._question = question
        self._wanted = wanted
        self._ends = ends  # on the clock's monotonic scale
        self._same_text = same_text
        self._running: dict[asyncio.Task[Read], tuple[int, Result]] = {}
        self._begun = 0
        self.harvest = Harvest()
        self.results: list[Result] = []

    async def run(
        self, results: Sequence[Result], further: Callable[[], Awaitable[Sequence[Result]]]
    ) -> Harvest:
        """The harvest. `further` is asked once for more results, when these were not enough."""
        self.results = list(results)
        asked = False
        try:
            while self._left > 0:
                missing = self._begin_missing()
                if missing and not asked:
                    asked = True
                    await self._add(further)
                elif not self._running or not await self._wait():
                    break
        finally:
            await self._stop()
        return self.harvest

    @property
    def _left(self) -> float:
        return self._ends - self._kit.clock.monotonic()

    def _begin_missing(self) -> int:
        """Begin as many as are needed if all that are under way are good; how many there were no
        results for.
        """
        missing = (
            self._wanted - len(self.harvest.sources(same_text=self._same_text)) - len(self._running)
        )
        while missing > 0 and self._begun < len(self.results):
            self._begin(self._begun)
            self._begun += 1
            missing -= 1
        return max(0, missing)

    def _begin(self, rank: int) -> None:
        result = self.results[rank]
        self._running[asyncio.create_task(self._read(result))] = rank, result

    async def _add(self, further: Callable[[], Awaitable[Sequence[Result]]]) -> None:
        known = {identity(result.url) for result in self.results}
        with suppress(TimeoutError):
            async with asyncio.timeout(self._left):
                self.results += [
                    result for result in await further() if identity(result.url) not in known
                ]

    async def _read(self, result: Result) -> Read:
        snapshot = await snapshot_of(self._kit, result.url)
        if len(snapshot.data) < _SMALL:
            return _judged(result, snapshot, self._question)
        room = self._kit.reader.room
        return await room.run(
            len(snapshot.data), lambda: _judged(result, snapshot, self._question), ahead=True
        )

    async def _wait(self) -> bool:
        """Whether anything has ended before the time was over; what has is put in its place."""
        done, _ = await asyncio.wait(
            self._running, timeout=self._left, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            rank, result = self._running.pop(task)
            error = _error_of(task)
            if error is None:
                self.harvest.read[rank] = task.result()
            else:
                self.harvest.failed[rank] = Failed(result, error)
        note(f"{min(len(self.harvest.read), self._wanted)} of {self._wanted} pages read")
        return bool(done)

    async def _stop(self) -> None:
        """End what is still under way, and say that it was late."""
        for task, (rank, result) in self._running.items():
            task.cancel()
            self.harvest.failed[rank] = Failed(result, _late())
        if self._running:
            await asyncio.wait(self._running)
            for task in self._running:
                _error_of(task)  # looked at, so that nobody complains that it never was
        self._running = {}


def _judged(result: Result, snapshot: Snapshot, question: Question) -> Read:
    """Pieces take several times what the text does: those of a large one are not kept while others
    are read.
    """
    judged = study(snapshot, result, question)
    return Read(
        result, snapshot, replace(judged, paragraphs=()) if is_large(len(snapshot.data)) else judged
    )


def _late() -> NetworkFailure:
    return NetworkFailure(
        "It had not been read when the time for the call was over.",
        suggested_action="Call scrape_page with this url, or search_and_scrape with fewer results.",
    )


def _error_of(task: asyncio.Task[Read]) -> WebquarryError | None:
    """What went wrong; one page that nobody foresaw does not take the others with it."""
    if task.cancelled():
        return NetworkFailure("Reading it was stopped.")
    error = task.exception()
    if error is None or isinstance(error, WebquarryError):
        return error
    log.error("a page could not be read", exc_info=error)
    return WebquarryError(f"Reading it failed: {type(error).__name__}.")
