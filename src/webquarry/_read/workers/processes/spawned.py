"""Worker processes as new interpreters, for systems without fork."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from contextlib import suppress

from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.processes.process import (
    ProcessSource,
    WorkerProcess,
    has_exited,
    start_interpreter,
)

_SERVE = "webquarry._read.workers.child:serve"
_UNKNOWN_EXIT = 255  # set by asyncio if the process was reaped elsewhere


class SpawnedProcesses(ProcessSource):
    """Starts interpreters."""

    def __init__(self, limits: WorkerLimits, warm_up: Job | None = None) -> None:
        self._limits = limits
        self._warm_up = warm_up

    async def start(self) -> WorkerProcess:
        pipe = subprocess.PIPE
        process = await start_interpreter(_SERVE, self._limits, self._warm_up, pipe, pipe)
        return SpawnedProcess(process)


class SpawnedProcess(WorkerProcess):
    """An interpreter with two pipes."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self.pid = process.pid
        self.reader = process.stdout
        self.writer = process.stdin

    def has_ended(self) -> bool:
        return has_exited(self._process)

    def kill(self) -> None:
        if self.has_ended():
            return  # its ID may have been reused
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                # not by asyncio, which would reap the process twice and lose its exit code
                os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int | None:
        code = await self._process.wait()
        if code == _UNKNOWN_EXIT:
            return None
        return code

    async def aclose(self) -> None:
        self.kill()
        # unread output would keep asyncio from noticing the exit
        for number in (0, 1):
            pipe = self._transport.get_pipe_transport(number)
            if pipe is not None:
                pipe.close()
        await self._process.wait()
        self._transport.close()

    def forget(self) -> None:
        process = self._transport.get_extra_info("subprocess")
        process.returncode = 0  # or its destructor would wait for the parent's child
        for number in (0, 1):
            pipe = self._transport.get_pipe_transport(number)
            if pipe is not None:
                with suppress(OSError, AttributeError, ValueError):
                    os.close(pipe.get_extra_info("pipe").fileno())

    @property
    def _transport(self) -> asyncio.SubprocessTransport:
        """The transport, which `Process` does not expose."""
        transport: asyncio.SubprocessTransport = vars(self._process)["_transport"]
        return transport
