"""Resource limits that the operating system enforces on the calling process, where it has them."""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
import time
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_SMALL_PEAK = 128 << 20  # bytes; below it, the peak is reported instead of the current size
_SLOW_NICENESS = 10


def limit_process(memory_bytes: int) -> None:
    """Limit the address space; forbid core files, writing to files and new processes.

    SIGXCPU gets its default action, which may have been changed by the parent.
    """
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGXCPU])
    _lower_limit(resource.RLIMIT_AS, memory_bytes)
    _lower_limit(resource.RLIMIT_CORE, 0)
    _lower_limit(resource.RLIMIT_FSIZE, 0)
    _lower_limit(resource.RLIMIT_NPROC, 0)


def limit_cpu(cpu_seconds: int) -> None:
    """Limit the CPU time of the process over its whole lifetime."""
    _lower_limit(resource.RLIMIT_CPU, cpu_seconds)


def measure_use() -> tuple[float, int]:
    """Return the CPU time used so far, and the resident memory.

    The latter is the peak if that is small, or if the current value is unknown.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss
    if sys.platform != "darwin":
        peak *= 1024
    if peak > _SMALL_PEAK:
        with suppress(OSError, ValueError, IndexError):
            return used, _read_resident()
    return used, peak


def _read_resident() -> int:
    """Return the resident memory from /proc."""
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        fields = os.read(descriptor, 200).split()
    finally:
        os.close(descriptor)
    return int(fields[1]) * resource.getpagesize()


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends (Linux); exit now if it has."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def lower_priority(process: int) -> None:
    """Raise the niceness of a process."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, _SLOW_NICENESS)


def set_batch_scheduling() -> None:
    """Do not preempt the parent, which serves other requests, when a job arrives (Linux)."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _lower_limit(kind: int, wanted: int) -> None:
    """Set a soft limit, at most to the hard limit. Some systems cannot set some limits."""
    now, hard = resource.getrlimit(kind)
    soft = wanted
    if hard != resource.RLIM_INFINITY:
        soft = min(wanted, hard)
    if soft == now:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (soft, hard))


class JobMeter:
    """Limits the CPU time of each job of this process, and measures its memory afterwards."""

    def __init__(self) -> None:
        self._used = time.process_time()
        self._limit = 0

    def limit_next(self, cpu_seconds: float) -> None:
        """Set the CPU limit before a job: the time used so far is added."""
        limit = math.ceil(self._used + cpu_seconds)
        if limit != self._limit:  # whole seconds: usually unchanged
            limit_cpu(limit)
            self._limit = limit

    def measure_memory(self) -> int:
        """Return the resident memory after a job, in bytes."""
        self._used, resident = measure_use()
        return resident
