"""Pool of worker processes of one event loop.

A worker is started while a page is being fetched. It ends when its call is cancelled, after an idle
timeout, or when it has grown. There are as many workers as cores, and as many again for callers
that have none (`fair_queue.py`). The most recently used idle worker is reused first.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
import weakref
from dataclasses import dataclass

from webquarry._read.workers.error_form import explain_failed_program, explain_stop
from webquarry._read.workers.fair_queue import FairQueue, Place
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.limits import lower_priority
from webquarry._read.workers.processes import ForkedProcesses, ProgramFailed
from webquarry._read.workers.runner import JobRunner, count_cores
from webquarry._read.workers.worker import Worker
from webquarry.caller import LOCAL, caller
from webquarry.errors import WebquarryError
from webquarry.meter import span

log = logging.getLogger(__name__)

_SLOW_SECONDS = 1.0  # a job that takes longer frees its place in the queue and gets a low priority


@dataclass(eq=False)
class _Idle:
    """An idle worker and the end of its idle timeout."""

    worker: Worker
    until: float


class WorkerPool(JobRunner):
    """Worker processes that run one job at a time each."""

    def __init__(
        self,
        limits: WorkerLimits | None = None,
        size: int | None = None,
        warm_up: Job | None = None,
    ) -> None:
        """`warm_up` is run by the fork server, to load code and data."""
        self.limits = limits or WorkerLimits()
        self._processes = ForkedProcesses(self.limits, warm_up)
        self._queue = FairQueue(size or count_cores())
        self._idle: list[_Idle] = []  # most recently used last
        self._idle_timer: asyncio.TimerHandle | None = None
        self._alive: set[Worker] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False
        _pools.add(self)

    async def run(self, job: Job) -> bytes:
        place = Place(caller(), job.is_large, job.ahead, job.behind)
        if not self._queue.enter_at_once(place):
            await self._queue.enter(place)
        try:
            with span("job", job=job.name):
                return await self._do(job, place)
        finally:
            self._queue.leave(place)

    def prepare(self, pages: int = 1) -> None:
        wanted = min(pages, self._queue.size)
        for _ in range(len(self._alive) + len(self._starting), wanted):
            self._start_another()

    async def aclose(self) -> None:
        self._closed = True
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._idle = []
        workers = list(self._alive)
        self._alive.clear()
        await asyncio.gather(*(worker.aclose() for worker in workers))
        await asyncio.gather(*self._ending, return_exceptions=True)
        await self._processes.aclose()

    def forget(self) -> None:
        """Drop the processes in a fork, where they belong to the parent."""
        for worker in self._alive:
            worker.forget()
        self._processes.forget()
        self._alive.clear()
        self._idle = []

    @property
    def pids(self) -> list[int]:
        """Process IDs of the workers."""
        return [worker.pid for worker in self._alive]

    async def _do(self, job: Job, place: Place) -> bytes:
        """Run a job in a worker."""
        left = 0  # idle workers to leave to other callers
        if place.caller != LOCAL and self._queue.count_places(place.caller) > 1:
            left = 1
        worker = self._take_idle(left) or await self._take(job, left)
        if place.caller != LOCAL and not self._idle and not self._starting:
            self._start_another()  # for other callers, so that they need not wait for it
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_SLOW_SECONDS, self._demote, worker, place)
        try:
            return await worker.ask(job)
        finally:
            timer.cancel()
            self._give_back(worker)

    def _demote(self, worker: Worker, place: Place) -> None:
        """Let others go before a slow job. A process cannot raise its priority again, so this is
        its last job.
        """
        worker.retire()
        lower_priority(worker.pid)
        self._queue.mark_slow(place)

    def _take_idle(self, left: int) -> Worker | None:
        """Take an idle worker if there are more than `left`."""
        while len(self._idle) > left:
            idle = self._idle.pop()
            if idle.worker.usable:
                return idle.worker
            self._end(idle.worker)  # it died while idle
        return None

    async def _take(self, job: Job, left: int) -> Worker:
        """Take an idle worker, one that is being started, or a new one, leaving `left` idle
        workers to other callers.
        """
        while True:
            worker = self._take_idle(left)
            if worker is not None:
                return worker
            if left or not self._starting:
                return await self._start(job.subject)
            await asyncio.wait(self._starting, return_when=asyncio.FIRST_COMPLETED)

    async def _start(self, subject: str) -> Worker:
        """Start a worker; errors are about `subject`."""
        if self._closed:
            raise explain_stop(subject)
        try:
            process = await self._processes.start()
        except ProgramFailed:
            raise explain_failed_program(subject) from None
        except OSError as error:
            raise WebquarryError(
                f"{subject} could not be read: no process could be started for it.",
                suggested_action="See how many processes and how much memory this user may have.",
            ) from error
        if self._closed:
            await process.aclose()
            raise explain_stop(subject)
        worker = Worker(process, self.limits)
        self._alive.add(worker)
        return worker

    def _start_another(self) -> None:
        """Start an idle worker, if there is room for one."""
        if self._closed or len(self._alive) + len(self._starting) >= self._queue.most:
            return

        async def start() -> None:
            try:
                worker = await self._start("The page")
            except WebquarryError as error:
                log.warning("%s", error.message)
                return
            try:
                await worker.load()
            finally:
                self._give_back(worker)

        task = asyncio.create_task(start())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    def _give_back(self, worker: Worker) -> None:
        """Keep a worker for the next job, or end it if it is retired."""
        # whether it is alive is checked when it is taken
        if not worker.is_retired and not self._closed:
            self._keep_idle(worker)
        else:
            self._end(worker)

    def _keep_idle(self, worker: Worker) -> None:
        """Keep a worker until its idle timeout."""
        until = time.monotonic() + self.limits.idle_seconds
        self._idle.append(_Idle(worker, until))
        if self._idle_timer is None:
            self._schedule_timeout()

    def _schedule_timeout(self) -> None:
        """Set the timer for the first idle timeout."""
        self._idle_timer = None
        if self._idle:
            loop = asyncio.get_running_loop()
            seconds = self._idle[0].until - time.monotonic()
            self._idle_timer = loop.call_later(max(0.0, seconds), self._end_idle)

    def _end_idle(self) -> None:
        """End the workers whose idle timeout is over."""
        now = time.monotonic()
        expired = [idle for idle in self._idle if idle.until <= now]
        self._idle = [idle for idle in self._idle if idle.until > now]
        for idle in expired:
            self._end(idle.worker)
        if expired:
            self._release_if_empty()
        self._schedule_timeout()

    def _end(self, worker: Worker) -> None:
        """Kill a worker and close it in the background."""
        worker.kill()
        if worker not in self._alive:
            return  # the pool is being closed
        self._alive.discard(worker)
        task = asyncio.get_running_loop().create_task(worker.aclose())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        if not self._alive:  # the next job may come soon
            loop = asyncio.get_running_loop()
            loop.call_later(self.limits.idle_seconds, self._release_if_empty)

    def _release_if_empty(self) -> None:
        """End the fork server if there are no workers."""
        if not self._alive:
            self._processes.release()


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


def _forget_workers() -> None:
    """Drop all workers in a fork, where they belong to the parent."""
    for pool in list(_pools):
        pool.forget()
    _pools.clear()


os.register_at_fork(after_in_child=_forget_workers)
