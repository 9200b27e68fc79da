"""Jobs in copies of this process: as bounded as in a worker, and gone with their call."""

from __future__ import annotations

import asyncio
import mmap
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.read.workers.sync_pool import URL, burn, page_job
from webquarry.errors import NotFound, TooComplex
from webquarry.read.page_form import unpack_fields
from webquarry.read.workers.fork import ForkRunner
from webquarry.read.workers.job import Job, WorkerLimits
from webquarry.read.workers.runner import can_fork

pytestmark = pytest.mark.skipif(not can_fork(), reason="no process can be copied here")
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


def test_a_page_is_read_as_it_is_by_a_worker() -> None:
    assert unpack_fields(run(page_job(PAGE)))[0]["title"] == "Tides"


def test_errors_of_ours_come_out_as_what_they_were() -> None:
    with pytest.raises(NotFound, match=r"^It is gone\.$"):
        run(Job("fail", {"error": "NotFound", "arguments": ["It is gone."]}))


@pytest.mark.slow
def test_a_page_over_its_time_is_too_complex() -> None:
    with pytest.raises(TooComplex, match=f"{URL} could not be read safely: it takes too long"):
        run(burn(60), WorkerLimits(cpu_seconds=1))


def test_a_page_over_its_memory_is_too_complex() -> None:
    with pytest.raises(TooComplex):
        run(Job("take memory", {"megabytes": 9000}, b"", URL))


def test_what_this_process_has_taken_is_not_counted_against_a_page() -> None:
    with mmap.mmap(-1, 2 << 30):
        assert unpack_fields(run(page_job(PAGE)))[0]["title"] == "Tides"


def test_cancelling_a_call_ends_its_copy() -> None:
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


COPIED = """
import asyncio, os, sys
from webquarry.read.workers import fork
from webquarry.read.workers.job import Job

seen, told = os.pipe()
fork.answer_job = lambda head, body: (b"{}", b" ".join(
    number.encode() for number in sorted(os.listdir("/proc/self/fd"))))
sys.stdout.write("said once\\n")                     # still in the buffer when the copy is made
print(asyncio.run(fork.ForkRunner().run(Job("fail"))).decode())
"""


def test_a_copy_has_none_of_our_files_and_says_nothing_of_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", COPIED], capture_output=True, text=True
    )

    # standard streams, which lead nowhere, the pipe for the answer, and the listing itself
    assert done.stdout.splitlines() == ["said once", "0 1 2 3 4"]
    assert done.stderr == ""


def test_a_copy_that_waits_for_a_lock_of_ours_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread may hold one when the copy is made, and no thread opens it there."""
    locked = threading.Lock()
    locked.acquire()
    copies: list[int] = []
    start = ForkRunner._start

    def start_hanging_once(runner: ForkRunner, job: Job) -> tuple[int, int]:
        copies.append(1)
        if len(copies) == 2:
            locked.release()
        return start(runner, job)

    def wait_for_lock(job: Job) -> bytes:
        with locked:
            return b"read"

    monkeypatch.setattr(ForkRunner, "_start", start_hanging_once)
    monkeypatch.setattr("webquarry.read.workers.child.run_job", wait_for_lock)

    async def run() -> bytes:
        return await ForkRunner().run(Job("fail", {}))

    assert asyncio.run(asyncio.wait_for(run(), 60)) == b"read"
    assert len(copies) == 2


def hang(head: bytes, pieces: tuple[bytes, ...]) -> tuple[bytes, bytes]:
    """What a copy does that waits for a lock which nobody opens there."""
    threading.Event().wait()
    return b"", b""


@pytest.mark.slow
def test_a_job_whose_copies_all_hang_is_done_within_its_bounds_and_not_in_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webquarry.read.workers.fork.answer_job", hang)
    job = Job("burn time", {"seconds": 1000}, b"", URL, isolated=True)

    with pytest.raises(TooComplex, match="it takes too long"):
        run(job, WorkerLimits(cpu_seconds=1))
    assert unpack_fields(run(page_job(PAGE)))[0]["title"] == "Tides"


@pytest.mark.slow
def test_a_job_whose_copies_all_hang_ends_with_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webquarry.read.workers.fork.answer_job", hang)
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


INHERITED = """
import asyncio, os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU])
from tests.read.workers.sync_pool import burn
from webquarry.errors import WebquarryError
from webquarry.read.workers.fork import ForkRunner
from webquarry.read.workers.job import Job, WorkerLimits
from webquarry.read.workers.pool import WorkerPool

async def main():
    runner = {"fork": ForkRunner, "workers": WorkerPool}[sys.argv[1]](WorkerLimits(cpu_seconds=1))
    print((await runner.run(burn(0, b"read"))).decode())
    for job in (Job("fail", {"error": "NotFound", "arguments": ["It is gone."]}), burn(1000)):
        try:
            await runner.run(job)
        except WebquarryError as error:
            print(error.message)
    await runner.aclose()

asyncio.run(main())
"""


@pytest.mark.parametrize("kind", ["fork", "workers"])
@pytest.mark.slow
def test_signals_that_were_ignored_by_who_started_us_change_nothing(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", INHERITED, kind],
        capture_output=True,
        text=True,
        timeout=120,
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
from webquarry.read.workers import fork
from webquarry.read.workers.job import Job

def look(head, body):
    is_blocked = signal.SIGXCPU in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    return b"{}", repr((signal.getsignal(signal.SIGXCPU).name, is_blocked)).encode()

fork.answer_job = look
print(asyncio.run(fork.ForkRunner().run(Job("fail"))).decode())
"""


def test_the_end_of_its_time_ends_a_copy_whatever_it_inherited() -> None:
    done = subprocess.run([sys.executable, "-c", SEEN_SIGNALS], capture_output=True, text=True)

    assert done.stdout == "('SIG_DFL', False)\n", done.stderr
