"""A worker process: jobs come in over one stream, their answers go out over another, until there
are no more.

It loads what most pages need before the first job, and then gives up what it does not need: files
to write, processes, memory without end. Whatever goes wrong inside Python is answered; what goes
wrong below it ends the process, and the parent understands that too.
"""

from __future__ import annotations

import gc
import io
import json
import os
from contextlib import suppress
from typing import Any

from webquarry.read.workers.error_form import pack_error
from webquarry.read.workers.frames import BrokenFrame, read_frame, write_frame
from webquarry.read.workers.garbage import collect_if_due, put_off_collection
from webquarry.read.workers.job import Job, is_large, load_what_pages_need, run_job
from webquarry.read.workers.limits import (
    JobMeter,
    end_with_parent,
    interrupt_nobody,
    limit_process,
    trim_memory,
)

_read_json = json.JSONDecoder().raw_decode  # nothing stands around what the parent writes


def serve(parent: int, memory_bytes: int) -> None:
    """Answer until there is nothing more to read."""
    end_with_parent(parent)
    interrupt_nobody()
    incoming, outgoing = os.dup(0), os.dup(1)
    silence_streams()
    gc.disable()
    load_what_pages_need()  # while the first page is being fetched
    gc.enable()
    put_off_collection()
    answer_jobs(incoming, outgoing, memory_bytes)
    os._exit(0)  # nothing of ours is left to be tidied up, and libraries need not try


def silence_streams() -> None:
    """Let no library read from, or write into, what connects us with the parent."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


def answer_jobs(incoming: int, outgoing: int, memory_bytes: int) -> None:
    """Within the limits of a worker: answer the jobs that come in, until there are no more."""
    reading = io.FileIO(incoming, "r", closefd=False)
    writing = io.FileIO(outgoing, "w", closefd=False)
    limit_process(memory_bytes)
    meter = JobMeter()
    # the other side may be gone at any moment
    with suppress(BrokenFrame, OSError):
        write_frame(writing, b"", ())  # ready
        frame = read_frame(reading)
        while frame is not None:
            head, body = answer_job(*frame, meter)
            write_frame(writing, head, (body,))
            del body
            frame = None  # not kept while the next one comes
            collect_if_due()
            frame = read_frame(reading)


def answer_job(
    packed: bytes, pieces: tuple[bytes, ...], meter: JobMeter | None = None
) -> tuple[bytes, bytes]:
    """The head and the body of the answer to a job: its bytes, or why there are none. `meter` is
    that of the jobs before it, where there were any.
    """
    head, _ = _read_json(packed.decode())
    meter = meter or JobMeter()
    meter.limit_next(head["cpu_seconds"])
    failure: dict[str, Any] | None = None
    given = b""
    try:
        given = run_job(Job(head["name"], head["arguments"], pieces))
    except Exception as error:  # a page nobody foresaw must not end the service
        failure = {"error": pack_error(error), "last": isinstance(error, MemoryError)}
    if is_large(sum(map(len, pieces))):
        del pieces
        trim_memory()
    resident = meter.measure_memory()
    if failure is None:  # as nearly always, and so little is written without ado
        return b'{"resident": %d}' % resident, given
    return json.dumps(failure | {"resident": resident}).encode("ascii"), given
