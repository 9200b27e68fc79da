"""Jobs in forks of this process: same limits as a worker, killed with their call."""

from __future__ import annotations

import asyncio
import mmap
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.read.workers.jobs import burn_time, fail, take_memory
from tests.read.workers.sync_pool import SCRIPT_ENVIRON, URL, burn, page_job
from webquarry._read.page_form import unpack_fields
from webquarry._read.workers.fork import ForkRunner
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.runner import can_fork
from webquarry.errors import NotFound, TooComplex

pytestmark = pytest.mark.skipif(not can_fork(), reason="the system cannot fork")
PAGE = b"<title>Tides</title><main><p>" + b"The tide turns twice a day. " * 30


def run(job: Job, limits: WorkerLimits | None = None) -> bytes:
    async def do() -> bytes:
        runner = ForkRunner(limits)
        try:
            return await runner.run(job)
        finally:
            await runner.aclose()

    return asyncio.run(do())


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_page_is_read() -> None:
    assert unpack_fields(run(page_job(PAGE)))[0]["title"] == "Tides"


def test_errors_keep_their_class_and_message() -> None:
    with pytest.raises(NotFound, match=r"^It is gone\.$"):
        run(Job(fail, {"error": "NotFound", "arguments": ["It is gone."]}))


@pytest.mark.slow
def test_page_over_the_cpu_limit_is_too_complex() -> None:
    with pytest.raises(TooComplex, match=f"{URL} could not be read safely: it takes too long"):
        run(burn(60), WorkerLimits(cpu_seconds=1))


def test_page_over_the_memory_limit_is_too_complex() -> None:
    with pytest.raises(TooComplex):
        run(Job(take_memory, {"megabytes": 9000}, b"", URL))


def test_memory_of_this_process_is_not_counted() -> None:
    with mmap.mmap(-1, 2 << 30):
        assert unpack_fields(run(page_job(PAGE)))[0]["title"] == "Tides"


def test_cancelled_call_ends_its_fork() -> None:
    before = children()

    async def do() -> None:
        runner = ForkRunner()
        job = asyncio.create_task(runner.run(burn(1000)))
        while not children() - before:
            await asyncio.sleep(0.005)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert children() == before
        await runner.aclose()

    asyncio.run(do())


INHERITED_FILES = """
import asyncio, os, sys
from tests.read.workers.jobs import fail
from webquarry._read.workers import fork
from webquarry._read.workers.job import Job

reading, writing = os.pipe()
fork.answer_job = lambda head, body: (b"{}", b" ".join(
    number.encode() for number in sorted(os.listdir("/proc/self/fd"))))
sys.stdout.write("written once\\n")  # still in the buffer at the time of the fork
print(asyncio.run(fork.ForkRunner().run(Job(fail))).decode())
"""


def test_fork_has_no_files_of_the_parent_and_flushes_no_buffers() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", INHERITED_FILES],
        capture_output=True,
        text=True,
        env=SCRIPT_ENVIRON,
    )

    # standard streams (/dev/null), the pipe for the result, and the listing itself
    assert done.stdout.splitlines() == ["written once", "0 1 2 3 4"]
    assert done.stderr == ""


def test_fork_that_hangs_on_a_lock_is_retried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lock that another thread holds is never released in the fork."""
    locked = threading.Lock()
    locked.acquire()
    forks: list[int] = []
    start = ForkRunner._start

    def start_hanging_once(runner: ForkRunner, job: Job) -> tuple[int, int]:
        forks.append(1)
        if len(forks) == 2:
            locked.release()
        return start(runner, job)

    def wait_for_lock(job: Job) -> bytes:
        with locked:
            return b"read"

    monkeypatch.setattr(ForkRunner, "_start", start_hanging_once)
    monkeypatch.setattr("webquarry._read.workers.child.run_job", wait_for_lock)

    async def run() -> bytes:
        return await ForkRunner().run(Job(fail, {}))

    assert asyncio.run(asyncio.wait_for(run(), 60)) == b"read"
    assert len(forks) == 2


def hang(head: bytes, pieces: tuple[bytes, ...]) -> tuple[bytes, bytes]:
    """Behave like a fork that waits for a lock forever."""
    threading.Event().wait()
    return b"", b""


@pytest.mark.slow
def test_job_whose_forks_all_hang_runs_in_a_worker_with_the_same_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webquarry._read.workers.fork.answer_job", hang)
    job = Job(burn_time, {"seconds": 1000}, b"", URL, isolated=True)

    with pytest.raises(TooComplex, match="it takes too long"):
        run(job, WorkerLimits(cpu_seconds=1))
    assert unpack_fields(run(page_job(PAGE)))[0]["title"] == "Tides"


@pytest.mark.slow
def test_job_whose_forks_all_hang_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webquarry._read.workers.fork.answer_job", hang)
    before = children()

    async def do() -> None:
        runner = ForkRunner()
        job = asyncio.create_task(runner.run(burn(1000)))
        while runner._workers is None or not runner._workers.pids:
            await asyncio.sleep(0.005)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        await runner.aclose()
        assert children() == before

    asyncio.run(do())


IGNORED_SIGNALS = """
import asyncio, os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU])
from tests.read.workers.jobs import fail
from tests.read.workers.sync_pool import burn
from webquarry.errors import WebquarryError
from webquarry._read.workers.fork import ForkRunner
from webquarry._read.workers.job import Job, WorkerLimits
from webquarry._read.workers.pool import WorkerPool

async def main():
    runner = {"fork": ForkRunner, "workers": WorkerPool}[sys.argv[1]](WorkerLimits(cpu_seconds=1))
    print((await runner.run(burn(0, b"read"))).decode())
    for job in (Job(fail, {"error": "NotFound", "arguments": ["It is gone."]}), burn(1000)):
        try:
            await runner.run(job)
        except WebquarryError as error:
            print(error.message)
    await runner.aclose()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["fork", "workers"])
@pytest.mark.slow
def test_ignored_signals_of_the_parent_change_nothing(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IGNORED_SIGNALS, kind],
        capture_output=True,
        text=True,
        timeout=120,
        env=SCRIPT_ENVIRON,
    )

    assert done.stdout.splitlines() == [
        "read",
        "It is gone.",
        f"{URL} could not be read safely: it takes too long.",
    ]
    assert "Traceback" not in done.stderr


SEEN_SIGNALS = """
import asyncio, signal
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU])
from tests.read.workers.jobs import fail
from webquarry._read.workers import fork
from webquarry._read.workers.job import Job

def look(head, body):
    is_blocked = signal.SIGXCPU in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    return b"{}", repr((signal.getsignal(signal.SIGXCPU).name, is_blocked)).encode()

fork.answer_job = look
print(asyncio.run(fork.ForkRunner().run(Job(fail))).decode())
"""


def test_sigxcpu_has_its_default_action_in_a_fork() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEEN_SIGNALS], capture_output=True, text=True, env=SCRIPT_ENVIRON
    )

    assert done.stdout == "('SIG_DFL', False)\n", done.stderr
