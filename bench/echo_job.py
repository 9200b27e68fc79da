"""A job that returns its body, to measure the hand-over to a worker process."""

from __future__ import annotations

from webquarry._read.workers.job import Job, job


@job("echo")
def echo(job: Job) -> bytes:
    """Return the body."""
    return job.body
