"""Interface of job runners: worker processes (`pool.py`) or threads (`threads.py`)."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Literal

from webquarry._read.workers.job import Job

# `workers` for long-lived processes, `fork` for programs that read a page and exit.
RunnerKind = Literal["workers", "fork", "threads"]


class JobRunner(ABC):
    """Runs jobs for the tasks of one event loop."""

    @abstractmethod
    async def run(self, job: Job) -> bytes:
        """Run a job and return its result. Cancellation cancels the job."""

    def prepare(self, pages: int = 1) -> None:  # noqa: B027 - optional
        """Start to get ready for pages that are being fetched."""

    @abstractmethod
    async def aclose(self) -> None:
        """Cancel running jobs and release resources."""


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether the system has worker processes, which are forks of a fork server."""
    return hasattr(os, "fork")
