"""A pool of worker processes for tests that are no coroutines, and jobs that they give it."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, NamedTuple

import httpx2

from webquarry.net.models import Reply
from webquarry.read.page_form import unpack_fields
from webquarry.read.reader import FetchedPage
from webquarry.read.workers.job import Job, WorkerLimits
from webquarry.read.workers.pool import WorkerPool

URL = "https://site.example/page"


class ReadDocument(NamedTuple):
    title: str
    author: str
    notes: list[str]
    markdown: str


class SyncPool:
    """One worker process and the loop that it belongs to."""

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
        """A document, as a worker reads it."""
        fields, markdown = unpack_fields(self.run(document_job(kind, url, body)))
        return ReadDocument(**fields, markdown=markdown.decode())

    @property
    def pids(self) -> list[int]:
        return self.pool.pids


def document_job(kind: str, url: str, body: bytes) -> Job:
    return Job("read document", {"kind": kind, "url": url}, body, url)


def page_job(body: bytes, name: str = "read page", **arguments: Any) -> Job:
    """A job on a page of HTML."""
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    reply = Reply(URL, 200, headers, body, datetime(2026, 1, 2, tzinfo=UTC))
    return FetchedPage(URL, reply).to_job(name, **({"selection": "main"} | arguments))


def burn(seconds: float, body: bytes = b"") -> Job:
    """A job that takes so many seconds of the processor."""
    return Job("burn time", {"seconds": seconds}, body, URL)


def is_alive(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def until_gone(pid: int) -> None:
    """Wait until a process has ended and was waited for."""
    async with asyncio.timeout(30):
        while is_alive(pid):
            await asyncio.sleep(0.005)
