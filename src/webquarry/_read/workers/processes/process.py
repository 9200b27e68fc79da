"""Interfaces of a worker process and of what starts it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import Process
from pathlib import Path

import webquarry
from webquarry._read.workers.job import Job, WorkerLimits

# Variables that an interpreter may need to start; no others are passed on.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Numeric libraries start a thread per core otherwise.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_HOME = str(Path(webquarry.__file__).resolve().parent.parent)
_SET_PATH = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
_ARGUMENTS = "(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])"
CHUNK = 1 << 18  # size of writes and of read buffers, in bytes
FAILED_IMPORT = 1  # exit code of Python after an uncaught exception


class ProgramFailed(Exception):
    """The worker process cannot import its code."""


class WorkerProcess(ABC):
    """A worker process with its streams. The owner kills and closes it."""

    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @abstractmethod
    def has_ended(self) -> bool:
        """Whether it has exited, even if the event loop was not notified yet."""

    @abstractmethod
    def kill(self) -> None:
        """Kill it."""

    @abstractmethod
    async def wait(self) -> int | None:
        """Wait for its exit and return the exit code; None if unknown."""

    @abstractmethod
    async def aclose(self) -> None:
        """Kill it, wait for its exit and close its streams."""

    @abstractmethod
    def forget(self) -> None:
        """Close the pipes in a fork of the parent, to which the process does not belong."""


class ProcessSource(ABC):
    """Starts worker processes for one event loop."""

    @abstractmethod
    async def start(self) -> WorkerProcess:
        """Start a process. Raises OSError or ProgramFailed."""

    def release(self) -> None:  # noqa: B027 - optional
        """Release what is kept for the next process; called when none is left."""

    async def aclose(self) -> None:  # noqa: B027 - optional
        """Release everything and wait until it is gone."""

    def forget(self) -> None:  # noqa: B027 - optional
        """Close what belongs to the parent, in a fork of it."""


async def start_interpreter(
    function: str, limits: WorkerLimits, warm_up: Job | None, stdin: int, stdout: int
) -> Process:
    """Start an isolated interpreter with our import path that calls `module:function`."""
    module, _, name = function.partition(":")
    code = f"{_SET_PATH}from {module} import {name}; {name}{_ARGUMENTS}"
    path = dict.fromkeys([_HOME, *filter(None, sys.path)])
    arguments = [
        json.dumps(list(path)),
        str(os.getpid()),
        str(limits.memory_bytes),
        warm_up.reference if warm_up else "",
    ]
    environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", "-c", code, *arguments),
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env=environment | _ONE_THREAD,
        cwd=Path(sys.executable).anchor or None,
        start_new_session=True,  # Ctrl-C goes to the parent only
        limit=CHUNK,
    )


def has_exited(process: Process) -> bool:
    """Whether an asyncio process has exited, even if asyncio was not notified yet."""
    if process.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return False
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        return os.waitid(os.P_PID, process.pid, options) is not None
    except ChildProcessError:  # already reaped
        return True
