"""Main loop of a worker process: read jobs from one stream, write their results to another.

The process warms up before the first job and then lowers its own limits: no files to write, no new
processes, bounded memory. Python exceptions are returned as errors; a crash ends the process, which
the parent detects.
"""

from __future__ import annotations

import io
import json
import os
from contextlib import suppress
from typing import Any

from webquarry._read.workers.error_form import pack_error
from webquarry._read.workers.frames import BrokenFrame, read_frame, write_frame
from webquarry._read.workers.job import Job, find_function, run_job
from webquarry._read.workers.limits import (
    JobMeter,
    end_with_parent,
    limit_process,
    set_batch_scheduling,
)

_read_json = json.JSONDecoder().raw_decode  # the parent writes no whitespace around it


def serve(parent: int, memory_bytes: int, warm_up: str) -> None:
    """Run jobs until the input ends. `warm_up` is the reference of a job, or empty."""
    end_with_parent(parent)
    set_batch_scheduling()
    incoming, outgoing = os.dup(0), os.dup(1)
    redirect_standard_streams()
    if warm_up:
        run_job(Job(find_function(warm_up)))  # while the first page is being fetched
    answer_jobs(incoming, outgoing, memory_bytes)
    os._exit(0)  # skip the clean-up of libraries


def redirect_standard_streams() -> None:
    """Redirect stdin and stdout to the null device, so that libraries cannot use our streams."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


def answer_jobs(incoming: int, outgoing: int, memory_bytes: int) -> None:
    """Run the jobs from a stream within the limits of a worker, until it ends."""
    reading = io.FileIO(incoming, "r", closefd=False)
    writing = io.FileIO(outgoing, "w", closefd=False)
    limit_process(memory_bytes)
    meter = JobMeter()
    with suppress(BrokenFrame, OSError):  # the parent may exit at any time
        write_frame(writing, b"", ())  # ready
        frame = read_frame(reading)
        while frame is not None:
            head, body = answer_job(*frame, meter)
            write_frame(writing, head, (body,))
            del body
            frame = None  # free it before the next one is read
            frame = read_frame(reading)


def answer_job(
    packed: bytes, pieces: tuple[bytes, ...], meter: JobMeter | None = None
) -> tuple[bytes, bytes]:
    """Run a job and return the head and the body of its result, or of the error.

    `meter` counts the CPU time of earlier jobs of this process.
    """
    head, _ = _read_json(packed.decode())
    meter = meter or JobMeter()
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
