"""A synchronous worker pool for tests, and helpers that build jobs."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import httpx2

from tests.read.workers.jobs import burn_time, read_document
from webquarry._read.page_form import unpack_fields
from webquarry._read.reader import FetchedPage, read_page
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.pool import WorkerPool
from webquarry.net.models import Reply

URL = "https://site.example/page"
# for scripts whose workers import jobs of tests
SCRIPT_ENVIRON = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}


class ReadDocument(NamedTuple):
    title: str
    author: str
    notes: list[str]
    markdown: str


class SyncPool:
    """A worker pool with its own event loop."""

    def __init__(self, limits: WorkerLimits | None = None, size: int = 1) -> None:
        self._runner = asyncio.Runner()
        self._limits = limits
        self._size = size

    def __enter__(self) -> SyncPool:
        self._runner.__enter__()
        self.pool = self._runner.run(self._open())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self.pool.aclose())
        self._runner.__exit__(kind, error, trace)

    async def _open(self) -> WorkerPool:
        return WorkerPool(self._limits, self._size)

    def run(self, job: Job) -> bytes:
        return self._runner.run(self.pool.run(job))

    def read(self, kind: str, url: str, body: bytes) -> ReadDocument:
        """Read a document in a worker."""
        fields, markdown = unpack_fields(self.run(document_job(kind, url, body)))
        return ReadDocument(**fields, markdown=markdown.decode())

    @property
    def pids(self) -> list[int]:
        return self.pool.pids


def document_job(kind: str, url: str, body: bytes) -> Job:
    return Job(read_document, {"kind": kind, "url": url}, body, url)


def page_job(body: bytes) -> Job:
    """Return a job that reads a page of HTML."""
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    reply = Reply(URL, 200, headers, body, datetime(2026, 1, 2, tzinfo=UTC))
    return FetchedPage(URL, reply).to_job(read_page, selection="main")


def burn(seconds: float, body: bytes = b"") -> Job:
    """Return a job that uses the CPU for `seconds`."""
    return Job(burn_time, {"seconds": seconds}, body, URL)


def is_alive(pid: int) -> bool:
    """Whether a process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until_gone(pid: int) -> None:
    """Wait until a process has ended and was reaped."""
    async with asyncio.timeout(30):
        while is_alive(pid):
            await asyncio.sleep(0.005)
