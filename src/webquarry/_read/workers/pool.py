"""Pool of worker processes of one event loop, and the queue of their jobs.

A worker is started while a page is being fetched. It ends when its call is cancelled, after an idle
timeout, or when it has grown. There are as many workers as cores, and as many again for callers
that have none. The most recently used idle worker is reused first.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from webquarry._read.workers.job import (
    Job,
    JobRunner,
    RunnerKind,
    WorkerLimits,
    can_fork,
    count_cores,
    run_job,
)
from webquarry._read.workers.processes import ForkServer, ProgramFailed, Worker
from webquarry._read.workers.protocol import explain_complexity
from webquarry.caller import LOCAL, caller
from webquarry.errors import Unreadable, WebquarryError
from webquarry.meter import span
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_CONCURRENT = 32  # small jobs
_SLOW_SECONDS = 1.0  # a job that takes longer frees its place in the queue and gets a low priority


@dataclass(eq=False)
class Place:
    """The right of one job to run."""

    caller: str
    is_large: bool = False
    ahead: bool = False
    is_slow: bool = False
    granted: asyncio.Future[None] = field(init=False, repr=False)


class FairQueue:
    """Grants places to the jobs of several callers, for one event loop.

    There are `size` places for quick jobs, and as many again for slow jobs and for callers that
    have no place, so that no caller waits for the hostile pages of another. The last free place is
    reserved for a caller without one. The caller with the fewest places comes first, each with its
    jobs in order.

    Large jobs of one caller run one at a time: each takes up to thirty times its size in memory.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.most = 2 * size
        self._taken: set[Place] = set()
        self._waiting: dict[Place, None] = {}  # in their order

    async def enter(self, place: Place) -> None:
        """Wait for a place, and take it."""
        place.granted = asyncio.get_running_loop().create_future()
        if place.ahead:
            self._waiting = {place: None, **self._waiting}
        else:
            self._waiting[place] = None
        self._grant_places()
        try:
            await place.granted
        except asyncio.CancelledError:
            self._waiting.pop(place, None)
            self.leave(place)  # it may have been granted just before
            raise

    def leave(self, place: Place) -> None:
        """Free the place for waiting jobs."""
        self._taken.discard(place)
        self._grant_places()

    def mark_slow(self, place: Place) -> None:
        """Let another job start while this one, which takes long, is running."""
        place.is_slow = True
        self._grant_places()

    def count_places(self, caller: str) -> int:
        """Return the number of places that a caller has."""
        return sum(taken.caller == caller for taken in self._taken)

    def _may_begin(self, place: Place) -> bool:
        """Whether this job may start now."""
        own = [taken for taken in self._taken if taken.caller == place.caller]
        if place.is_large and any(taken.is_large for taken in own):
            return False
        free = self.most - len(self._taken)
        if not own:
            return free > 0
        quick = sum(not taken.is_slow for taken in self._taken)
        return quick < self.size and free > 1

    def _grant_places(self) -> None:
        """Start waiting jobs; a small one passes large ones of its caller."""
        while True:
            # a cancelled one waits until its task has run
            waiting = [one for one in self._waiting if not one.granted.done()]
            ready = filter(self._may_begin, waiting)
            place = min(ready, key=lambda one: self.count_places(one.caller), default=None)
            if place is None:
                return
            del self._waiting[place]
            self._taken.add(place)
            place.granted.set_result(None)


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
        self._warm_up = warm_up
        self._queue = FairQueue(size or count_cores())
        self._server: ForkServer | None = None  # from the first worker to the last
        self._forking = 0  # requests for workers
        self._alive: set[Worker] = set()
        self._idle: dict[Worker, asyncio.TimerHandle] = {}  # most recently used last
        self._starting: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def run(self, job: Job) -> bytes:
        place = Place(caller(), job.is_large, job.ahead)
        await self._queue.enter(place)
        try:
            with span("job", job=job.name):
                return await self._run(job, place)
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
        for timer in self._idle.values():
            timer.cancel()
        self._idle.clear()
        workers = list(self._alive)
        self._alive.clear()
        await asyncio.gather(*(worker.aclose() for worker in workers))
        await asyncio.gather(*self._ending, return_exceptions=True)
        self._end_server()

    @property
    def pids(self) -> list[int]:
        """Process IDs of the workers."""
        return [worker.pid for worker in self._alive]

    @property
    def server_pid(self) -> int | None:
        """Process ID of the fork server, if it is running."""
        return None if self._server is None else self._server.pid

    async def _run(self, job: Job, place: Place) -> bytes:
        """Run a job in an idle worker, one that is being started, or a new one."""
        left = 0  # idle workers to leave to other callers
        if place.caller != LOCAL and self._queue.count_places(place.caller) > 1:
            left = 1
        worker = self._take_idle(left)
        while worker is None:
            if left or not self._starting:
                worker = await self._start(job.subject)
            else:
                await asyncio.wait(self._starting, return_when=asyncio.FIRST_COMPLETED)
                worker = self._take_idle(left)
        if place.caller != LOCAL and not self._idle and not self._starting:
            self._start_another()  # for other callers, so that they need not wait for it
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_SLOW_SECONDS, self._demote, worker, place)
        try:
            return await worker.run(job)
        finally:
            timer.cancel()
            self._release(worker)

    def _demote(self, worker: Worker, place: Place) -> None:
        """Let others go before a slow job."""
        worker.demote()
        self._queue.mark_slow(place)

    def _take_idle(self, left: int) -> Worker | None:
        """Take an idle worker if there are more than `left`."""
        while len(self._idle) > left:
            worker, timer = self._idle.popitem()
            timer.cancel()
            if worker.usable:
                return worker
            self._end(worker)  # it died while idle
        return None

    async def _start(self, subject: str) -> Worker:
        """Start a worker; errors are about `subject`."""
        stopped = WebquarryError(f"Reading {subject} was stopped.", suggested_action="Call again.")
        if self._closed:
            raise stopped
        self._forking += 1
        try:
            worker = await self._open_server().fork()
        except ProgramFailed:
            raise WebquarryError(
                f"{subject} could not be read: the program that reads it failed."
            ) from None
        except OSError as error:
            if self._closed:
                raise stopped from None
            raise WebquarryError(
                f"{subject} could not be read: no process could be started for it.",
                suggested_action="Check the process and memory limits of this user.",
            ) from error
        finally:
            self._forking -= 1
        if self._closed:
            await worker.aclose()
            raise stopped
        self._alive.add(worker)
        return worker

    def _open_server(self) -> ForkServer:
        """Return the fork server; a new one if it has ended."""
        if self._server is not None and self._server.has_ended():
            self._end_server()
        if self._server is None:
            self._server = ForkServer(self.limits, self._warm_up)
        return self._server

    def _start_another(self) -> None:
        """Start an idle worker, if there is room for one."""
        if self._closed or len(self._alive) + len(self._starting) >= self._queue.most:
            return

        async def start() -> None:
            try:
                worker = await self._start("The page")
            except WebquarryError as error:  # the job that needs a worker raises it again
                log.debug("%s", error.message)
                return
            self._release(worker)

        task = asyncio.create_task(start())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    def _release(self, worker: Worker) -> None:
        """Keep a worker until its idle timeout, or end it if it is retired."""
        # whether it is alive is checked when it is taken
        if worker.is_retired or self._closed:
            self._end(worker)
            return

        def end_idle() -> None:
            del self._idle[worker]
            self._end(worker)
            self._end_unused_server()

        loop = asyncio.get_running_loop()
        self._idle[worker] = loop.call_later(self.limits.idle_seconds, end_idle)

    def _end(self, worker: Worker) -> None:
        """Kill a worker and close it in the background."""
        worker.kill()
        if worker not in self._alive:
            return  # the pool is being closed
        self._alive.discard(worker)
        loop = asyncio.get_running_loop()
        task = loop.create_task(worker.aclose())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        if not self._alive:  # the next job may come soon
            loop.call_later(self.limits.idle_seconds, self._end_unused_server)

    def _end_unused_server(self) -> None:
        if not self._alive and not self._forking:
            self._end_server()

    def _end_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


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
        place = Place(caller(), job.is_large, job.ahead)
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
