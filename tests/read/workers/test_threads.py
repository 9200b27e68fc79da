"""Jobs in threads of this process: large ones one at a time, small ones past them, documents never."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar

import pytest

from tests.read.formats.make_samples import FOLDER
from tests.read.workers.sync_pool import URL, document_job, page_job
from webquarry.errors import TooComplex
from webquarry.read.page_form import unpack_fields
from webquarry.read.workers import job as job_module
from webquarry.read.workers import threads
from webquarry.read.workers.job import LARGE, Job, WorkerLimits
from webquarry.read.workers.threads import ThreadRunner

PAGE = b"<title>Tides</title><main><p>" + b"The tide turns twice a day. " * 30


class Work:
    """Jobs that wait to be let go; they know how many were under way at once, in which order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.most = 0
        self.go: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._under_way = 0
        monkeypatch.setattr(threads, "run_job", self._run)

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
    return Job("read page", {}, bytes(size), name, ahead=ahead)


def test_large_pages_are_worked_on_one_at_a_time_in_the_order_they_came(work: Work) -> None:
    names = [f"page {number}" for number in range(8)]

    async def run() -> list[bytes]:
        runner = ThreadRunner()
        return await asyncio.gather(*(runner.run(job(name)) for name in names))

    assert [name.decode() for name in asyncio.run(run())] == work.begun == names
    assert work.most == 1


def test_a_small_page_does_not_wait_for_a_large_one(work: Work) -> None:
    work.go["large"] = threading.Event()

    async def run() -> None:
        runner = ThreadRunner()
        large = asyncio.create_task(runner.run(job("large")))
        await work.until_begun(1)
        assert await runner.run(job("small", LARGE - 1)) == b"small"
        work.go["large"].set()
        await large

    asyncio.run(run())
    assert work.most == 2


def test_work_that_nobody_waits_for_any_more_still_takes_its_room(work: Work) -> None:
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


def test_work_that_fails_makes_room_and_says_so(work: Work) -> None:
    async def run() -> bytes:
        runner = ThreadRunner()
        with pytest.raises(ZeroDivisionError):
            await runner.run(job("fails"))
        return await runner.run(job("next"))

    assert asyncio.run(run()) == b"next"


def test_the_caller_of_work_that_takes_too_long_is_told(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_work_knows_for_whom_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    caller: ContextVar[bytes] = ContextVar("caller", default=b"nobody")
    function: Callable[..., bytes] = lambda *_: caller.get()  # noqa: E731
    monkeypatch.setattr(job_module, "find_function", lambda _: function)

    async def run() -> list[bytes]:
        caller.set(b"somebody")
        runner = ThreadRunner()
        return [await runner.run(job("page", size)) for size in (0, LARGE)]

    assert asyncio.run(run()) == [b"somebody", b"somebody"]


def test_a_document_is_never_read_in_this_process() -> None:
    """Libraries that parse such files are known to crash."""
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
