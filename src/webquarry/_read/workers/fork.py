"""Run each job in a fork of this process, for programs that read a page and exit.

A fork has all loaded code and starts in milliseconds; a worker takes most of a second. It has the
same limits as a worker and is killed when its call is cancelled. A fork may hang on a lock that
another thread held; such a job is tried again, and then run in a worker process.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import time
import warnings
from contextlib import suppress
from importlib import _bootstrap
from pathlib import Path
from typing import Any, NoReturn

from webquarry._read.workers.child import answer_job
from webquarry._read.workers.error_form import explain_end, unpack_error
from webquarry._read.workers.fair_queue import FairQueue, Place
from webquarry._read.workers.frames import BrokenFrame, write_frame
from webquarry._read.workers.job import Job, WorkerLimits, run_job
from webquarry._read.workers.limits import address_bytes, end_with_parent, limit_process
from webquarry._read.workers.pool import WorkerPool
from webquarry._read.workers.runner import JobRunner, count_cores
from webquarry._read.workers.worker import ran_out_of_time, read_answer
from webquarry.caller import caller
from webquarry.errors import WebquarryError

_CHUNK = 1 << 18
_TRIES = 3
_POLL_SECONDS = 0.5
_IMPORT_SECONDS = 10.0  # longest wait for imports of other threads


class _ForkHangs(Exception):
    """A fork waits for a lock that another thread held at the time of the fork."""


class ForkRunner(JobRunner):
    """Runs each job in a fork of this process."""

    def __init__(self, limits: WorkerLimits | None = None, warm_up: Job | None = None) -> None:
        """`warm_up` is run here, once, if there are several jobs of one kind."""
        self._limits = limits or WorkerLimits()
        self._warm_up = warm_up
        self._queue = FairQueue(count_cores())
        self._loading: asyncio.Future[bytes] | None = None
        self._started: set[str] = set()  # names of jobs
        self._workers: WorkerPool | None = None

    async def run(self, job: Job) -> bytes:
        # For a single page, the fork loads only what it needs; for several, everything is loaded
        # here, once.
        self.prepare(many=job.name in self._started)
        self._started.add(job.name)
        if self._loading is not None:
            await asyncio.shield(self._loading)  # a fork would hang on the import locks
        place = Place(caller(), job.is_large, job.ahead, job.behind)
        await self._queue.enter(place)
        try:
            for _ in range(_TRIES):
                with suppress(_ForkHangs):
                    return await self._do(job)
            return await self._give_to_worker(job)
        finally:
            self._queue.leave(place)

    def prepare(self, *, many: bool = False) -> None:
        if many and self._loading is None and self._warm_up is not None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(run_job, self._warm_up))

    async def aclose(self) -> None:
        if self._loading is not None:
            await asyncio.wait([self._loading])
        if self._workers is not None:
            await self._workers.aclose()

    async def _give_to_worker(self, job: Job) -> bytes:
        """Run a job in a worker process, which inherits no locks."""
        if self._workers is None:
            self._workers = WorkerPool(self._limits, warm_up=self._warm_up)
        return await self._workers.run(job)

    async def _do(self, job: Job) -> bytes:
        """Run a job in a fork."""
        await _wait_for_imports()
        process, pipe = self._start(job)
        started = time.monotonic()
        file = io.FileIO(pipe, "rb")
        late = False
        answer: tuple[dict[str, Any], bytes] | None = None
        receiving = asyncio.ensure_future(_receive(file))
        hanging = asyncio.ensure_future(_wait_until_hanging(process))
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                await asyncio.wait([receiving, hanging], return_when=asyncio.FIRST_COMPLETED)
            if not receiving.done():
                raise _ForkHangs
            answer = receiving.result()
        except TimeoutError:
            late = True
        except (BrokenFrame, asyncio.IncompleteReadError, ValueError):
            answer = None
        finally:
            code = _end_fork(process)
            receiving.cancel()
            hanging.cancel()
            await asyncio.wait([receiving, hanging])
            file.close()
        if answer is None:
            seconds = time.monotonic() - started
            is_late = late or ran_out_of_time(code, seconds, self._limits)
            raise explain_end(job.subject, is_late=is_late)
        head, body = answer
        if "error" in head:
            raise unpack_error(head["error"], job.subject)
        return body

    def _start(self, job: Job) -> tuple[int, int]:
        """Fork; returns the process ID and the pipe for the result."""
        ours, theirs = os.pipe()
        parent = os.getpid()
        try:
            with warnings.catch_warnings():
                # about threads that may hold a lock; see the module docstring
                warnings.simplefilter("ignore", DeprecationWarning)
                process = os.fork()
        except OSError as error:
            os.close(ours)
            os.close(theirs)
            raise WebquarryError(
                f"{job.subject} could not be read: no process could be started for it.",
                suggested_action="See how many processes and how much memory this user may have.",
            ) from error
        if not process:
            _answer_and_end(job, self._limits, theirs, parent)
        os.close(theirs)
        return process, ours


def _end_fork(process: int) -> int | None:
    """Kill a fork, wait for it and return its exit code.

    Returns None if that is unknown: SIGCHLD is ignored, or other code has reaped the fork.
    """
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        os.waitid(os.P_PID, process, options)  # raises if the ID may have been reused
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
    except (ChildProcessError, ProcessLookupError):
        return None
    return os.waitstatus_to_exitcode(status)


async def _wait_for_imports() -> None:
    """Wait until no thread is importing: a fork would hang on its lock."""
    end = time.monotonic() + _IMPORT_SECONDS
    held = vars(_bootstrap).get("_module_locks", {})
    while held and time.monotonic() < end:  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.005)


async def _wait_until_hanging(process: int) -> None:
    """Wait until a fork sleeps without having used the CPU since the last poll.

    It can only wait for a lock then. Never returns if the system does not report process states.
    """
    used = ""
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        try:
            state, now = _read_state(process)
        except (OSError, ValueError):
            await asyncio.Future[None]()
            return
        if state == "S" and now == used:
            return
        used = now


def _read_state(process: int) -> tuple[str, str]:
    """Return the state and the CPU time of a process from /proc."""
    stat = Path(f"/proc/{process}/stat").read_text("ascii")
    fields = stat.rpartition(")")[2].split()
    return fields[0], " ".join(fields[11:13])


async def _receive(file: io.FileIO) -> tuple[dict[str, Any], bytes]:
    """Read the result from a pipe."""
    stream = asyncio.StreamReader(limit=_CHUNK)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), file)
    try:
        return await read_answer(stream)
    finally:
        transport.close()


def _answer_and_end(job: Job, limits: WorkerLimits, pipe: int, parent: int) -> NoReturn:
    """In the fork: run the job, send its result and exit."""
    with suppress(ValueError):  # not in the main thread
        signal.set_wakeup_fd(-1)
    try:
        end_with_parent(parent)
        outgoing = os.dup2(pipe, 3)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        # in addition to the memory of the forking process
        limit_process(address_bytes() + limits.memory_bytes)
        fields = {
            "function": job.reference,
            "arguments": job.arguments,
            "cpu_seconds": limits.cpu_seconds,
        }
        head, body = answer_job(json.dumps(fields).encode("ascii"), job.pieces)
        write_frame(io.FileIO(outgoing, "wb"), head, (body,))
    finally:
        os._exit(0)
