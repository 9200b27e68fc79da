"""Who does jobs: worker processes (`pool.py`), a copy of this process for each (`fork.py`), or
threads of this process (`threads.py`). A job goes in, its bytes or its error come out, wherever it
is done.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Literal

from webquarry.read.workers.job import Job

# How the pages of a process are read: `workers` in one that lasts, `fork` in one that reads a page
# and ends, `threads` where neither is wanted or known.
RunnerKind = Literal["workers", "fork", "threads"]


class JobRunner(ABC):
    """Does jobs for the tasks of one event loop."""

    @abstractmethod
    async def run(self, job: Job) -> bytes:
        """What the job gives. When the waiting task is cancelled, so is the job."""

    def prepare(self, *, many: bool = False) -> None:  # noqa: B027 - not everybody has to
        """A page is on its way, or many are: get ready to read, without waiting."""

    @abstractmethod
    async def aclose(self) -> None:
        """End what is being done."""


def count_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether a copy of this process can go on by itself. On macOS it may not use what the system's
    libraries have begun.
    """
    return hasattr(os, "fork") and os.uname().sysname != "Darwin"
