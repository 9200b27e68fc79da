"""The worker processes of an event loop: started when a page is on its way, ended with the call
that they work for, after some rest, or when they have grown.

There are as many as cores, and for callers who have none as many again (`fair_queue.py`); idle ones
are used again, the last one first, so that the others come to their rest.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
import weakref
from dataclasses import dataclass

from webquarry.caller import LOCAL, caller
from webquarry.clock import get_alarms
from webquarry.errors import WebquarryError
from webquarry.meter import span
from webquarry.read.workers.error_form import explain_failed_program, explain_stop
from webquarry.read.workers.fair_queue import FairQueue, Place
from webquarry.read.workers.job import Job, WorkerLimits
from webquarry.read.workers.limits import lower_priority
from webquarry.read.workers.processes.process import ProcessSource, ProgramFailed
from webquarry.read.workers.runner import JobRunner, can_fork, count_cores
from webquarry.read.workers.worker import Worker

log = logging.getLogger(__name__)

_SLOW_SECONDS = 1.0  # after which a job gives its place to the next, and others the processor


@dataclass(eq=False)
class _Idle:
    """A worker that waits, and until when."""

    worker: Worker
    until: float


class WorkerPool(JobRunner):
    """Worker processes, each for one job at a time."""

    def __init__(self, limits: WorkerLimits | None = None, size: int | None = None) -> None:
        self.limits = limits or WorkerLimits()
        self._processes = choose_processes(self.limits)
        self._queue = FairQueue(size or count_cores())
        self._idle: list[_Idle] = []  # the one used last is the last
        self._rest_timer: asyncio.TimerHandle | None = None
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

    def prepare(self, *, many: bool = False) -> None:
        if not self._alive and not self._starting:
            self._start_another()

    async def aclose(self) -> None:
        self._closed = True
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        if self._rest_timer is not None:
            self._rest_timer.cancel()
        self._idle = []
        workers = list(self._alive)
        self._alive.clear()
        await asyncio.gather(*(worker.aclose() for worker in workers))
        await asyncio.gather(*self._ending, return_exceptions=True)
        await self._processes.aclose()

    def forget(self) -> None:
        """In a fork: the processes belong to the parent."""
        for worker in self._alive:
            worker.forget()
        self._processes.forget()
        self._alive.clear()
        self._idle = []

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that are there."""
        return [worker.pid for worker in self._alive]

    async def _do(self, job: Job, place: Place) -> bytes:
        """Have a job done by a worker that nobody else has."""
        left = 0  # idle workers for others
        if place.caller != LOCAL and self._queue.count_places(place.caller) > 1:
            left = 1
        worker = self._take_idle(left) or await self._take(job, left)
        if place.caller != LOCAL and not self._idle:
            self._start_another()  # for others, so that they need not wait until it has begun
        alarms = get_alarms()
        alarms.plan(place, _SLOW_SECONDS, lambda: self._hold_up(worker, place))
        try:
            return await worker.ask(job)
        finally:
            alarms.call_off(place)
            self._give_back(worker)

    def _hold_up(self, worker: Worker, place: Place) -> None:
        """A job takes long: others go first. A process cannot get back what was taken from it, so
        this is its last job.
        """
        worker.wear_out()
        lower_priority(worker.pid)
        self._queue.mark_slow(place)

    def _take_idle(self, left: int) -> Worker | None:
        """An idle worker, if there are more than so many."""
        while len(self._idle) > left:
            idle = self._idle.pop()
            if idle.worker.usable:
                return idle.worker
            self._end(idle.worker)  # it died while nobody asked it anything
        return None

    async def _take(self, job: Job, left: int) -> Worker:
        """An idle worker, one that is being started, or a new one. Where there are several callers,
        one that has a worker leaves the last idle one to the others.
        """
        while True:
            worker = self._take_idle(left)
            if worker is not None:
                return worker
            if left or not self._starting:
                return await self._start(job)
            await asyncio.wait(self._starting, return_when=asyncio.FIRST_COMPLETED)

    async def _start(self, job: Job) -> Worker:
        """A new worker for a job."""
        if self._closed:
            raise explain_stop(job.subject)
        try:
            process = await self._processes.start()
        except ProgramFailed:
            raise explain_failed_program(job.subject) from None
        except OSError as error:
            raise WebquarryError(
                f"{job.subject} could not be read: no process could be started for it.",
                suggested_action="See how many processes and how much memory this user may have.",
            ) from error
        if self._closed:
            await process.aclose()
            raise explain_stop(job.subject)
        worker = Worker(process, self.limits)
        self._alive.add(worker)
        return worker

    def _start_another(self) -> None:
        """Start a worker that is idle at first, if one can be started."""
        if self._closed or self._starting or len(self._alive) >= self._queue.most:
            return

        async def start() -> None:
            try:
                worker = await self._start(Job("read page"))
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
        """Keep a worker for the next job, or end it if it is of no more use."""
        # whether it has died since is looked at when it is needed
        if not worker.is_worn and not self._closed:
            self._rest(worker)
        else:
            self._end(worker)

    def _rest(self, worker: Worker) -> None:
        """Let a worker wait for the next job, for a while."""
        until = time.monotonic() + self.limits.idle_seconds
        self._idle.append(_Idle(worker, until))
        if self._rest_timer is None:
            self._plan_end_of_rest()

    def _plan_end_of_rest(self) -> None:
        """Look again when the rest of the first is over; one that works then is passed over."""
        self._rest_timer = None
        if self._idle:
            loop = asyncio.get_running_loop()
            seconds = self._idle[0].until - time.monotonic()
            self._rest_timer = loop.call_later(max(0.0, seconds), self._end_rested)

    def _end_rested(self) -> None:
        """End the workers that nobody has asked anything for so long."""
        now = time.monotonic()
        rested = [idle for idle in self._idle if idle.until <= now]
        self._idle = [idle for idle in self._idle if idle.until > now]
        for idle in rested:
            self._end(idle.worker)
        if rested:
            self._rest_if_alone()
        self._plan_end_of_rest()

    def _end(self, worker: Worker) -> None:
        """End a worker, and see to it that it is gone."""
        worker.kill()
        if worker not in self._alive:
            return  # the whole pool is being closed
        self._alive.discard(worker)
        task = asyncio.get_running_loop().create_task(worker.aclose())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        if not self._alive:  # the next one may come soon
            loop = asyncio.get_running_loop()
            loop.call_later(self.limits.idle_seconds, self._rest_if_alone)

    def _rest_if_alone(self) -> None:
        """Keep nothing for further workers where there are none."""
        if not self._alive:
            self._processes.rest()


def choose_processes(limits: WorkerLimits) -> ProcessSource:
    """Copies of a process that has everything loaded, where processes can be copied."""
    if can_fork():
        from webquarry.read.workers.processes.copied import CopiedProcesses

        return CopiedProcesses(limits)
    from webquarry.read.workers.processes.spawned import SpawnedProcesses

    return SpawnedProcesses(limits)


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


def _forget_workers() -> None:
    """In a fork: the workers are the parent's, and so are the loops that they belong to."""
    for pool in list(_pools):
        pool.forget()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
