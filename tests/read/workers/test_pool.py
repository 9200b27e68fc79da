"""The worker pool: limits, cancellation, replacement of retired or dead workers, idle timeout."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.read.formats import FOLDER
from tests.read.workers.jobs import burn_time, fail, name_process, take_memory
from tests.read.workers.sync_pool import (
    SCRIPT_ENVIRON,
    URL,
    SyncPool,
    burn,
    document_job,
    is_alive,
    page_job,
    until_gone,
)
from webquarry import errors
from webquarry._read.page_form import unpack_fields
from webquarry._read.workers import pool as pool_module
from webquarry._read.workers import processes
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.pool import WorkerPool
from webquarry.caller import serving
from webquarry.errors import NotFound, TooComplex, Unreadable, WebquarryError

PAPER = (FOLDER / "paper.pdf").read_bytes()
PAGE = b"<title>Tides</title><main><p>" + b"The tide turns twice a day. " * 30
LINUX = pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="the system has no /proc")
POSIX = pytest.mark.skipif(os.name != "posix", reason="the system has no such limits")
LEAST_PRIORITY = 19  # lower than that of the tests
TITLE = "What the tide leaves behind"


@pytest.fixture(scope="module")
def warm() -> Iterator[SyncPool]:
    """A shared worker for tests that do not end it."""
    with SyncPool() as pool:
        yield pool


def with_pool(
    test: Callable[[WorkerPool], Awaitable[None]],
    limits: WorkerLimits | None = None,
    size: int = 1,
    warm_up: Job | None = None,
) -> None:
    async def run() -> None:
        pool = WorkerPool(limits, size, warm_up)
        try:
            await test(pool)
        finally:
            await pool.aclose()

    asyncio.run(run())


async def until_busy(pool: WorkerPool, count: int = 1) -> None:
    """Wait until `count` workers run a job."""
    async with asyncio.timeout(30):
        while len(pool.pids) - len(pool._idle) < count:
            await asyncio.sleep(0.005)


def title_of(packed: bytes) -> str:
    title: str = unpack_fields(packed)[0]["title"]
    return title


def test_one_worker_reads_pages_of_all_kinds(warm: SyncPool) -> None:
    assert title_of(warm.run(page_job(PAGE))) == "Tides"
    (first,) = warm.pids
    assert title_of(warm.run(document_job("pdf", URL, PAPER))) == TITLE
    letter = (FOLDER / "letter.docx").read_bytes()
    assert title_of(warm.run(document_job("docx", URL, letter))) == "Notice 14"
    assert title_of(warm.run(page_job(PAGE))) == "Tides"
    assert warm.pids == [first]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, WebquarryError)
    ],
)
def test_errors_keep_their_class_and_fields(name: str, warm: SyncPool) -> None:
    kind: type[WebquarryError] = getattr(errors, name)
    arguments = ["pdf", "Reading it"] if name == "MissingExtra" else ["It is gone."]
    expected = kind(*arguments)
    with pytest.raises(WebquarryError) as caught:
        warm.run(Job(fail, {"error": name, "arguments": arguments}))

    assert type(caught.value) is kind
    assert caught.value.as_dict() == expected.as_dict()


def test_unexpected_error_names_its_place_but_not_page_content(warm: SyncPool) -> None:
    with pytest.raises(WebquarryError, match=r"failed: KeyError at jobs\.py:\d+\.$") as caught:
        warm.run(Job(fail, {}, b"", URL))

    assert caught.value.kind == "internal"
    assert "a word of the page" not in str(caught.value)


def test_errors_contain_no_secrets_of_a_url(warm: SyncPool) -> None:
    url = "https://site.example/a.pdf?token=hunter2222"
    with pytest.raises(Unreadable) as caught:
        warm.run(document_job("pdf", url, b"%PDF-1.4 nothing"))

    assert "hunter2222" not in caught.value.message


def test_pieces_of_any_size_arrive_as_one_body(warm: SyncPool) -> None:
    pieces = (b"a" * 700_000, b"", b"b" * 900_000)

    assert warm.run(Job(burn_time, {"seconds": 0}, pieces)) == b"".join(pieces)


@LINUX
def test_worker_inherits_no_environment_files_or_sockets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "a-secret-of-ours")
    inherited, other = os.pipe()
    os.set_inheritable(inherited, True)
    try:
        with SyncPool() as pool:
            pool.run(page_job(PAGE))
            (pid,) = pool.pids
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            files = {os.readlink(place) for place in Path(f"/proc/{pid}/fd").iterdir()}
            limits = Path(f"/proc/{pid}/limits").read_text()
    finally:
        os.close(inherited)
        os.close(other)

    names = {entry.partition(b"=")[0] for entry in environment.split(b"\0")}
    threads = {b"OPENBLAS_NUM_THREADS", b"OMP_NUM_THREADS", b"MKL_NUM_THREADS"}
    assert names - {b"LC_CTYPE", b""} == threads  # Python sets LC_CTYPE itself
    assert {name.partition(":")[0] for name in files} <= {"pipe", "socket", "/dev/null"}
    assert len([name for name in files if name != "/dev/null"]) == 1  # its connection to the parent
    soft = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()[1:]}
    assert {soft["Max address space"], soft["Max core file size"], soft["Max file size"]} == {
        "1073741824",
        "0",
    }
    assert int(soft["Max cpu time"]) < 60


@POSIX
@pytest.mark.slow
def test_page_over_the_cpu_limit_is_too_complex_and_the_next_is_read() -> None:
    with SyncPool(WorkerLimits(cpu_seconds=1)) as pool:
        with pytest.raises(
            TooComplex, match="could not be read safely: it takes too long"
        ) as caught:
            pool.run(burn(60))
        assert caught.value.kind == "too_complex"
        assert title_of(pool.run(page_job(PAGE))) == "Tides"


def test_hanging_job_is_ended_by_the_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WorkerLimits, "wall_seconds", 0.3)
    with SyncPool() as pool:
        with pytest.raises(TooComplex, match="it takes too long"):
            pool.run(burn(60))
        assert pool.pids == []


@POSIX
def test_page_over_the_memory_limit_is_too_complex_and_the_next_is_read() -> None:
    with SyncPool(WorkerLimits(memory_bytes=1 << 29)) as pool:
        with pytest.raises(TooComplex, match="it needs too much memory"):
            pool.run(Job(take_memory, {"megabytes": 2000}, b"", URL))
        assert title_of(pool.run(page_job(PAGE))) == "Tides"


def test_cancelled_call_kills_its_worker() -> None:
    async def test(pool: WorkerPool) -> None:
        job = asyncio.create_task(pool.run(burn(1000)))
        await until_busy(pool)
        (pid,) = pool.pids
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        await until_gone(pid)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"

    with_pool(test)


def test_closing_the_pool_kills_running_jobs() -> None:
    pids: list[int] = []

    async def test(pool: WorkerPool) -> None:
        job = asyncio.create_task(pool.run(burn(1000)))
        await until_busy(pool)
        pids.extend(pool.pids)
        await pool.aclose()
        with pytest.raises(WebquarryError):
            await job

    with_pool(test)
    assert not is_alive(pids[0])


def test_killed_worker_is_reported_as_too_complex() -> None:
    async def test(pool: WorkerPool) -> None:
        job = asyncio.create_task(pool.run(burn(1000)))
        await until_busy(pool)
        os.kill(pool.pids[0], signal.SIGKILL)
        with pytest.raises(TooComplex, match="it brings down the program that reads it"):
            await job

    with_pool(test)


def test_worker_that_died_while_idle_is_replaced() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        (idle,) = pool._idle
        os.kill(idle.pid, signal.SIGKILL)
        await until_gone(idle.pid)
        assert title_of(await pool.run(page_job(PAGE))) == "Tides"

    with_pool(test)


def test_worker_ends_after_the_idle_timeout() -> None:
    async def test(pool: WorkerPool) -> None:
        await pool.run(burn(0))
        (pid,) = pool.pids
        await until_gone(pid)
        assert pool.pids == []

    with_pool(test, WorkerLimits(idle_seconds=0.05))


def test_slow_pages_of_one_caller_leave_a_worker_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "_SLOW_SECONDS", 1000)

    async def test(pool: WorkerPool) -> None:
        with serving("ada"):
            hostile = [asyncio.create_task(pool.run(burn(1000))) for _ in range(10)]
        async with asyncio.timeout(30):
            while len(pool.pids) < 3 or not pool._idle:
                await asyncio.sleep(0.005)
        (spare,) = pool._idle
        with serving("bram"):
            assert int(await pool.run(Job(name_process))) == spare.pid
        assert not any(job.done() for job in hostile)
        for job in hostile:
            job.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)

    with_pool(test, size=2)


@LINUX
def test_slow_job_gets_a_low_priority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_SLOW_NICENESS", LEAST_PRIORITY)
    monkeypatch.setattr(pool_module, "_SLOW_SECONDS", 0.01)

    async def test(pool: WorkerPool) -> None:
        job = asyncio.create_task(pool.run(burn(1000)))
        await until_busy(pool)
        (pid,) = pool.pids
        priority = os.getpriority(os.PRIO_PROCESS, pid)
        async with asyncio.timeout(30):
            while priority < LEAST_PRIORITY:
                await asyncio.sleep(0.005)
                priority = os.getpriority(os.PRIO_PROCESS, pid)
        assert priority == LEAST_PRIORITY
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)

    with_pool(test)


def test_worker_that_cannot_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = "webquarry.no_such_module:serve"
    monkeypatch.setattr("webquarry._read.workers.processes._SERVE", broken)
    with (
        SyncPool() as pool,
        pytest.raises(WebquarryError, match="could not be read: the program that reads it failed"),
    ):
        pool.run(page_job(PAGE))

    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        SyncPool() as pool,
        pytest.raises(WebquarryError, match="no process could be started for it"),
    ):
        pool.run(page_job(PAGE))


def test_errors_from_a_worker_are_validated() -> None:
    from webquarry._read.workers.protocol import unpack_error

    assert type(unpack_error({"class": "Any", "message": "x"}, URL)) is WebquarryError
    assert type(unpack_error({"class": 7, "message": ["x"]}, URL)) is WebquarryError
    assert type(unpack_error({"class": "NotFound"}, URL)) is NotFound
    assert len(unpack_error({"message": "x" * 10**6}, URL).message) <= 10_000


def run_script(code: str) -> str:
    """Return the output of a script that writes nothing to stderr."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env=SCRIPT_ENVIRON,
    )
    assert done.stderr == ""
    return done.stdout.strip()


