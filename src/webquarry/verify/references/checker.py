"""References checked against indexes: many at once, each with as few requests as possible.

    async with checker.open_lookups(deadline) as lookups:
        reply = await lookups.ask("crossref", WorkQuestion("doi", "10.1000/182"))

Lookups are paced and cached; those that wait for an index are joined into one request if possible.
When the time is over, a reference that was not reached is "could not verify"; a second call
continues there, because replies are cached.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date

import msgspec

from webquarry._read.workers.job import JobRunner
from webquarry._search.guard import Breakers
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import WorkIndex
from webquarry._search.services import Pace, Services
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.progress import note
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of
from webquarry.verify.references.compare import weigh
from webquarry.verify.references.judge import Judgement, RecordState, judge, read_state
from webquarry.verify.references.links import LinkChecker, LinkFinding, should_visit
from webquarry.verify.references.models import IndexReply, Reference, ReferenceEvidence
from webquarry.verify.references.plan import next_step

_MAX_CONCURRENT = 32  # references
_VERSION = 1  # of cached replies
_MAX_RECORDS = 60
_UNFINISHED = "The time of the call was over."


@dataclass(frozen=True)
class Checked:
    """One reference and its result."""

    reference: Reference
    judgement: Judgement
    state: RecordState
    link: LinkFinding | None = None
    abstract: str = ""
    requests: int = 0
    is_finished: bool = True  # False: the time was over


class CitationChecker:
    """Checks references. One for the process."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
        open_cache: Callable[[], Cache],
        open_runner: Callable[[], JobRunner],
        board: Breakers | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._client = client
        self._settings = settings
        self._clock = clock
        self._open_cache = open_cache
        self._open_runner = open_runner
        self.services: Services[WorkIndex] = Services(
            WorkIndex,
            client,
            settings,
            environ,
            clock,
            board=board,
            pace=pace,
        )

    @property
    def indexes(self) -> frozenset[str]:
        """The names of the indexes in use."""
        known = [registry.name for registry in self.services.all()]
        chosen = self._settings.reference_indexes
        return frozenset(name for name in known if not chosen or name in chosen)

    @asynccontextmanager
    async def open_lookups(self, deadline: float) -> AsyncIterator[Lookups]:
        """Return a client of the indexes, valid until the deadline; leaving cancels its lookups."""
        lookups = Lookups(self.services, self._open_cache, self._settings, deadline)
        try:
            yield lookups
        finally:
            await _cancel(lookups.tasks)

    async def check(self, references: Sequence[Reference], deadline: float) -> list[Checked]:
        """Check references until the deadline on the monotonic clock."""
        evidence = [ReferenceEvidence(reference) for reference in references]
        done: dict[int, Checked] = {}
        slots = asyncio.Semaphore(_MAX_CONCURRENT)
        today = self._clock.now().astimezone(UTC).date()
        async with self.open_lookups(deadline) as lookups:

            async def check_one(place: int) -> None:
                async with slots:
                    done[place] = await self._check_one(evidence[place], lookups, today)
                note(f"checked {len(done)} of {len(references)} references")

            tasks = [asyncio.create_task(check_one(place)) for place in range(len(references))]
            try:
                if tasks:
                    left = max(0.0, deadline - self._clock.monotonic())
                    await asyncio.wait(tasks, timeout=left)
            finally:
                outcomes = await _cancel(tasks)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
        return [
            done.get(place) or _conclude(one, today, None, is_finished=False)
            for place, one in enumerate(evidence)
        ]

    async def _check_one(
        self, evidence: ReferenceEvidence, lookups: Lookups, today: date
    ) -> Checked:
        indexes = self.indexes
        while (step := next_step(evidence, indexes, today)) is not None:
            evidence.add(await lookups.ask(*step))
        link = None
        if should_visit(evidence.reference, judge(evidence, today)):
            ask = lookups.ask if "wayback" in indexes else None
            visitor = LinkChecker(self._client, self._open_runner, ask)
            link = await visitor.visit(evidence.reference)
        return _conclude(evidence, today, link)


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> list[BaseException | None]:
    for task in tasks:
        task.cancel()
    return await asyncio.gather(*tasks, return_exceptions=True)


