"""The fork server and its forks, the worker processes.

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
import json
import os
import select
import signal
import socket
from contextlib import suppress
from typing import Any, NoReturn

from webquarry._read.workers.error_form import pack_error
from webquarry._read.workers.frames import BrokenFrame, read_frame, write_frame
from webquarry._read.workers.job import Job, find_function, run_job
from webquarry._read.workers.limits import (
    JobMeter,
    end_with_parent,
    limit_process,
    set_batch_scheduling,
)

_RUNS = 4  # of the warm-up job, so that the interpreter specializes its code
_RUNS_IN_FORK = 2
_WAKE_UP_BYTES = 64  # one byte per signal
_read_json = json.JSONDecoder().raw_decode  # the parent writes no whitespace around it


def serve_forks(parent: int, memory_bytes: int, warm_up: str) -> None:
    """Fork on request until the parent is gone. `warm_up` is the reference of a job, or empty."""
    end_with_parent(parent)
    set_batch_scheduling()  # inherited by forks
    control = socket.socket(fileno=os.dup(0))
    redirect_standard_streams()
    _run_repeatedly(warm_up, _RUNS)  # while the first page is being fetched
    gc.collect()
    gc.freeze()  # the collector of a fork neither visits nor copies what all forks share
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
        answer_jobs(connection, memory_bytes)
    finally:
        os._exit(0)  # skip the clean-up of libraries


def redirect_standard_streams() -> None:
    """Redirect stdin and stdout to the null device, so that libraries cannot use our streams."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


def answer_jobs(connection: int, memory_bytes: int) -> None:
    """Run the jobs from a socket within the limits of a worker, until it is closed."""
    stream = io.FileIO(connection, "r+", closefd=False)
    limit_process(memory_bytes)
    meter = JobMeter()
    with suppress(BrokenFrame, OSError):  # the parent may exit at any time
        write_frame(stream, b"", ())  # ready
        frame = read_frame(stream)
        while frame is not None:
            head, body = answer_job(*frame, meter)
            write_frame(stream, head, (body,))
            del body
            frame = None  # free it before the next one is read
            frame = read_frame(stream)


def answer_job(packed: bytes, pieces: tuple[bytes, ...], meter: JobMeter) -> tuple[bytes, bytes]:
    """Run a job and return the head and the body of its result, or of the error."""
    head, _ = _read_json(packed.decode())
    meter.limit_next(head["cpu_seconds"])
    failure: dict[str, Any] | None = None
    result = b""
    try:
        result = run_job(Job(find_function(head["function"]), head["arguments"], pieces))
    except Exception as error:  # unexpected input must not end the worker
        failure = {"error": pack_error(error), "last": isinstance(error, MemoryError)}
    resident = meter.measure_memory()
    if failure is None:
        return b'{"resident": %d}' % resident, result
    return json.dumps(failure | {"resident": resident}).encode("ascii"), result
