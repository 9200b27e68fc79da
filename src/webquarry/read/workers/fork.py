"""Jobs in copies of this process, one for each job: for a program that reads a page and ends.

A copy has everything loaded that this process has loaded, so that it costs some milliseconds, where
a worker takes most of a second to start. It is bounded as a worker is, and killed with its call.
Only where the system can fork, and for programs whose other threads hold nothing: ours wait. A job
whose copies hang all the same is given to a worker, so that none is ever done without bounds.
"""

from __future__ import annotations

import asyncio
import gc
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

from webquarry.caller import caller
from webquarry.errors import WebquarryError
from webquarry.read.workers.child import answer_job
from webquarry.read.workers.error_form import explain_end, unpack_error
from webquarry.read.workers.fair_queue import FairQueue, Place
from webquarry.read.workers.frames import BrokenFrame, write_frame
from webquarry.read.workers.job import (
    Job,
    WorkerLimits,
    find_function,
    load_what_pages_need,
)
from webquarry.read.workers.limits import address_bytes, end_with_parent, limit_process
from webquarry.read.workers.pool import WorkerPool
from webquarry.read.workers.runner import JobRunner, count_cores
from webquarry.read.workers.worker import ran_out_of_time, read_answer

_CHUNK = 1 << 18
_TRIES = 3
_LOOK_SECONDS = 0.5
_LONGEST_IMPORT = 10.0  # seconds


class _CopyHangs(Exception):
    """A copy waits for a lock that a thread of ours held when it was made: nobody opens it
    there.
    """


class ForkRunner(JobRunner):
    """Copies of this process."""

    def __init__(self, limits: WorkerLimits | None = None) -> None:
        self._limits = limits or WorkerLimits()
        self._queue = FairQueue(count_cores())
        self._loading: asyncio.Future[None] | None = None
        self._begun: set[str] = set()  # jobs, by name
        self._workers: WorkerPool | None = None

    async def run(self, job: Job) -> bytes:
        # A single page is cheaper where its copy loads no more than it needs; for several, what
        # they need is loaded here, once.
        self.prepare(many=job.name in self._begun)
        self._begun.add(job.name)
        if self._loading is not None:
            await asyncio.shield(self._loading)  # a copy could not load what we are loading
        await asyncio.to_thread(find_function, job.name)
        place = Place(caller(), job.is_large, job.ahead, job.behind)
        await self._queue.enter(place)
        try:
            for _ in range(_TRIES):
                with suppress(_CopyHangs):
                    return await self._do(job)
            return await self._give_to_worker(job)
        finally:
            self._queue.leave(place)

    def prepare(self, *, many: bool = False) -> None:
        if many and self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(load_what_pages_need))

    async def aclose(self) -> None:
        if self._loading is not None:
            await asyncio.wait([self._loading])
        if self._workers is not None:
            await self._workers.aclose()

    async def _give_to_worker(self, job: Job) -> bytes:
        """Have a job done by a process that begins with no lock of ours."""
        if self._workers is None:
            self._workers = WorkerPool(self._limits)
        return await self._workers.run(job)

    async def _do(self, job: Job) -> bytes:
        """Have a job done by a copy."""
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
                raise _CopyHangs
            answer = receiving.result()
        except TimeoutError:
            late = True
        except (BrokenFrame, asyncio.IncompleteReadError, ValueError):
            answer = None
        finally:
            code = _end_copy(process)
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
        """A copy that does a job: its number, and the pipe that its answer comes through."""
        ours, theirs = os.pipe()
        parent = os.getpid()
        try:
            with warnings.catch_warnings():
                # of threads that hold a lock; ours wait for a socket, or for work
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


def _end_copy(process: int) -> int | None:
    """Kill a copy and wait until it is gone. Gives how it ended; None where nobody can say, because
    this program was started with SIGCHLD ignored, or somebody else has waited for the copy.
    """
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        os.waitid(os.P_PID, process, look)  # it is ours still, and its number nobody else's
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
    except (ChildProcessError, ProcessLookupError):
        return None
    return os.waitstatus_to_exitcode(status)


async def _wait_for_imports() -> None:
    """Wait until no thread is in the middle of an import, which a copy could never end."""
    end = time.monotonic() + _LONGEST_IMPORT
    held = vars(_bootstrap).get("_module_locks", {})
    while held and time.monotonic() < end:  # noqa: ASYNC110 - nobody tells when it is empty
        await asyncio.sleep(0.005)


async def _wait_until_hanging(process: int) -> None:
    """Wait until a copy sleeps without having used the processor since the last look: it has
    nothing to wait for but locks. Never, where the system does not tell.
    """
    used = ""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        try:
            state, now = _read_state(process)
        except (OSError, ValueError):
            await asyncio.Future[None]()
            return
        if state == "S" and now == used:
            return
        used = now


def _read_state(process: int) -> tuple[str, str]:
    """The letter that Linux has for what a process is doing, and the time that it has used."""
    stat = Path(f"/proc/{process}/stat").read_text("ascii")
    fields = stat.rpartition(")")[2].split()
    return fields[0], " ".join(fields[11:13])


async def _receive(file: io.FileIO) -> tuple[dict[str, Any], bytes]:
    """The answer that comes through a pipe."""
    stream = asyncio.StreamReader(limit=_CHUNK)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), file)
    try:
        return await read_answer(stream)
    finally:
        transport.close()


def _answer_and_end(job: Job, limits: WorkerLimits, pipe: int, parent: int) -> NoReturn:
    """In the copy: do the job, send its answer, and end without a trace."""
    with suppress(ValueError):  # in another than the main thread
        signal.set_wakeup_fd(-1)
    gc.freeze()  # looking through what was there before would copy all of it
    try:
        end_with_parent(parent)
        outgoing = os.dup2(pipe, 3)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))  # sockets, and whatever else was open
        # beyond what the process has that this is a copy of
        limit_process(address_bytes() + limits.memory_bytes)
        fields = {
            "name": job.name,
            "arguments": job.arguments,
            "cpu_seconds": limits.cpu_seconds,
        }
        head, body = answer_job(json.dumps(fields).encode("ascii"), job.pieces)
        write_frame(io.FileIO(outgoing, "wb"), head, (body,))
    finally:
        os._exit(0)