STARTING_AT_EXIT = """
import asyncio, logging
from webquarry.bridge import bridge
from webquarry._read.workers.pool import WorkerPool

logging.basicConfig()
logging.getLogger("webquarry").setLevel("DEBUG")

async def prepare():
    pool = WorkerPool(size=1)
    bridge.at_close(pool.aclose)
    pool.prepare()
    while not pool.server_pid:
        await asyncio.sleep(0)

bridge.run(prepare())
print("done")
"""


def test_worker_that_is_starting_at_exit_is_no_error() -> None:
    assert run_script(STARTING_AT_EXIT) == "done"


BUSY = """
import asyncio
from tests.read.workers.jobs import burn_time
from webquarry._read.workers.job import Job
from webquarry._read.workers.pool import WorkerPool

async def main():
    pool = WorkerPool(size=1)
    job = asyncio.create_task(pool.run(Job(burn_time, {"seconds": 1000})))
    while not pool.pids:
        await asyncio.sleep(0.005)
    print(pool.pids[0], flush=True)
    await job

asyncio.run(main())
"""


@LINUX
def test_worker_dies_with_its_parent() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdout=subprocess.PIPE, text=True, env=SCRIPT_ENVIRON
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    asyncio.run(until_orphan_is_gone(pid))


async def until_orphan_is_gone(pid: int) -> None:
    """Wait until an orphan has ended; init reaps it later."""
    async with asyncio.timeout(30):
        while is_alive(pid) and state_of(pid) != "Z":
            await asyncio.sleep(0.005)


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_process_that_exits_leaves_no_worker_and_no_output() -> None:
    code = (
        "import asyncio\n"
        "from tests.read.workers.jobs import burn_time\n"
        "from webquarry._read.workers.job import Job\n"
        "from webquarry._read.workers.pool import WorkerPool\n"
        "async def main():\n"
        "    pool = WorkerPool(size=1)\n"
        "    await pool.run(Job(burn_time, {'seconds': 0}))\n"
        "    print(pool.pids[0])\n"
        "    await pool.aclose()\n"
        "asyncio.run(main())"
    )

    assert not is_alive(int(run_script(code)))
