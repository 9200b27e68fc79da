"""A process that works for us, as its owner sees it, and who starts such processes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import Process
from pathlib import Path
from typing import Protocol

import webquarry
from webquarry.read.workers.job import WorkerLimits

# What an interpreter may need in order to start at all; nothing else of the environment is passed
# on.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Libraries for numbers would start a thread for each core, and take room for it.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_HOME = str(Path(webquarry.__file__).resolve().parent.parent)
_SET_PATH = "import sys, json; sys.path[:] = json.loads(sys.argv[3]); "
_PARENT_AND_MEMORY = "(int(sys.argv[1]), int(sys.argv[2]))"
CHUNK = 1 << 18  # bytes that are written, or kept unread, at once
FAILED_IMPORT = 1  # how Python ends when it cannot even import


class ProgramFailed(Exception):
    """The program that reads pages cannot be loaded."""


class ByteReader(Protocol):
    """What a process says, as a StreamReader of asyncio has it."""

    def at_eof(self) -> bool: ...

    async def readexactly(self, n: int, /) -> bytes: ...


class ByteWriter(Protocol):
    """What a process is told, as a StreamWriter of asyncio has it."""

    def write(self, data: bytes | memoryview, /) -> None: ...

    async def drain(self) -> None: ...


class WorkerProcess(ABC):
    """A process that answers over a stream; whoever has it kills it and closes it."""

    pid: int
    reader: ByteReader
    writer: ByteWriter

    @abstractmethod
    def has_ended(self) -> bool:
        """Whether it is gone, also where the loop has not heard of it yet."""

    @abstractmethod
    def kill(self) -> None:
        """End it, whatever it is at."""

    @abstractmethod
    async def wait(self) -> int | None:
        """How it ended, once it has; None where nobody can say."""

    @abstractmethod
    async def aclose(self) -> None:
        """End it, and leave neither a process nor a pipe behind."""

    @abstractmethod
    def forget(self) -> None:
        """In a fork: let go of the pipes; the process is the other side's."""


class ProcessSource(ABC):
    """Starts worker processes for one event loop."""

    @abstractmethod
    async def start(self) -> WorkerProcess:
        """A new one. Raises OSError where none can be started, and ProgramFailed."""

    def rest(self) -> None:  # noqa: B027 - not everybody has to
        """No process of its is left: give up what is kept for the next."""

    async def aclose(self) -> None:  # noqa: B027 - not everybody has to
        """Give up what is kept, and wait until it is gone."""

    def forget(self) -> None:  # noqa: B027 - not everybody has to
        """In a fork: let go of what is the other side's."""


async def start_interpreter(
    function: str, limits: WorkerLimits, stdin: int, stdout: int
) -> Process:
    """A new interpreter that calls a function of ours. It is isolated, imports from where we do,
    and from the folder we stand in only if we live there.
    """
    module, _, name = function.partition(":")
    code = f"{_SET_PATH}from {module} import {name}; {name}{_PARENT_AND_MEMORY}"
    places = dict.fromkeys([_HOME, *filter(None, sys.path)])
    arguments = [str(os.getpid()), str(limits.memory_bytes), json.dumps(list(places))]
    environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", "-c", code, *arguments),
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env=environment | _ONE_THREAD,
        cwd=Path(sys.executable).anchor or None,
        start_new_session=True,  # Ctrl-C is for us, and we end the process
        limit=CHUNK,
    )


def has_been_waited_for(process: Process) -> bool:
    """Whether a process of asyncio's is gone, also where asyncio has not heard of it yet."""
    if process.returncode is not None:
        return True
    if not hasattr(os, "waitid"):
        return False
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        return os.waitid(os.P_PID, process.pid, look) is not None
    except ChildProcessError:  # somebody has waited for it
        return True