def _conclude(
    evidence: ReferenceEvidence, today: date, link: LinkFinding | None, *, is_finished: bool = True
) -> Checked:
    """Return the result of the evidence so far."""
    findings = weigh(evidence, today)
    judgement = judge(evidence, today)
    if link is not None:
        judgement = link.apply(evidence.reference, judgement)
    if not is_finished and judgement.verdict in ("not_found", "could_not_verify"):
        reason = judgement.reason if evidence.replies else "It was not looked up."
        judgement = replace(
            judgement,
            verdict="could_not_verify",
            reason=f"{_UNFINISHED} {reason}",
            exists="unknown" if judgement.exists == "not_found" else judgement.exists,
        )
    abstract = next((one.abstract for one in findings.records if one.abstract), "")
    state = read_state(evidence, findings)
    return Checked(evidence.reference, judgement, state, link, abstract, evidence.sent, is_finished)


_Waiting = tuple[WorkQuestion, "asyncio.Future[IndexReply]"]


class Lookups:
    """The lookups of one tool call. An index gets `WorkIndex.lanes` concurrent requests."""

    def __init__(
        self,
        services: Services[WorkIndex],
        open_cache: Callable[[], Cache],
        settings: Settings,
        deadline: float,
    ) -> None:
        self._services = services
        self._open_cache = open_cache
        self._settings = settings
        self._deadline = deadline
        # Which questions wait depends on timing, so joined requests could not be replayed.
        self._may_join = not (settings.record or settings.replay)
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._running: dict[str, int] = {}
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, index: str, question: WorkQuestion) -> IndexReply:
        """Return the reply of an index; one with a failure instead of raising an error."""
        registry = self._services.get(index)
        parameters = {
            "index": registry.signature(),
            "question": [question.topic, question.value, question.near],
        }
        key = key_of("registry", _VERSION, parameters)
        cached = await self._open_cache().get(key)
        if cached is not None:
            records = msgspec.json.decode(cached.value, type=tuple[Record, ...])
            return IndexReply(index, question, records, was_sent=False)
        future: asyncio.Future[IndexReply] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(index, deque()).append((question, future))
        if self._running.get(index, 0) < registry.lanes:
            self._running[index] = self._running.get(index, 0) + 1
            self.tasks.append(asyncio.create_task(self._serve(registry)))
        reply = await future
        seconds = self._settings.cache_academic_seconds
        if not reply.records:
            seconds = min(seconds, self._settings.cache_empty_seconds)
        if seconds > 0 and not reply.failure:
            packed = json.dumps([asdict(record) for record in reply.records])
            await self._open_cache().put(key, Made(packed.encode("utf-8", "replace"), seconds))
        return reply

    async def _serve(self, registry: WorkIndex) -> None:
        """Send the questions that wait for an index until none is left."""
        queue = self._waiting[registry.name]
        while queue:
            batch = self._take_batch(registry, queue)
            replies = await self._send(registry, [question for question, _ in batch])
            for (_, future), reply in zip(batch, replies, strict=True):
                if not future.done():
                    future.set_result(reply)
        self._running[registry.name] -= 1

    def _take_batch(self, registry: WorkIndex, queue: deque[_Waiting]) -> list[_Waiting]:
        """Return the first question, and others of its topic that can be joined."""
        first = queue.popleft()
        batch = [first]
        topic = first[0].topic
        most = registry.most_at_once.get(topic, 1)
        if not self._may_join or "," in first[0].value:  # the comma separates values
            return batch
        for one in list(queue):
            if len(batch) < most and one[0].topic == topic and "," not in one[0].value:
                queue.remove(one)
                batch.append(one)
        return batch

    async def _send(
        self, registry: WorkIndex, questions: Sequence[WorkQuestion]
    ) -> list[IndexReply]:
        """Return the replies to questions that are sent together."""
        limit = min(self._settings.academic_timeout_seconds, self._settings.timeout_seconds)
        seconds = min(limit, self._deadline - self._services.clock.monotonic())
        call, records = await self._services.fetch(
            registry,
            lambda: registry.build_lookup(questions),
            lambda reply: registry.next_lookup(questions, reply),
            lambda reply: registry.parse_lookup(questions, reply),
            seconds,
        )
        failure = call.error.kind if call.error else ""
        was_sent = call.error is None or call.attempt.outcome != "skipped"
        replies = []
        for one in questions:
            found = () if failure else tuple(registry.select(one, records))[:_MAX_RECORDS]
            replies.append(IndexReply(registry.name, one, found, failure, was_sent))
        return replies
