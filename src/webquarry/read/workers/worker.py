"""One warm worker process: a job goes in, its bytes come out, or an error of ours.

The process sees none of our environment and none of our files and sockets: it gets a way to us and
the places to import from (`processes/` starts it). Whoever is called off while it works leaves it
dead; `aclose` leaves neither a process nor a pipe behind.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from contextlib import suppress
from typing import Any

from webquarry.clock import TimeLimit
from webquarry.errors import WebquarryError
from webquarry.read.workers.error_form import explain_end, explain_failed_program, unpack_error
from webquarry.read.workers.frames import SINGLE, START, BrokenFrame, pack_start, unpack_single
from webquarry.read.workers.job import Job, WorkerLimits
from webquarry.read.workers.processes.process import (
    CHUNK,
    FAILED_IMPORT,
    ByteReader,
    WorkerProcess,
)

_LOAD_SECONDS = 30


async def read_answer(stream: ByteReader) -> tuple[dict[str, Any], bytes]:
    """The head and the body of the answer to a job."""
    head_size, body_size = unpack_single(await stream.readexactly(SINGLE.size))
    answer = json.loads((await stream.readexactly(head_size)).decode())
    if not isinstance(answer, dict):
        raise BrokenFrame("an answer is an object and one piece")
    return answer, await stream.readexactly(body_size)


def ran_out_of_time(code: int | None, seconds: float, limits: WorkerLimits) -> bool:
    """Whether a process that gave no answer was ended for the time that it used: by how it ended;
    by how long it took where that is not known.
    """
    if sys.platform == "win32":
        return False
    if code is None:
        return seconds >= limits.cpu_seconds
    return code == -signal.SIGXCPU


class Worker:
    """A process that does one job at a time."""

    def __init__(self, process: WorkerProcess, limits: WorkerLimits) -> None:
        self._process = process
        self._limits = limits
        self._worn = False
        self._is_ready = False
        self.jobs = 0

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_worn(self) -> bool:
        """Whether it has had its fill, or was interrupted."""
        return self._worn

    @property
    def usable(self) -> bool:
        """Whether it is alive and has not yet had its fill."""
        if self._worn or self._process.reader.at_eof():
            return False
        return not self._process.has_ended()

    async def load(self) -> None:
        """Wait until it has loaded what it needs; whether it has died instead is told by
        `usable`.
        """
        with suppress(OSError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_LOAD_SECONDS):
                await self._read_ready()

    def wear_out(self) -> None:
        """Use it no more after its job."""
        self._worn = True

    async def ask(self, job: Job) -> bytes:
        """What the process makes of a job. When this is cancelled, it is killed."""
        was_worn = self._worn
        started = time.monotonic()
        self._worn = True  # until it has answered: whoever is interrupted leaves half a frame
        try:
            with TimeLimit(self._limits.wall_seconds, TimeoutError):
                answer, body = await self._exchange(job)
        except (OSError, BrokenFrame, asyncio.IncompleteReadError, ValueError) as error:
            seconds = time.monotonic() - started
            late = isinstance(error, TimeoutError)
            raise await self._explain_death(job.subject, seconds, late) from None
        except BaseException:
            self.kill()
            raise
        self.jobs += 1
        is_heavy = int(answer.get("resident", 0)) > self._limits.resident_bytes
        is_old = self.jobs >= self._limits.jobs
        self._worn = was_worn or is_heavy or is_old or bool(answer.get("last"))
        if "error" in answer:
            raise unpack_error(answer["error"], job.subject)
        return body

    async def _exchange(self, job: Job) -> tuple[dict[str, Any], bytes]:
        """Send a job, and read its answer."""
        to_worker = self._process.writer
        head = {
            "name": job.name,
            "arguments": job.arguments,
            "cpu_seconds": self._limits.cpu_seconds,
        }
        packed = json.dumps(head).encode("ascii")
        pieces = job.pieces
        start_bytes = pack_start(packed, pieces) + packed
        if sum(map(len, pieces)) <= CHUNK:
            to_worker.write(b"".join((start_bytes, *pieces)))
            pieces = ()
        else:
            to_worker.write(start_bytes)
        for piece in pieces:
            # some of it at a time, because what the pipe does not take at once is copied
            whole = memoryview(piece)
            for start in range(0, len(piece), CHUNK):
                to_worker.write(whole[start : start + CHUNK])
                await to_worker.drain()
        if not self._is_ready:
            await self._read_ready()
        return await read_answer(self._process.reader)

    async def _read_ready(self) -> None:
        """Wait for the empty frame by which a process says that it is ready, once."""
        await self._process.reader.readexactly(START.size)
        self._is_ready = True

    def kill(self) -> None:
        """End the process, whatever it is at."""
        self._worn = True
        self._process.kill()

    async def aclose(self) -> None:
        """End the process and wait until it is gone."""
        self._worn = True
        await self._process.aclose()

    def forget(self) -> None:
        """In a fork: let go of the pipes; the process is the other side's."""
        self._process.forget()

    async def _explain_death(self, subject: str, seconds: float, late: bool) -> WebquarryError:
        """The error about a job whose process gave no answer in so many seconds."""
        self.kill()
        code = await self._process.wait()
        if code == FAILED_IMPORT:
            return explain_failed_program(subject)
        is_late = late or ran_out_of_time(code, seconds, self._limits)
        return explain_end(subject, is_late=is_late)
