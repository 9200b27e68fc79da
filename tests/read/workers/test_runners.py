"""Jobs in threads: large ones one at a time; documents run in worker processes."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from tests.read.formats import FOLDER
from tests.read.workers.sync_pool import URL, document_job, page_job
from webquarry._read.page_form import unpack_fields
from webquarry._read.reader import read_page
from webquarry._read.workers import pool as runners
from webquarry._read.workers.job import LARGE, Job, WorkerLimits
from webquarry._read.workers.pool import ThreadRunner
from webquarry.errors import TooComplex

PAGE = b"<title>Tides</title><main><p>" + b"The tide turns twice a day. " * 30


class Work:
    """Replaces `run_job` by one that waits for events and records order and concurrency."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.most = 0
        self.go: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._under_way = 0
        monkeypatch.setattr(runners, "run_job", self._run)

    def _run(self, job: Job) -> bytes:
        with self._lock:
            self.begun.append(job.subject)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        try:
            if job.subject in self.go:
                assert self.go[job.subject].wait(30)
            if job.subject == "fails":
                raise ZeroDivisionError
        finally:
            with self._lock:
                self._under_way -= 1
        return job.subject.encode()

    async def until_begun(self, count: int) -> None:
        while len(self.begun) < count:
            await asyncio.sleep(0.001)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


def job(name: str, size: int = LARGE, ahead: bool = False) -> Job:
    return Job(read_page, {}, bytes(size), name, ahead=ahead)


def test_cancelled_job_keeps_its_place_until_it_ends(work: Work) -> None:
    work.go["first"] = threading.Event()

    async def run() -> None:
        runner = ThreadRunner()
        first = asyncio.create_task(runner.run(job("first")))
        await work.until_begun(1)
        first.cancel()
        await asyncio.wait([first])
        second = asyncio.create_task(runner.run(job("second")))
        await asyncio.sleep(0)
        work.go["first"].set()
        await second

    asyncio.run(run())
    assert (work.begun, work.most) == (["first", "second"], 1)


def test_job_that_takes_too_long_raises(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    work.go["slow"] = threading.Event()
    monkeypatch.setattr(WorkerLimits, "wall_seconds", 0.01)

    async def run() -> None:
        try:
            with pytest.raises(
                TooComplex, match="slow could not be read safely: it takes too long"
            ):
                await ThreadRunner().run(job("slow"))
        finally:
            work.go["slow"].set()

    asyncio.run(run())


def test_job_runs_in_the_context_of_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    caller: ContextVar[bytes] = ContextVar("caller", default=b"unset")
    monkeypatch.setattr(runners, "run_job", lambda _: caller.get())

    async def run() -> list[bytes]:
        caller.set(b"ada")
        runner = ThreadRunner()
        return [await runner.run(job("page", size)) for size in (0, LARGE)]

    assert asyncio.run(run()) == [b"ada", b"ada"]


def test_document_is_read_in_a_worker_process() -> None:
    """Libraries that parse binary files may crash."""
    paper = (FOLDER / "paper.pdf").read_bytes()
    pdf = page_job(paper)
    assert pdf.isolated
    assert not page_job(PAGE).isolated
    assert not document_job("pdf", URL, paper).isolated

    async def run() -> str:
        runner = ThreadRunner()
        try:
            assert runner._workers is None
            fields, _ = unpack_fields(await runner.run(pdf))
            assert runner._workers is not None
            assert len(runner._workers.pids) == 1
        finally:
            await runner.aclose()
        title: str = fields["title"]
        return title

    assert asyncio.run(run()) == "What the tide leaves behind"
