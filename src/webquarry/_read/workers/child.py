"""The fork server and its forks, the worker processes; `processes.py` is the parent's side.

The fork server warms up once, then forks a worker for every socket that it receives. It runs no
jobs and has no other threads, so that forks start from a clean state. It reports the process ID of
each fork, and its exit code when it has ended.

A worker lowers its own limits (no files to write, no new processes, bounded memory), reads jobs
from its socket and writes their results. Python exceptions are returned as errors; a crash ends the
process, which the parent detects.
"""

from __future__ import annotations

import gc
import io
import math
import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from webquarry._read.workers.job import Job, find_function, run_job
from webquarry._read.workers.protocol import pack_error, read_job, write_result

_WAKE_UP_BYTES = 64  # one byte per signal
_BUFFER_BYTES = 1 << 18
_GC_THRESHOLD = 100_000  # objects; a page has some thousands
_PR_SET_PDEATHSIG = 1


def serve_forks(parent: int, memory_bytes: int, warm_up: str) -> None:
    """Fork on request until the parent is gone. `warm_up` is the reference of a job, or empty."""
    _end_with_parent(parent)
    if sys.platform == "linux":  # do not preempt the parent, which serves other requests
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    server = os.getpid()
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # libraries must not use our streams
        os.dup2(null, stream)
    os.close(null)
    _warm_up(warm_up)  # while the first page is being fetched
    gc.collect()
    gc.freeze()  # the collector of a fork neither visits nor copies what all forks share
    gc.set_threshold(_GC_THRESHOLD)  # a page is freed by its reference counts
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    with suppress(OSError):  # the parent may exit at any time
        while True:
            ready, _, _ = select.select([control.fileno(), woken], [], [])
            if woken in ready:
                os.read(woken, _WAKE_UP_BYTES)
                _report_exits(control)
            if control.fileno() not in ready:
                continue
            request, sockets, _, _ = socket.recv_fds(control, 1, 1)
            if not request:
                break
            pid = os.fork()
            if not pid:
                for descriptor in (control.detach(), woken, waker):
                    os.close(descriptor)
                _work(server, sockets[0], memory_bytes, warm_up)
            os.close(sockets[0])
            control.sendall(b"start %d\n" % pid)
    os._exit(0)


def _warm_up(reference: str) -> None:
    if reference:
        run_job(Job(find_function(reference)))


def _report_exits(control: socket.socket) -> None:
    """Reap the forks that have ended and report their exit codes."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            control.sendall(b"end %d %d\n" % (pid, os.waitstatus_to_exitcode(status)))


def _work(server: int, connection: int, memory_bytes: int, warm_up: str) -> NoReturn:
    """In the fork: run jobs within the limits until the connection is closed."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _end_with_parent(server)
        has_job, _, _ = select.select([connection], [], [], 0)
        if not has_job:  # copy the memory that a page modifies before the first job arrives
            _warm_up(warm_up)
        limit_process(memory_bytes)
        reader, writer = (io.FileIO(connection, mode, closefd=False) for mode in "rw")
        stream = io.BufferedRWPair(reader, writer, _BUFFER_BYTES)
        with suppress(EOFError, OSError):  # the parent may exit at any time
            while True:
                write_result(stream, *_run(*read_job(stream)))
    finally:
        os._exit(0)  # skip the clean-up of libraries


def _run(head: dict[str, Any], pieces: tuple[bytes, ...]) -> tuple[dict[str, Any], bytes]:
    """Run a job and return the head and the body of its result, or of the error."""
    limit_cpu(head["cpu_seconds"])
    answer: dict[str, Any] = {}
    body = b""
    try:
        body = run_job(Job(find_function(head["function"]), head["arguments"], pieces))
    except Exception as error:  # unexpected input must not end the worker
        answer = {"error": pack_error(error), "last": isinstance(error, MemoryError)}
    return answer | {"resident": _measure_resident()}, body


def limit_process(memory_bytes: int) -> None:
    """Limit the address space; forbid core files, writing to files and new processes.

    SIGXCPU gets its default action, which may have been changed by the parent.
    """
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGXCPU])
    _lower_limit(resource.RLIMIT_AS, memory_bytes)
    _lower_limit(resource.RLIMIT_CORE, 0)
    _lower_limit(resource.RLIMIT_FSIZE, 0)
    _lower_limit(resource.RLIMIT_NPROC, 0)


def limit_cpu(cpu_seconds: float) -> None:
    """Limit the CPU time of the next job, in whole seconds: the time used so far is added."""
    _lower_limit(resource.RLIMIT_CPU, math.ceil(time.process_time() + cpu_seconds))


def _lower_limit(kind: int, wanted: int) -> None:
    """Set a soft limit, at most to the hard limit. Some systems cannot set some limits."""
    now, hard = resource.getrlimit(kind)
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != now:
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (soft, hard))


def _measure_resident() -> int:
    """Return the resident memory in bytes, or its peak where the system has no /proc."""
    try:
        fields = Path("/proc/self/statm").read_bytes().split()
        return int(fields[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def _end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends (Linux); exit now if it has."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
