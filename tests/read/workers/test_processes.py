"""How worker processes come to be: as copies of a template, which lives as long as they do, or as
interpreters of their own where nothing can be copied.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.read.workers.sync_pool import SyncPool, burn, is_alive, page_job, until_gone
from tests.read.workers.test_pool import PAGE, title_of, until_busy, with_pool
from webquarry.read.workers import pool as pool_module
from webquarry.read.workers.job import Job, WorkerLimits
from webquarry.read.workers.pool import WorkerPool
from webquarry.read.workers.processes.copied import CopiedProcesses
from webquarry.read.workers.runner import can_fork

COPIES = pytest.mark.skipif(not can_fork(), reason="no process can be copied here")
LINUX = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not show its processes as files"
)


def template_of(pool: WorkerPool) -> int | None:
    """The number of the process that workers are copies of."""
    assert isinstance(pool._processes, CopiedProcesses)
    return pool._processes.template_pid


def parent_of(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("PPid:")).split()[1])


def count_copied_pages(pid: int) -> int:
    """How many pages of memory a process has asked for since it was made."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[7])


def list_open(pid: int) -> set[str]:
    """What a process has open, by name."""
    return {os.readlink(place) for place in Path(f"/proc/{pid}/fd").iterdir()}


@COPIES
@LINUX
def test_all_workers_are_copies_of_one_process_that_does_no_job() -> None:
    async def test(pool: WorkerPool) -> None:
        jobs = [asyncio.create_task(pool.run(burn(1000))) for _ in range(2)]
        await until_busy(pool, 2)
        template = template_of(pool)
        assert {parent_of(pid) for pid in pool.pids} == {template}
        assert template not in pool.pids
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    with_pool(test, size=2)


@COPIES
@LINUX
def test_a_copy_that_nobody_waits_for_has_its_own_memory_before_its_first_page_comes() -> None:
    async def test(pool: WorkerPool) -> None:
        pool.prepare()
        while not pool._idle:
            await asyncio.sleep(0.01)
        (worker,) = pool.pids
        before = count_copied_pages(worker)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"
        assert pool.pids == [worker]
        assert count_copied_pages(worker) - before < before / 2

    with_pool(test)


@COPIES
def test_the_template_outlives_a_worker_that_is_killed_with_its_call() -> None:
    async def test(pool: WorkerPool) -> None:
        job = asyncio.create_task(pool.run(burn(1000)))
        await until_busy(pool)
        template = template_of(pool)
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"
        assert template_of(pool) == template

    with_pool(test)


@COPIES
def test_the_template_goes_when_its_last_copy_has_come_to_its_rest() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        template = template_of(pool)
        assert template is not None
        await until_gone(template)
        assert pool.pids == []
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"

    with_pool(test, WorkerLimits(idle_seconds=0.05))


@COPIES
def test_the_template_goes_some_time_after_its_last_copy_was_worn_out() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        template = template_of(pool)
        assert template is not None
        assert pool.pids == []
        await until_gone(template)

    with_pool(test, WorkerLimits(jobs=1, idle_seconds=0.05))


@COPIES
def test_a_template_that_died_is_replaced_without_a_word() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        (worker,), template = pool.pids, template_of(pool)
        assert template is not None
        os.kill(template, signal.SIGKILL)
        await until_gone(template)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"
        assert pool.pids != [worker]

    with_pool(test)


@COPIES
def test_closing_the_pool_leaves_no_template() -> None:
    with SyncPool() as pool:
        pool.run(burn(0))
        template = template_of(pool.pool)
        assert template is not None

    assert not is_alive(template)


@COPIES
@LINUX
def test_a_copy_has_nothing_open_that_belongs_to_another() -> None:
    async def test(pool: WorkerPool) -> None:
        jobs = [asyncio.create_task(pool.run(burn(1000))) for _ in range(2)]
        await until_busy(pool, 2)
        async with asyncio.timeout(
            30
        ):  # a copy is told of before it has closed what is not its own
            ways = [list_open(pid) - {"/dev/null"} for pid in pool.pids]
            while [len(names) for names in ways] != [1, 1]:
                await asyncio.sleep(0.005)
                ways = [list_open(pid) - {"/dev/null"} for pid in pool.pids]
        assert ways[0] != ways[1]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    with_pool(test, size=2)


def test_where_nothing_can_be_copied_each_worker_is_an_interpreter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "can_fork", lambda: False)

    async def test(pool: WorkerPool) -> None:
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"
        (first,) = pool.pids
        job = asyncio.create_task(pool.run(Job("burn time", {"seconds": 1000})))
        await until_busy(pool)
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
        await until_gone(first)

    with_pool(test)


def test_who_only_fetches_pages_loads_nothing_that_reads_them() -> None:
    code = (
        "import sys\n"
        "import webquarry.tools.research.scrape_page, webquarry.tools.research.search_and_scrape\n"
        "from webquarry.read.special_reader import load_special_readers\n"
        "load_special_readers()\n"
        "heavy = {'lxml', 'numpy', 'webquarry.read.visibility', 'webquarry.read.formats.html'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
