"""One warm worker process: a job goes in, its bytes come out, or an error of ours.

The process sees none of our environment and none of our files and sockets: it gets two pipes and
the places to import from. Whoever is called off while it works leaves it dead; `aclose` leaves
neither a process nor a pipe behind.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from asyncio.subprocess import Process
from contextlib import suppress
from pathlib import Path
from typing import Any

import webquarry
from webquarry.errors import WebquarryError
from webquarry.read.workers.error_form import explain_end, unpack_error
from webquarry.read.workers.frames import (
    START,
    BrokenFrame,
    pack_start,
    unpack_lengths,
    unpack_start,
)
from webquarry.read.workers.job import Job, WorkerLimits

_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[3]); "
    "from webquarry.read.workers.child import serve; serve(int(sys.argv[1]), int(sys.argv[2]))"
)
# What an interpreter may need in order to start at all; nothing else of the environment is passed
# on.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Libraries for numbers would start a thread for each core, and take room for it.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_HOME = str(Path(webquarry.__file__).resolve().parent.parent)
_LOAD_SECONDS = 30
_UNKNOWN_END = 255  # what asyncio says of a process whose end nobody could wait for
_CHUNK = 1 << 18  # bytes that are written, or kept unread, at once


async def read_answer(stream: asyncio.StreamReader) -> tuple[dict[str, Any], bytes]:
    """The head and the body of the answer to a job."""
    head_size, lengths_size = unpack_start(await stream.readexactly(START.size))
    lengths = unpack_lengths(await stream.readexactly(lengths_size))
    answer = json.loads(await stream.readexactly(head_size))
    if not isinstance(answer, dict) or len(lengths) != 1:
        raise BrokenFrame("an answer is an object and one piece")
    return answer, await stream.readexactly(lengths[0])


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

    def __init__(self, process: Process, limits: WorkerLimits) -> None:
        self._process = process
        self._limits = limits
        self._worn = False
        self._ready = False
        self.jobs = 0

    @classmethod
    async def start(cls, limits: WorkerLimits) -> Worker:
        """A new process. It is an isolated interpreter that imports from where we do, and from the
        folder we stand in only if we live there.
        """
        places = dict.fromkeys([_HOME, *filter(None, sys.path)])
        arguments = [str(os.getpid()), str(limits.memory_bytes), json.dumps(list(places))]
        environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", "-c", _START, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | _ONE_THREAD,
            cwd=Path(sys.executable).anchor or None,
            start_new_session=True,  # Ctrl-C is for us, and we end the process
            limit=_CHUNK,
        )
        return cls(process, limits)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it is alive and has not yet had its fill."""
        assert self._process.stdout is not None
        if self._worn or self._process.returncode is not None:
            return False
        return not self._process.stdout.at_eof() and not self._has_ended()

    def _has_ended(self) -> bool:
        """Whether the process is gone, also where asyncio has not heard of it yet."""
        if not hasattr(os, "waitid"):
            return False
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.pid, look) is not None
        except ChildProcessError:  # somebody has waited for it
            return True

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
        self._worn = was_worn or is_heavy or is_old or bool(answer.get("last"))
        if "error" in answer:
            raise unpack_error(answer["error"], job.subject)
        return body

    async def _exchange(self, job: Job) -> tuple[dict[str, Any], bytes]:
        """Send a job, and read its answer."""
        to_worker = self._process.stdin
        from_worker = self._process.stdout
        assert to_worker is not None
        assert from_worker is not None
        head = {
            "name": job.name,
            "arguments": job.arguments,
            "cpu_seconds": self._limits.cpu_seconds,
        }
        packed = json.dumps(head).encode("ascii")
        to_worker.write(pack_start(packed, job.pieces) + packed)
        for piece in job.pieces:
            # some of it at a time, because what the pipe does not take at once is copied
            for start in range(0, len(piece), _CHUNK):
                to_worker.write(piece[start : start + _CHUNK])
                await to_worker.drain()
        await self._read_ready()
        return await read_answer(from_worker)

    async def _read_ready(self) -> None:
        """Wait for the empty frame by which a process says that it is ready, once."""
        assert self._process.stdout is not None
        if not self._ready:
            await self._process.stdout.readexactly(START.size)
            self._ready = True

    def kill(self) -> None:
        """End the process, whatever it is at."""
        self._worn = True
        if self._process.returncode is not None or self._has_ended():
            return  # its number may be another one's by now
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                # past asyncio, which would wait for the process twice and lose how it ended
                os.kill(self.pid, signal.SIGKILL)

    async def aclose(self) -> None:
        """End the process and wait until it is gone."""
        self.kill()
        # what nobody has read would keep asyncio from noticing the end
        for number in (0, 1):
            pipe = self._transport.get_pipe_transport(number)
            if pipe is not None:
                pipe.close()
        await self._process.wait()
        self._transport.close()

    def forget(self) -> None:
        """In a fork: let go of the pipes; the process is the other side's."""
        process = self._transport.get_extra_info("subprocess")
        process.returncode = 0  # or its destructor would wait for a child that is not ours
        for number in (0, 1):
            pipe = self._transport.get_pipe_transport(number)
            if pipe is not None:
                with suppress(OSError, AttributeError, ValueError):
                    os.close(pipe.get_extra_info("pipe").fileno())

    @property
    def _transport(self) -> asyncio.SubprocessTransport:
        """What asyncio has of the process, which `Process` keeps to itself."""
        transport: asyncio.SubprocessTransport = vars(self._process)["_transport"]
        return transport

    async def _explain_death(self, subject: str, seconds: float, late: bool) -> WebquarryError:
        """The error about a job whose process gave no answer in so many seconds."""
        self.kill()
        code: int | None = await self._process.wait()
        if code == _UNKNOWN_END:
            code = None
        if code == 1:  # how Python ends when it cannot even import
            return WebquarryError(f"{subject} could not be read: the program that reads it failed.")
        is_late = late or ran_out_of_time(code, seconds, self._limits)
        return explain_end(subject, is_late=is_late)
