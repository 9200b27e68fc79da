"""Open the job runner of an interface: worker processes, or threads where there are none."""

from __future__ import annotations

import asyncio

from webquarry._read.workers.job import (
    Job,
    JobRunner,
    RunnerKind,
    WorkerLimits,
    can_fork,
    count_cores,
    run_job,
)
from webquarry._read.workers.pool import FairQueue, Place, WorkerPool
from webquarry._read.workers.protocol import explain_complexity
from webquarry.caller import caller
from webquarry.errors import Unreadable
from webquarry.settings import Settings

_CONCURRENT = 32  # small jobs


def open_runner(kind: RunnerKind, settings: Settings, warm_up: Job | None = None) -> JobRunner:
    """Return a runner; no process is started before there is a page.

    Falls back to threads if the settings allow no workers, or if the system cannot fork. `warm_up`
    loads what pages need before the first one; it is left out for programs that read a page and
    exit, whose worker loads what that page needs.
    """
    limits = WorkerLimits(
        memory_bytes=settings.read_memory_mb * 1_048_576,
        cpu_seconds=settings.read_cpu_seconds,
        idle_seconds=settings.read_idle_seconds,
    )
    workers = count_workers(settings) if kind == "workers" else count_cores()
    if kind != "threads" and workers > 0 and can_fork():
        return WorkerPool(limits, workers, warm_up if kind == "workers" else None)
    return ThreadRunner(limits, warm_up)


def count_workers(settings: Settings) -> int:
    """Return the maximum number of worker processes."""
    return count_cores() if settings.read_workers is None else settings.read_workers


class ThreadRunner(JobRunner):
    """Runs jobs in threads, large ones one at a time; jobs that may crash run in worker processes.

    For systems without fork, and for debugging. A cancelled job runs to its end, since a thread
    cannot be stopped.
    """

    def __init__(self, limits: WorkerLimits | None = None, warm_up: Job | None = None) -> None:
        """`warm_up` is for the worker processes of isolated jobs."""
        self._limits = limits or WorkerLimits()
        self._warm_up = warm_up
        self._queue = FairQueue(_CONCURRENT)
        self._workers: WorkerPool | None = None

    async def run(self, job: Job) -> bytes:
        if job.isolated:
            if not can_fork():
                raise Unreadable(
                    f"{job.subject} could not be read: documents are read in worker processes, "
                    "which this system cannot fork."
                )
            if self._workers is None:
                self._workers = WorkerPool(self._limits, warm_up=self._warm_up)
            return await self._workers.run(job)
        place = Place(caller(), job.is_large, job.ahead, job.behind)
        await self._queue.enter(place)
        work = asyncio.ensure_future(asyncio.to_thread(run_job, job))

        def leave(_: asyncio.Future[bytes]) -> None:
            if not work.cancelled():
                work.exception()  # mark as retrieved
            self._queue.leave(place)

        # keeps its place until it has ended, even if the caller was cancelled
        work.add_done_callback(leave)
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
