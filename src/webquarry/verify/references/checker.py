"""References checked against indexes: many at once, each with as few requests as possible.

When the time is over, a reference that was not reached is "could not verify"; a second call
continues there, because replies are cached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date

from webquarry._read.workers.job import JobRunner
from webquarry._search.guard import Breakers
from webquarry._search.scholarly.provider import WorkIndex
from webquarry._search.services import Pace, Services
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.progress import note
from webquarry.settings import Settings
from webquarry.store.cache import Cache
from webquarry.verify.references.asker import IndexAsker
from webquarry.verify.references.judge import Judgement, RecordState, judge, read_state
from webquarry.verify.references.links import LinkChecker, LinkFinding, should_visit
from webquarry.verify.references.models import Reference, ReferenceEvidence
from webquarry.verify.references.plan import next_step
from webquarry.verify.references.weigh import weigh

_AT_ONCE = 32  # references


@dataclass(frozen=True)
class Checked:
    """One reference and its result."""

    reference: Reference
    judgement: Judgement
    state: RecordState
    link: LinkFinding | None = None
    abstract: str = ""  # of the work, where an index has it
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
            "webquarry._search.scholarly.providers",
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

    def open_asker(self, deadline: float) -> IndexAsker:
        """Return a client of the indexes, valid until the deadline."""
        return IndexAsker(self.services, self._open_cache, self._settings, deadline)

    async def check(self, references: Sequence[Reference], deadline: float) -> list[Checked]:
        """Check references until the deadline on the monotonic clock."""
        indexes = self.indexes
        evidence = [ReferenceEvidence(reference) for reference in references]
        done: dict[int, Checked] = {}
        gate = asyncio.Semaphore(_AT_ONCE)
        today = self._clock.now().astimezone(UTC).date()
        async with self.open_asker(deadline) as asker:
            visitor = LinkChecker(self._client, self._open_runner, asker, indexes)

            async def check_one(place: int) -> None:
                async with gate:
                    done[place] = await self._check_one(
                        evidence[place], asker, visitor, indexes, today
                    )
                note(f"checked {len(done)} of {len(references)} references")

            tasks = [asyncio.create_task(check_one(place)) for place in range(len(references))]
            await self._wait(tasks, deadline)
        unfinished = "The time of the call was over."
        results = []
        for place, one in enumerate(evidence):
            results.append(done.get(place) or _conclude(one, today, None, unfinished))
        return results

    async def _wait(self, tasks: Sequence[asyncio.Task[None]], deadline: float) -> None:
        """Wait for the tasks until the deadline, then cancel those that are not done."""
        left = max(0.0, deadline - self._clock.monotonic())
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=left)
        finally:
            for task in tasks:
                task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    async def _check_one(
        self,
        evidence: ReferenceEvidence,
        asker: IndexAsker,
        visitor: LinkChecker,
        indexes: frozenset[str],
        today: date,
    ) -> Checked:
        while True:
            step = next_step(evidence, indexes, today)
            if step is None:
                break
            evidence.add(await asker.ask(*step))
        link = None
        judgement = judge(evidence, today)
        if should_visit(evidence.reference, judgement):
            link = await visitor.visit(evidence.reference)
        return _conclude(evidence, today, link)


def _conclude(
    evidence: ReferenceEvidence, today: date, link: LinkFinding | None, unfinished: str = ""
) -> Checked:
    """Return the result of the evidence so far."""
    findings = weigh(evidence, today)
    judgement = judge(evidence, today)
    if link is not None:
        judgement = link.apply(evidence.reference, judgement)
    is_open = judgement.verdict in ("not_found", "could_not_verify")
    if unfinished and is_open:
        reason = judgement.reason
        if not evidence.replies:
            reason = "It was not looked up."
        exists = judgement.exists
        if exists == "not_found":
            exists = "unknown"
        judgement = replace(
            judgement,
            verdict="could_not_verify",
            reason=f"{unfinished} {reason}",
            exists=exists,
        )
    abstract = next((one.abstract for one in findings.records if one.abstract), "")
    return Checked(
        evidence.reference,
        judgement,
        read_state(evidence, findings),
        link,
        abstract,
        evidence.sent,
        not unfinished,
    )
