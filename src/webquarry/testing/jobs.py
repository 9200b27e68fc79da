"""Jobs that no tool begins, for tests and benches: what a hostile page does to a worker process
(take its time or its memory, fail), and a document read by itself.
"""

from __future__ import annotations

import time

from webquarry import errors
from webquarry.read.documents import format
from webquarry.read.page_form import pack_fields
from webquarry.read.workers.job import Job


def burn_time(job: Job) -> bytes:
    """Take so many seconds of the processor, then give the body back."""
    end = time.process_time() + job.arguments["seconds"]
    while time.process_time() < end:
        pass
    return job.body


def take_memory(job: Job) -> bytes:
    """Take so many megabytes, and keep them if told to."""
    taken = [bytearray(1_000_000) for _ in range(job.arguments["megabytes"])]
    if job.arguments.get("keep"):
        _kept.extend(taken)
    return b"%d" % len(taken)


def fail(job: Job) -> bytes:
    """Raise an error of ours by its name, or one that nobody foresaw."""
    if "error" in job.arguments:
        kind: type[errors.WebquarryError] = getattr(errors, job.arguments["error"])
        raise kind(*job.arguments["arguments"])
    raise KeyError("a word of the page")


def read_document(job: Job) -> bytes:
    """A document -> its Markdown, its title in a line before it."""
    document = format.read_document(job.arguments["kind"], job.arguments["url"], job.body)
    fields = {"title": document.title, "author": document.author, "notes": document.notes}
    return pack_fields(fields, document.markdown.encode("utf-8", "replace"))


_kept: list[bytearray] = []
