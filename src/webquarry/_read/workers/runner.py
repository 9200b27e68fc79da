"""Interface of job runners, and the choice of one: worker processes (`pool.py`) or threads
(`threads.py`).
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal

from webquarry._read.workers.job import Job, WorkerLimits

if TYPE_CHECKING:
    from webquarry.settings import Settings

# `workers` for long-lived processes, `fork` for programs that read a page and exit.
RunnerKind = Literal["workers", "fork", "threads"]


class JobRunner(ABC):
    """Runs jobs for the tasks of one event loop."""

    @abstractmethod
    async def run(self, job: Job) -> bytes:
        """Run a job and return its result. Cancellation cancels the job."""

    def prepare(self) -> None:  # noqa: B027 - optional
        """Start to get ready for a page that is being fetched."""

    @abstractmethod
    async def aclose(self) -> None:
        """Cancel running jobs and release resources."""


def open_runner(kind: RunnerKind, settings: Settings, warm_up: Job | None = None) -> JobRunner:
    """Return a runner; no process is started before there is a page.

    Falls back to threads if the settings allow no workers, or if the system cannot fork. `warm_up`
    loads what pages need before the first one; it is left out for programs that read a page and
    exit, whose worker loads what that page needs.
    """
    limits = WorkerLimits(
        memory_bytes=settings.read_memory_mb * 1_048_576,
        cpu_seconds=settings.read_cpu_seconds,
        idle_seconds=settings.read_idle_seconds,
    )
    workers = count_workers(settings) if kind == "workers" else count_cores()
    if kind != "threads" and workers > 0 and can_fork():
        from webquarry._read.workers.pool import WorkerPool

        return WorkerPool(limits, workers, warm_up if kind == "workers" else None)
    from webquarry._read.workers.threads import ThreadRunner

    return ThreadRunner(limits, warm_up)


def count_workers(settings: Settings) -> int:
    """Return the maximum number of worker processes."""
    if settings.read_workers is None:
        return count_cores()
    return settings.read_workers


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether the system has worker processes, which are forks of a fork server."""
    return hasattr(os, "fork")
