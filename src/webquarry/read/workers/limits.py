"""What the operating system is asked to enforce on the process that calls this. Nothing where it
knows no such limits.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from contextlib import suppress

_PR_SET_PDEATHSIG = 1
_ENOUGH_TO_LOOK = 128 << 20  # bytes; how much of its peak a smaller process holds is not asked
_SLOW_NICENESS = 10

if sys.platform == "win32":

    def limit_process(memory_bytes: int) -> None:
        """Windows has no such limits; the parent's clock is the only one there."""

    def limit_processor(cpu_seconds: int) -> None:
        """Windows has no such limits."""

    def measure_use() -> tuple[float, int]:
        """Not known; the number of jobs decides when a process is replaced."""
        return 0.0, 0

    def address_bytes() -> int:
        """Not known."""
        return 0

    def end_with_parent(parent: int) -> None:
        """Windows has no such wish; the end of the pipe is noticed between two jobs."""

    def lower_priority(process: int) -> None:
        """Left as it is."""

    def interrupt_nobody() -> None:
        """Left as it is."""

else:
    import resource

    def limit_process(memory_bytes: int) -> None:
        """Once: so much address space, no core file, nothing written to any file, no process
        started; and the end of its time ends it, whatever it inherited.
        """
        with suppress(ValueError):  # in another than the main thread
            signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGXCPU])
        _lower_limit(resource.RLIMIT_AS, memory_bytes)
        _lower_limit(resource.RLIMIT_CORE, 0)
        _lower_limit(resource.RLIMIT_FSIZE, 0)
        _lower_limit(resource.RLIMIT_NPROC, 0)

    def limit_processor(cpu_seconds: int) -> None:
        """How long the processor may be used, over the whole life of the process."""
        _lower_limit(resource.RLIMIT_CPU, cpu_seconds)

    def measure_use() -> tuple[float, int]:
        """How long the processor was used so far, and how much memory the process holds, at most:
        its peak where that is small, or where the system does not tell.
        """
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = usage.ru_utime + usage.ru_stime
        peak = usage.ru_maxrss
        if sys.platform != "darwin":
            peak *= 1024
        if peak > _ENOUGH_TO_LOOK:
            with suppress(OSError, ValueError, IndexError):
                return used, _read_pages(1)
        return used, peak

    def address_bytes() -> int:
        """How much address space the process has taken, where the system tells."""
        with suppress(OSError, ValueError, IndexError):
            return _read_pages(0)
        return 0

    def _read_pages(column: int) -> int:
        """A size that Linux tells in pages, in bytes."""
        descriptor = os.open("/proc/self/statm", os.O_RDONLY)  # after every job: without ado
        try:
            fields = os.read(descriptor, 200).split()
        finally:
            os.close(descriptor)
        return int(fields[column]) * resource.getpagesize()

    def end_with_parent(parent: int) -> None:
        """Be killed when the parent ends, however it ends, where the system can; whose parent has
        ended already goes at once.
        """
        if sys.platform == "linux":
            import ctypes

            with suppress(OSError, AttributeError):
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)

    def lower_priority(process: int) -> None:
        """Let others have the processor first."""
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, _SLOW_NICENESS)

    def interrupt_nobody() -> None:
        """Have work that comes wait for those who are at work: the parent that hands it over
        serves others too. Nothing where the system knows no such kind of process.
        """
        if sys.platform == "linux":
            with suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))

    def _lower_limit(kind: int, wanted: int) -> None:
        """Set the soft limit, as far as the hard one lets us. Some systems know a limit and cannot
        set it.
        """
        now, hard = resource.getrlimit(kind)
        soft = wanted
        if hard != resource.RLIM_INFINITY:
            soft = min(wanted, hard)
        if soft == now:
            return  # as before most jobs
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (soft, hard))


class JobMeter:
    """What the jobs of this process may use and have used, one after the other. A process that has
    just woken up waits for every answer of the system, so that one is asked for a job.
    """

    def __init__(self) -> None:
        self._used = time.process_time()
        self._limit = 0

    def limit_next(self, cpu_seconds: float) -> None:
        """Before each job: the limit counts over the whole life of the process, so what is used
        goes on top.
        """
        limit = math.ceil(self._used + cpu_seconds)
        if limit != self._limit:  # it is in whole seconds, so that most jobs have the one before
            limit_processor(limit)
            self._limit = limit

    def measure_memory(self) -> int:
        """After each job: how many bytes the process holds, at most."""
        self._used, resident = measure_use()
        return resident


def trim_memory() -> None:
    """Give freed memory back: glibc keeps it unless told, and others have no such function."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
