"""Jobs in threads of this process, the large ones one at a time; those that may crash it in worker
processes.

For programs that end soon where no process can be copied, and for whoever wants to look into what
is done. A job that is called off goes on: a thread cannot be stopped.
"""

from __future__ import annotations

import asyncio

from webquarry.caller import caller
from webquarry.read.workers.error_form import explain_complexity
from webquarry.read.workers.fair_queue import FairQueue, Place
from webquarry.read.workers.job import Job, WorkerLimits, run_job
from webquarry.read.workers.limits import trim_memory
from webquarry.read.workers.pool import WorkerPool
from webquarry.read.workers.runner import JobRunner

_AT_ONCE = 32  # small jobs; Python works on one at a time anyway


class ThreadRunner(JobRunner):
    """Threads of this process."""

    def __init__(self, limits: WorkerLimits | None = None) -> None:
        self._limits = limits or WorkerLimits()
        self._queue = FairQueue(_AT_ONCE)
        self._workers: WorkerPool | None = None

    async def run(self, job: Job) -> bytes:
        if job.isolated:
            return await self._isolate(job)
        place = Place(caller(), job.is_large, job.ahead, job.behind)
        await self._queue.enter(place)
        work = asyncio.ensure_future(asyncio.to_thread(_run, job))
        # it has its place until it has ended, whether or not anybody still waits for it
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
        if self._workers is None:
            self._workers = WorkerPool(self._limits)
        return await self._workers.run(job)

    def _leave(self, place: Place, work: asyncio.Future[bytes]) -> None:
        if not work.cancelled():
            work.exception()  # looked at, so that nobody complains that it never was
        self._queue.leave(place)


def _run(job: Job) -> bytes:
    """The job, and what a large one held in memory given back behind it."""
    try:
        return run_job(job)
    finally:
        if job.is_large:
            trim_memory()
