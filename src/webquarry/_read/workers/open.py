"""Open the job runner for an interface."""

from __future__ import annotations

from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.runner import JobRunner, RunnerKind, can_fork, count_cores
from webquarry.settings import Settings


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
