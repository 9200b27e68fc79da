"""Worker processes that are interpreters of their own: each loads everything for itself. For
systems on which no process can be copied.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from contextlib import suppress

from webquarry.read.workers.job import WorkerLimits
from webquarry.read.workers.processes.process import (
    ProcessSource,
    WorkerProcess,
    has_been_waited_for,
    start_interpreter,
)

_SERVE = "webquarry.read.workers.child:serve"
_UNKNOWN_END = 255  # what asyncio says of a process whose end nobody could wait for


class SpawnedProcesses(ProcessSource):
    """Starts interpreters."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits

    async def start(self) -> WorkerProcess:
        pipe = subprocess.PIPE
        return SpawnedProcess(await start_interpreter(_SERVE, self._limits, pipe, pipe))


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
        return has_been_waited_for(self._process)

    def kill(self) -> None:
        if self.has_ended():
            return  # its number may be another one's by now
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                # past asyncio, which would wait for the process twice and lose how it ended
                os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int | None:
        code = await self._process.wait()
        if code == _UNKNOWN_END:
            return None
        return code

    async def aclose(self) -> None:
        self.kill()
        # what nobody has read would keep asyncio from noticing the end
        for number in (0, 1):
            pipe = self._transport.get_pipe_transport(number)
            if pipe is not None:
                pipe.close()
        await self._process.wait()
        self._transport.close()

    def forget(self) -> None:
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
