"""One bounded run of a program: every way it can end, and nothing left behind by any of them."""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
from pathlib import Path

import pytest

from webquarry.host.run import Completed, ProcessLimits, run_bounded

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
SHORT = ProcessLimits(0.4, 1000, 1000)
LONG = ProcessLimits(30, 1000, 1000)


def run_shell(script: str, limits: ProcessLimits = LONG, stdin: bytes = b"") -> Completed:
    return asyncio.run(run_bounded(["/bin/sh", "-c", script], limits, ENVIRONMENT, stdin))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def children() -> set[str]:
    """Every child of this process, zombies included. A thread that ends hands its children to
    another: then read again.
    """
    while True:
        try:
            lists = [(task / "children").read_text() for task in Path("/proc/self/task").iterdir()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        return {child for children in lists for child in children.split()}


def ends(pid: int) -> bool:
    """Does this process end? Waits for it: a killed one is gone a moment later."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)


def test_what_a_program_prints_and_how_it_ends_come_back() -> None:
    completed = run_shell("echo out; echo err >&2; exit 3")

    assert completed == Completed("exited", 3, b"out\n", b"err\n")


def test_a_slow_program_is_ended() -> None:
    completed = run_shell("echo begun; sleep 60", SHORT)

    assert (completed.ending, completed.exit_code) == ("timed_out", None)
    assert completed.stdout == b"begun\n"


def test_a_program_that_prints_without_end_is_stopped_at_the_limit() -> None:
    completed = run_shell("yes")

    assert completed.ending == "too_much"
    assert len(completed.stdout) == 1000


def test_stderr_beyond_the_limit_is_dropped() -> None:
    completed = run_shell("head -c 500000 /dev/zero >&2; echo fine")

    assert completed.ending == "exited"
    assert completed.stdout == b"fine\n"
    assert len(completed.stderr) == 1000


def test_output_is_complete_when_a_process_left_behind_holds_it_open() -> None:
    assert run_shell("echo '{}'; sleep 60 & exit 0") == Completed("exited", 0, b"{}\n", b"")


@pytest.mark.parametrize(
    "script",
    [
        "sleep 60 & echo $!; sleep 60",
        "sleep 60 >/dev/null 2>&1 & echo $!",
        "(trap '' TERM; sleep 60) & echo $!; trap '' TERM; sleep 60; sleep 60",
    ],
    ids=["timeout", "quiet one left behind", "deaf to SIGTERM"],
)
def test_the_whole_group_is_ended(script: str) -> None:
    completed = run_shell(script, SHORT)

    assert ends(int(completed.stdout))


def test_a_program_may_tidy_up_when_it_is_asked_to_end(tmp_path: Path) -> None:
    mark = tmp_path / "tidied"
    run_shell(f"trap 'touch {mark}; exit' TERM; sleep 60 & wait", SHORT)

    assert mark.exists()


def test_a_cancelled_run_leaves_nothing_behind(tmp_path: Path) -> None:
    files, processes = open_files(), children()
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    async def cancel() -> int:
        command = ["/bin/sh", "-c", f"echo $$ > {fifo}; sleep 60 & sleep 60"]
        task = asyncio.create_task(run_bounded(command, LONG, ENVIRONMENT, b""))
        pid = int(await asyncio.to_thread(fifo.read_text))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid

    pid = asyncio.run(cancel())

    assert ends(pid)
    assert open_files() == files
    assert children() == processes


def test_a_program_gets_the_environment_and_the_signals_that_it_would_get_from_a_shell() -> None:
    said = run_shell("env; grep SigIgn /proc/$$/status").stdout.decode()

    names = {line.partition("=")[0] for line in said.splitlines()[:-1]}
    assert names <= {"PATH", "PWD", "SHLVL", "_", "OLDPWD"}
    ignored = int(said.splitlines()[-1].split()[1], 16)
    assert not ignored & ~find_inherited_ignored_signals()


def find_inherited_ignored_signals() -> int:
    """Those that whoever started the tests ignores, less what every Python ignores for itself."""
    (line,) = re.findall(r"SigIgn:\s*(\w+)", Path("/proc/self/status").read_text())
    of_python = (signal.SIGPIPE, signal.SIGXFSZ)
    return int(line, 16) & ~sum(1 << (number - 1) for number in of_python)


@pytest.mark.parametrize("steps", [0, 1, 2, 4, 7])
def test_a_run_that_is_cancelled_while_it_starts_leaves_nothing_behind(steps: int) -> None:
    files, processes = open_files(), children()

    async def cancel() -> None:
        task = asyncio.create_task(
            run_bounded(["/bin/sh", "-c", "sleep 60 & sleep 60"], LONG, ENVIRONMENT, b"x")
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(cancel(), 20))

    assert open_files() == files
    assert children() == processes
