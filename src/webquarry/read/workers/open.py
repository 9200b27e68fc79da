"""The settings and the kind of runner that a door wants -> the runner that it gets."""

from __future__ import annotations

from webquarry.read.workers.job import WorkerLimits
from webquarry.read.workers.runner import JobRunner, RunnerKind, can_fork, count_cores
from webquarry.settings import Settings


def open_runner(kind: RunnerKind, settings: Settings) -> JobRunner:
    """Nothing is started before there is a page. With no workers by the settings, and where no
    process can be copied, pages are read in threads.
    """
    limits = WorkerLimits(
        memory_bytes=settings.read_memory_mb * 1_048_576,
        cpu_seconds=settings.read_cpu_seconds,
        idle_seconds=settings.read_idle_seconds,
    )
    workers = count_workers(settings)
    if kind == "workers" and workers > 0:
        from webquarry.read.workers.pool import WorkerPool

        return WorkerPool(limits, workers)
    if kind == "fork" and can_fork():
        from webquarry.read.workers.fork import ForkRunner

        return ForkRunner(limits)
    from webquarry.read.workers.threads import ThreadRunner

    return ThreadRunner(limits)


def count_workers(settings: Settings) -> int:
    """How many processes read pages, at most."""
    if settings.read_workers is None:
        return count_cores()
    return settings.read_workers
