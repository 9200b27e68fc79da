"""The fork server and its forks, the worker processes; `child.py` is their side.

    request: one byte and a socket -> fork server -> lines "start PID", later "end PID CODE"

A fork takes milliseconds and shares the memory of loaded code. The fork server is an isolated
interpreter without our environment variables, so that workers inherit no files or sockets except
the connection to the parent. It is killed with the parent, and the forks with it. It reaps the
forks and reports their exit codes.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import webquarry
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.protocol import (
    explain_complexity,
    pack_head,
    read_result,
    unpack_error,
)
from webquarry.errors import WebquarryError

_SERVE = "webquarry._read.workers.child:serve_forks"
# Variables that an interpreter may need to start; no others are passed on.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Numeric libraries start a thread per core otherwise.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_HOME = str(Path(webquarry.__file__).resolve().parent.parent)
_SET_PATH = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
_ARGUMENTS = "(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])"
_BUFFER = 1 << 18  # bytes
_FAILED_IMPORT = 1  # exit code of Python after an uncaught exception
_LOAD_SECONDS = 30
_READ_BYTES = 4096
_SLOW_NICENESS = 10


class ProgramFailed(Exception):
    """The worker process cannot import its code."""


class ForkServer:
    """The fork server, from the parent's side."""

    def __init__(self, limits: WorkerLimits, warm_up: Job | None) -> None:
        """Start it; requests are accepted at once and answered after its warm-up."""
        self._limits = limits
        self._control, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = _start_interpreter(limits, warm_up, theirs.fileno())
            except BaseException:
                self._control.close()
                raise
        self._control.setblocking(False)
        self.is_gone = False
        self._received = b""
        # requests, answered in this order with the process ID and the future exit code
        self._asked: deque[asyncio.Future[tuple[int, asyncio.Future[int | None]]]] = deque()
        self._exits: dict[int, asyncio.Future[int | None]] = {}  # of running forks
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._control.fileno(), self._receive)

    @property
    def pid(self) -> int:
        """Process ID."""
        return self._process.pid

    async def fork(self) -> Worker:
        """Request a worker process and wait for it. Raises OSError or ProgramFailed."""
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):  # fewer context switches per page
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
        asked = self._loop.create_future()
        try:
            with theirs:
                socket.send_fds(self._control, [b"c"], [theirs.fileno()])
            self._asked.append(asked)
            async with asyncio.timeout(_LOAD_SECONDS):
                pid, exited = await asked
            reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_BUFFER)
        except BaseException:
            ours.close()  # the fork exits when its socket is closed
            if self.has_ended() and self._process.wait() == _FAILED_IMPORT:
                raise ProgramFailed from None
            raise
        return Worker(pid, self, exited, reader, writer, self._limits)

    def has_ended(self) -> bool:
        """Whether it has exited, which ends its forks too."""
        return self.is_gone or self._process.poll() is not None

    def close(self) -> None:
        """Kill it, and with it all of its forks. Waiting for its exit takes milliseconds."""
        self._disconnect()
        self._process.kill()
        self._process.wait()

    def _receive(self) -> None:
        """Process its reports."""
        try:
            data = self._control.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.close()
            return
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            word, *numbers = line.split()
            pid = int(numbers[0])
            if word == b"start":
                exited = self._exits[pid] = self._loop.create_future()
                asked = self._asked.popleft()
                if not asked.done():  # cancelled; the fork finds its socket closed
                    asked.set_result((pid, exited))
            elif pid in self._exits:
                self._exits.pop(pid).set_result(int(numbers[1]))

    def _disconnect(self) -> None:
        """Close the connection and resolve all that waits for reports."""
        if self.is_gone:
            return
        self.is_gone = True
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        for asked in self._asked:
            if not asked.done():
                asked.set_exception(OSError("the fork server has ended"))
        for exited in self._exits.values():
            exited.set_result(None)
        self._asked.clear()
        self._exits.clear()


@dataclass(eq=False)
class Worker:
    """A worker process that runs one job at a time. Its owner closes it."""

    pid: int
    _server: ForkServer
    _exited: asyncio.Future[int | None]
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    _limits: WorkerLimits
    is_retired: bool = False  # after the current job

    @property
    def usable(self) -> bool:
        """Whether it is alive and not retired."""
        return not (self.is_retired or self._exited.done() or self._reader.at_eof())

    def demote(self) -> None:
        """Lower its priority, which cannot be raised again, so that the current job is its last."""
        self.is_retired = True
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.pid, _SLOW_NICENESS)

    async def run(self, job: Job) -> bytes:
        """Run a job and return its result. Cancellation kills the process."""
        was_retired = self.is_retired
        started = time.monotonic()
        self.is_retired = True  # until the result is complete: an interrupted stream is unusable
        head = {
            "function": job.reference,
            "arguments": job.arguments,
            "cpu_seconds": self._limits.cpu_seconds,
            "sizes": list(map(len, job.pieces)),
        }
        try:
            async with asyncio.timeout(self._limits.wall_seconds):
                self._writer.writelines([pack_head(head), *job.pieces])
                await self._writer.drain()
                answer, body = await read_result(self._reader)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            raise await self._explain_death(job.subject, started, error) from None
        except BaseException:
            self.kill()
            raise
        is_heavy = int(answer.get("resident", 0)) > self._limits.resident_bytes
        self.is_retired = was_retired or is_heavy or bool(answer.get("last"))
        if "error" in answer:
            raise unpack_error(answer["error"], job.subject)
        return body

    async def _explain_death(
        self, subject: str, started: float, error: Exception
    ) -> WebquarryError:
        """Return the error for a job whose process gave no result."""
        seconds = time.monotonic() - started
        self.kill()
        code = await asyncio.shield(self._exited)
        ran_out = code == -signal.SIGXCPU
        if code is None:  # unknown
            ran_out = seconds >= self._limits.cpu_seconds
        if ran_out or isinstance(error, TimeoutError):
            return explain_complexity(subject, "it takes too long")
        return explain_complexity(subject, "it brings down the program that reads it")

    def kill(self) -> None:
        """Kill the process."""
        self.is_retired = True
        # The ID of a process that was reaped may have been reused. Forks end with their server.
        if not self._exited.done() and not self._server.has_ended():
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)

    async def aclose(self) -> None:
        """Kill the process, wait for its exit and close its socket."""
        self.kill()
        self._writer.close()
        await asyncio.shield(self._exited)
        with suppress(OSError):
            await self._writer.wait_closed()


def _start_interpreter(
    limits: WorkerLimits, warm_up: Job | None, stdin: int
) -> subprocess.Popen[bytes]:
    """Start an isolated interpreter with our import path that runs the fork server.

    Not with asyncio: a cancelled `create_subprocess_exec` may wait forever (Python 3.11).
    """
    module, _, name = _SERVE.partition(":")
    code = f"{_SET_PATH}from {module} import {name}; {name}{_ARGUMENTS}"
    path = dict.fromkeys([_HOME, *filter(None, sys.path)])
    arguments = [
        json.dumps(list(path)),
        str(os.getpid()),
        str(limits.memory_bytes),
        warm_up.reference if warm_up else "",
    ]
    environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-I", "-S", "-c", code, *arguments],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment | _ONE_THREAD,
        cwd=Path(sys.executable).anchor or None,
        start_new_session=True,  # Ctrl-C goes to the parent only
    )
