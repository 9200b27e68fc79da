"""Jobs for tests and benchmarks: use CPU time or memory, raise an error, read one document."""

from __future__ import annotations

import os
import time

from webquarry import errors
from webquarry._read.page_form import pack_fields
from webquarry._read.workers.job import Job, job

_kept: list[bytearray] = []


@job("burn time")
def burn_time(job: Job) -> bytes:
    """Use CPU time for `seconds`, then return the body."""
    end = time.process_time() + job.arguments["seconds"]
    while time.process_time() < end:
        pass
    return job.body


@job("take memory")
def take_memory(job: Job) -> bytes:
    """Allocate `megabytes`, and keep them if `keep` is set."""
    taken = [bytearray(1_000_000) for _ in range(job.arguments["megabytes"])]
    if job.arguments.get("keep"):
        _kept.extend(taken)
    return b"%d" % len(taken)


@job("name process")
def name_process(job: Job) -> bytes:
    """Return the process ID of the worker."""
    return b"%d" % os.getpid()


@job("fail")
def fail(job: Job) -> bytes:
    """Raise the named WebquarryError, or an unexpected exception."""
    if "error" in job.arguments:
        kind: type[errors.WebquarryError] = getattr(errors, job.arguments["error"])
        raise kind(*job.arguments["arguments"])
    raise KeyError("a word of the page")


@job("read document")
def read_document(job: Job) -> bytes:
    """Convert a document to Markdown; title, author and notes are in the leading fields."""
    from webquarry._read.formats.documents import read_document as convert

    document = convert(job.arguments["kind"], job.arguments["url"], job.body)
    fields = {"title": document.title, "author": document.author, "notes": document.notes}
    return pack_fields(fields, document.markdown.encode("utf-8", "replace"))
