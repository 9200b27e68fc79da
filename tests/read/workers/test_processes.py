"""Worker processes are forks of a fork server."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.read.workers.sync_pool import (
    SyncPool,
    burn,
    is_alive,
    page_job,
    until_gone,
)
from tests.read.workers.test_pool import PAGE, title_of, until_busy, with_pool
from webquarry._read.workers.job import WorkerLimits, can_fork
from webquarry._read.workers.pool import WorkerPool

FORK = pytest.mark.skipif(not can_fork(), reason="the system cannot fork")
LINUX = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the system does not show its processes as files"
)


def server_of(pool: WorkerPool) -> int | None:
    """Process ID of the fork server."""
    return pool.server_pid


def parent_of(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("PPid:")).split()[1])


def count_page_faults(pid: int) -> int:
    """Minor page faults of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[7])


def list_open(pid: int) -> set[str]:
    """Names of the open files of a process, which may close some meanwhile."""
    names = set()
    for place in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            names.add(os.readlink(place))
    return names


@FORK
@LINUX
def test_workers_are_forks_of_one_process_that_runs_no_jobs() -> None:
    async def test(pool: WorkerPool) -> None:
        jobs = [asyncio.create_task(pool.run(burn(1000))) for _ in range(2)]
        await until_busy(pool, 2)
        server = server_of(pool)
        assert {parent_of(pid) for pid in pool.pids} == {server}
        assert server not in pool.pids
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    with_pool(test, size=2)


@FORK
def test_fork_server_survives_a_killed_worker() -> None:
    async def test(pool: WorkerPool) -> None:
        job = asyncio.create_task(pool.run(burn(1000)))
        await until_busy(pool)
        server = server_of(pool)
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"
        assert server_of(pool) == server

    with_pool(test)


@FORK
def test_fork_server_ends_with_the_last_idle_worker() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        server = server_of(pool)
        assert server is not None
        await until_gone(server)
        assert pool.pids == []
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"

    with_pool(test, WorkerLimits(idle_seconds=0.05))


@FORK
def test_killed_fork_server_is_replaced() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        (worker,), server = pool.pids, server_of(pool)
        assert server is not None
        os.kill(server, signal.SIGKILL)
        await until_gone(server)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"
        assert pool.pids != [worker]

    with_pool(test)


@FORK
def test_closing_the_pool_ends_the_fork_server() -> None:
    with SyncPool() as pool:
        pool.run(burn(0))
        server = server_of(pool.pool)
        assert server is not None

    assert not is_alive(server)


@FORK
@LINUX
def test_fork_has_no_files_of_other_forks() -> None:
    async def test(pool: WorkerPool) -> None:
        jobs = [asyncio.create_task(pool.run(burn(1000))) for _ in range(2)]
        await until_busy(pool, 2)
        async with asyncio.timeout(30):  # a fork is reported before it has closed other files
            ways = [list_open(pid) - {"/dev/null"} for pid in pool.pids]
            while [len(names) for names in ways] != [1, 1]:
                await asyncio.sleep(0.005)
                ways = [list_open(pid) - {"/dev/null"} for pid in pool.pids]
        assert ways[0] != ways[1]
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    with_pool(test, size=2)


def test_process_that_fetches_pages_imports_no_parsers() -> None:
    code = (
        "import sys\n"
        "import webquarry.tools.research.scrape_page, webquarry.tools.research.search_and_scrape\n"
        "from webquarry._read.sites.site import load_readers\n"
        "load_readers()\n"
        "heavy = {'lxml', 'numpy', 'webquarry._read.style', 'webquarry._read.formats.html'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


IGNORED_SIGNALS = """
import asyncio, os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU])
from tests.read.workers.jobs import fail
from tests.read.workers.sync_pool import burn
from webquarry.errors import WebquarryError
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.pool import WorkerPool

async def main():
    runner = WorkerPool(WorkerLimits(cpu_seconds=1))
    print((await runner.run(burn(0, b"read"))).decode())
    for job in (Job(fail, {"error": "NotFound", "arguments": ["It is gone."]}), burn(1000)):
        try:
            await runner.run(job)
        except WebquarryError as error:
            print(error.message)
    await runner.aclose()

asyncio.run(main())
"""
