"""One worker process, from the parent's side: send a job, return its result or raise its error.

The process inherits no environment variables, files or sockets except the connection to the parent
(`processes.py` starts it). Cancelling a job kills the process.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from contextlib import suppress
from typing import Any

from webquarry._read.workers.error_form import explain_end, explain_failed_program, unpack_error
from webquarry._read.workers.frames import SINGLE, START, BrokenFrame, pack_start, unpack_single
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.processes import CHUNK, FAILED_IMPORT, WorkerProcess
from webquarry.errors import WebquarryError

_LOAD_SECONDS = 30


async def read_answer(stream: asyncio.StreamReader) -> tuple[dict[str, Any], bytes]:
    """Read the head and the body of a result."""
    head_size, body_size = unpack_single(await stream.readexactly(SINGLE.size))
    answer = json.loads((await stream.readexactly(head_size)).decode())
    if not isinstance(answer, dict):
        raise BrokenFrame("the head of a result must be an object")
    return answer, await stream.readexactly(body_size)


def ran_out_of_time(code: int | None, seconds: float, limits: WorkerLimits) -> bool:
    """Whether a process without a result hit its CPU limit: by its exit code, or by the elapsed
    time if that is unknown.
    """
    if code is None:
        return seconds >= limits.cpu_seconds
    return code == -signal.SIGXCPU


class Worker:
    """A process that runs one job at a time."""

    def __init__(self, process: WorkerProcess, limits: WorkerLimits) -> None:
        self._process = process
        self._limits = limits
        self._retired = False
        self._is_ready = False
        self.jobs = 0

    @property
    def pid(self) -> int:
        """Process ID."""
        return self._process.pid

    @property
    def is_retired(self) -> bool:
        """Whether it must not be used again."""
        return self._retired

    @property
    def usable(self) -> bool:
        """Whether it is alive and not retired."""
        if self._retired or self._process.reader.at_eof():
            return False
        return not self._process.has_ended()

    async def load(self) -> None:
        """Wait until it is ready, or has died (see `usable`)."""
        with suppress(OSError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_LOAD_SECONDS):
                await self._read_ready()

    def retire(self) -> None:
        """Do not use it again after the current job."""
        self._retired = True

    async def ask(self, job: Job) -> bytes:
        """Run a job and return its result. Cancellation kills the process."""
        was_retired = self._retired
        started = time.monotonic()
        self._retired = True  # until the result is complete: an interrupted stream is unusable
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
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
        self._retired = was_retired or is_heavy or is_old or bool(answer.get("last"))
        if "error" in answer:
            raise unpack_error(answer["error"], job.subject)
        return body

    async def _exchange(self, job: Job) -> tuple[dict[str, Any], bytes]:
        """Send a job and read its result."""
        to_worker = self._process.writer
        head = {
            "function": job.reference,
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
            # in chunks, because asyncio copies what the pipe does not take at once
            whole = memoryview(piece)
            for start in range(0, len(piece), CHUNK):
                to_worker.write(whole[start : start + CHUNK])
                await to_worker.drain()
        if not self._is_ready:
            await self._read_ready()
        return await read_answer(self._process.reader)

    async def _read_ready(self) -> None:
        """Read the empty frame that the process sends when it is ready."""
        await self._process.reader.readexactly(START.size)
        self._is_ready = True

    def kill(self) -> None:
        """Kill the process."""
        self._retired = True
        self._process.kill()

    async def aclose(self) -> None:
        """Kill the process and wait for its exit."""
        self._retired = True
        await self._process.aclose()

    def forget(self) -> None:
        """Close the pipes in a fork of the parent."""
        self._process.forget()

    async def _explain_death(self, subject: str, seconds: float, late: bool) -> WebquarryError:
        """Return the error for a job whose process gave no result."""
        self.kill()
        code = await self._process.wait()
        if code == FAILED_IMPORT:
            return explain_failed_program(subject)
        is_late = late or ran_out_of_time(code, seconds, self._limits)
        return explain_end(subject, is_late=is_late)
