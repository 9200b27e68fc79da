"""Pages are indexed by the workers that read them, and here where somebody waits."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.net.doubles import FakeClock
from webquarry._read.workers.job import Job, JobRunner
from webquarry._read.workers.pool import WorkerPool
from webquarry._search.models import Query
from webquarry.errors import WebquarryError
from webquarry.library import library as library_module
from webquarry.library.indexing import describe_job, index_in_job, index_page, unpack_index
from webquarry.library.library import Library
from webquarry.library.models import KeptPage
from webquarry.library.shelf import Shelf
from webquarry.library.tokens import TermTokens

KEY = bytes(range(32))
TIDE = KeptPage(
    "https://tide.example/slack",
    "Slack water – Stauwasser",
    "# Slack water\n\nTurbines rest.\n\n## 电池\n\n钒电池在平潮时供电。\n\n## Птицы\n\nКрачки ловят рыбу.".encode(),
    1_800_000_000.0,
    "2026-01-02",
)
EMPTY = KeptPage("https://tide.example/nothing", "", b"", 1_800_000_000.0)


class IndexingRunner(JobRunner):
    """Does jobs here, and knows them."""

    def __init__(self, wanted: int = 1) -> None:
        self.jobs: list[Job] = []
        self.asked = asyncio.Event()  # as often as wanted
        self._wanted = wanted

    async def run(self, job: Job) -> bytes:
        self.jobs.append(job)
        if len(self.jobs) == self._wanted:
            self.asked.set()
        return await self.answer(job)

    async def answer(self, job: Job) -> bytes:
        return index_in_job(job)

    async def aclose(self) -> None:
        pass


class BusyRunner(IndexingRunner):
    """Has never time."""

    def __init__(self) -> None:
        super().__init__()
        self.called_off = 0

    async def answer(self, job: Job) -> bytes:
        try:
            return await asyncio.Future()
        except asyncio.CancelledError:
            self.called_off += 1
            raise


class FailingRunner(IndexingRunner):
    async def answer(self, job: Job) -> bytes:
        raise WebquarryError("The process ended.")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are added without a pause."""
    monkeypatch.setattr(library_module, "_PAUSE_SECONDS", 0.0)


async def keep_and_find(folder: Path, runner: IndexingRunner, page: KeptPage) -> list[str]:
    """What is found once a page was handed to a worker."""
    library = Library(folder, 100_000_000, FakeClock(), lambda: runner)
    library.keep(lambda: page, len(page.text))
    await runner.asked.wait()
    found = await library.find(Query("turbines rest"))
    await library.aclose()
    return [result.url for result in found]


@pytest.mark.parametrize("page", [TIDE, EMPTY])
def test_a_worker_makes_of_a_page_what_is_made_here(page: KeptPage) -> None:
    async def run() -> bytes:
        pool = WorkerPool()
        try:
            return await pool.run(describe_job("", page, KEY))
        finally:
            await pool.aclose()

    assert unpack_index(asyncio.run(run())) == index_page("", page, TermTokens(KEY))


def test_a_page_that_a_worker_indexed_is_found(tmp_path: Path) -> None:
    async def run() -> None:
        runner = IndexingRunner()
        assert await keep_and_find(tmp_path, runner, TIDE) == [TIDE.url]
        assert [(job.name, job.behind) for job in runner.jobs] == [("index page", True)]

    asyncio.run(run())


def test_who_asks_does_not_wait_for_a_worker_that_is_busy(tmp_path: Path) -> None:
    async def run() -> None:
        runner = BusyRunner()
        assert await keep_and_find(tmp_path, runner, TIDE) == [TIDE.url]
        assert runner.called_off == 1

    asyncio.run(run())


def test_a_page_that_a_worker_failed_at_is_found(tmp_path: Path) -> None:
    async def run() -> None:
        assert await keep_and_find(tmp_path, FailingRunner(), TIDE) == [TIDE.url]

    asyncio.run(run())


def test_a_library_that_is_closed_keeps_what_a_busy_worker_was_to_index(tmp_path: Path) -> None:
    async def run() -> list[str]:
        runner = BusyRunner()
        library = Library(tmp_path, 100_000_000, FakeClock(), lambda: runner)
        library.keep(lambda: TIDE, len(TIDE.text))
        await runner.asked.wait()
        await library.aclose()
        later = Library(tmp_path, 100_000_000, FakeClock())
        found = await later.find(Query("turbines rest"))
        await later.aclose()
        return [result.url for result in found]

    assert asyncio.run(run()) == [TIDE.url]


def test_a_new_version_that_a_worker_indexed_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    new = KeptPage(TIDE.url, TIDE.title, b"Otters live at the pier.", TIDE.fetched_at + 1)

    async def run() -> None:
        assert await keep_and_find(tmp_path, IndexingRunner(), TIDE) == [TIDE.url]
        runner = IndexingRunner(wanted=2)
        assert await keep_and_find(tmp_path, runner, new) == []
        library = Library(tmp_path, 100_000_000, FakeClock())
        (found,) = await library.find(Query("otters pier"))
        await library.aclose()
        assert found.url == TIDE.url
        assert [job.body for job in runner.jobs] == [new.text, TIDE.text]

    asyncio.run(run())


def test_an_unchanged_page_is_not_indexed_again(tmp_path: Path) -> None:
    again = KeptPage(TIDE.url, TIDE.title, TIDE.text, TIDE.fetched_at + 60)

    async def run() -> None:
        runner = IndexingRunner()
        library = Library(tmp_path, 100_000_000, FakeClock(), lambda: runner)
        library.keep(lambda: TIDE, len(TIDE.text))
        await runner.asked.wait()
        assert await library.holds(TIDE.url)
        library.keep(lambda: again, len(again.text))
        (kept,) = await library.list_pages()
        await library.aclose()
        assert kept.fetched_at == again.fetched_at
        assert len(runner.jobs) == 1

    asyncio.run(run())


def test_pages_that_come_soon_after_each_other_are_written_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path, 100_000_000, FakeClock())
    other = KeptPage("https://tide.example/other", "", b"Terns fish.", TIDE.fetched_at)
    written: list[list[str]] = []
    done = threading.Event()
    add = Shelf.add

    def note(shelf: Shelf, owner: str, pages: list[KeptPage], *rest: Any) -> None:
        written.append([page.url for page in pages])
        add(shelf, owner, pages, *rest)
        done.set()

    class Pause(threading.Event):
        """In which another page comes, once."""

        def wait(self, timeout: float | None = None) -> bool:
            if len(library._waiting) == 1:
                library.keep(lambda: other, len(other.text))
            return False

    monkeypatch.setattr(Shelf, "add", note)
    monkeypatch.setattr(library, "_is_wanted", Pause())
    library.keep(lambda: TIDE, len(TIDE.text))

    assert done.wait(30)
    asyncio.run(library.aclose())
    assert written == [[TIDE.url, other.url]]
