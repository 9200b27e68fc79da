"""Template process: warms up once, then forks a worker for every socket that it receives.

It runs no jobs and has no other threads, so forks start from a clean state. It reports the process
ID of each fork, and its exit code when it has ended.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from contextlib import suppress
from typing import NoReturn

from webquarry._read.workers.child import answer_jobs, redirect_standard_streams
from webquarry._read.workers.job import Job, find_function, run_job
from webquarry._read.workers.limits import end_with_parent, set_batch_scheduling

_RUNS = 4  # of the warm-up job, so that the interpreter specializes its code
_RUNS_IN_FORK = 2
_WAKE_UP_BYTES = 64  # one byte per signal


def serve_forks(parent: int, memory_bytes: int, warm_up: str) -> None:
    """Fork on request until the parent is gone. `warm_up` is the reference of a job, or empty."""
    end_with_parent(parent)
    set_batch_scheduling()  # inherited by forks
    control = socket.socket(fileno=os.dup(0))
    redirect_standard_streams()
    _run_repeatedly(warm_up, _RUNS)  # while the first page is being fetched
    asked = control.fileno()
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    with suppress(OSError):  # the parent may exit at any time
        while True:
            ready, _, _ = select.select([asked, woken], [], [])
            if woken in ready:
                os.read(woken, _WAKE_UP_BYTES)
                _report_exits(control)
            if control.fileno() in ready and not _fork_worker(
                control, memory_bytes, warm_up, (woken, waker)
            ):
                break
    os._exit(0)


def _run_repeatedly(warm_up: str, runs: int) -> None:
    if warm_up:
        job = Job(find_function(warm_up))
        for _ in range(runs):
            run_job(job)


def _fork_worker(
    control: socket.socket, memory_bytes: int, warm_up: str, own_files: tuple[int, ...]
) -> bool:
    """Read a request and fork a worker for it; returns False at the end of the requests."""
    request, sockets, _, _ = socket.recv_fds(control, 1, 1)
    if not request:
        return False
    (connection,) = sockets
    pid = os.fork()
    if not pid:
        os.close(control.detach())
        for descriptor in own_files:
            os.close(descriptor)
        _work(connection, memory_bytes, warm_up)
    os.close(connection)
    control.sendall(b"start %d\n" % pid)
    return True


def _report_exits(control: socket.socket) -> None:
    """Reap the forks that have ended and report their exit codes."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            code = os.waitstatus_to_exitcode(status)
            control.sendall(b"end %d %d\n" % (pid, code))


def _work(connection: int, memory_bytes: int, warm_up: str) -> NoReturn:
    """In the fork: run jobs until the connection is closed."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        end_with_parent(os.getppid())
        has_job, _, _ = select.select([connection], [], [], 0)
        if not has_job:  # copy the memory that a page modifies before the first job arrives
            _run_repeatedly(warm_up, _RUNS_IN_FORK)
        answer_jobs(connection, connection, memory_bytes)
    finally:
        os._exit(0)  # skip the clean-up of libraries
