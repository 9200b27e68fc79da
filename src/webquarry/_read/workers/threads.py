"""Run jobs in threads, large ones one at a time; jobs that may crash run in worker processes.

For systems without fork, and for debugging. A cancelled job runs to its end, since a thread cannot
be stopped.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from webquarry._read.workers.error_form import explain_complexity
from webquarry._read.workers.fair_queue import FairQueue, Place
from webquarry._read.workers.job import Job, WorkerLimits, run_job
from webquarry._read.workers.runner import JobRunner, can_fork
from webquarry.caller import caller
from webquarry.errors import Unreadable

if TYPE_CHECKING:
    from webquarry._read.workers.pool import WorkerPool

_CONCURRENT = 32  # small jobs


class ThreadRunner(JobRunner):
    """Runs jobs in threads of this process."""

    def __init__(self, limits: WorkerLimits | None = None, warm_up: Job | None = None) -> None:
        """`warm_up` is for the worker processes of isolated jobs."""
        self._limits = limits or WorkerLimits()
        self._warm_up = warm_up
        self._queue = FairQueue(_CONCURRENT)
        self._workers: WorkerPool | None = None

    async def run(self, job: Job) -> bytes:
        if job.isolated:
            return await self._isolate(job)
        place = Place(caller(), job.is_large, job.ahead, job.behind)
        await self._queue.enter(place)
        work = asyncio.ensure_future(asyncio.to_thread(run_job, job))
        # keeps its place until it has ended, even if the caller was cancelled
        work.add_done_callback(lambda _: self._leave(place, work))
        try:
            async with asyncio.timeout(self._limits.wall_seconds) as scope:
                return await asyncio.shield(work)
        except TimeoutError:
            if not scope.expired():
                raise
            raise explain_complexity(job.subject, "it takes too long") from None

    async def aclose(self) -> None:
        if self._workers is not None:
            await self._workers.aclose()

    async def _isolate(self, job: Job) -> bytes:
        if not can_fork():
            raise Unreadable(
                f"{job.subject} could not be read: documents are read in worker processes, which "
                "this system cannot fork."
            )
        if self._workers is None:
            from webquarry._read.workers.pool import WorkerPool

            self._workers = WorkerPool(self._limits, warm_up=self._warm_up)
        return await self._workers.run(job)

    def _leave(self, place: Place, work: asyncio.Future[bytes]) -> None:
        if not work.cancelled():
            work.exception()  # mark as retrieved
        self._queue.leave(place)
