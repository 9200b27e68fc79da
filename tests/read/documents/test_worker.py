"""The child process: warm, bounded, replaced when it is worn out or dead, and gone when it is not
needed.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.read.formats.make_samples import FOLDER
from tests.read.formats.pdf_writer import Pdf
from webquarry.errors import Unreadable
from webquarry.read.documents.models import DocumentLimits, Job
from webquarry.read.documents.pool import Pool, close_workers, read_document
from webquarry.read.documents.worker import Worker, WorkerDied

PAPER = (FOLDER / "paper.pdf").read_bytes()
LETTER = (FOLDER / "letter.docx").read_bytes()
URL = "https://site.example/paper.pdf"
LINUX = pytest.mark.skipif(
    not Path("/proc/self/limits").exists(), reason="the system does not show its processes as files"
)


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(size=1)
    yield pool
    pool.close()


def tiresome() -> bytes:
    """A page of 600,000 letters, each written for itself: many seconds of work, little memory."""
    pdf = Pdf()
    pdf.add().raw("BT /F1 9 Tf " + "(a) Tj " * 600_000 + "ET")
    return pdf.data()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_one_child_reads_one_document_after_another() -> None:
    worker = Worker(DocumentLimits())
    try:
        for place in range(3):
            assert "document" in worker.ask(Job("pdf"), PAPER)
            assert worker.documents == place + 1
        assert "document" in worker.ask(Job("docx"), LETTER)
    finally:
        worker.close()

    assert not is_alive(worker.pid)


def test_a_child_is_replaced_after_so_many_documents() -> None:
    worker = Worker(DocumentLimits(documents=2))
    try:
        worker.ask(Job("pdf"), PAPER)
        assert worker.usable
        worker.ask(Job("pdf"), PAPER)
        assert not worker.usable
    finally:
        worker.close()


def test_a_child_that_has_grown_is_replaced() -> None:
    worker = Worker(DocumentLimits(resident_bytes=1))
    try:
        worker.ask(Job("pdf"), PAPER)
        assert not worker.usable
    finally:
        worker.close()


def test_a_pool_goes_on_with_a_new_child_when_the_old_one_is_worn_out() -> None:
    pool = Pool(DocumentLimits(documents=1), size=1)
    try:
        assert len({pool.read("pdf", URL, PAPER).markdown for _ in range(3)}) == 1
    finally:
        pool.close()


@pytest.mark.parametrize(
    "limits", [DocumentLimits(wall_seconds=0.7), DocumentLimits(cpu_seconds=1)], ids=["wall", "cpu"]
)
def test_a_document_that_takes_too_long_costs_its_child_only(limits: DocumentLimits) -> None:
    pool = Pool(limits, size=1)
    try:
        with pytest.raises(
            Unreadable,
            match=r"^https://site.example/paper.pdf could not be read safely: it takes too long\.$",
        ):
            pool.read("pdf", URL, tiresome())
        assert pool.read("pdf", URL, PAPER).title == "What the tide leaves behind"
    finally:
        pool.close()


def test_a_child_that_is_killed_while_it_reads_is_understood() -> None:
    worker = Worker(DocumentLimits())
    killer = threading.Timer(0.5, os.kill, (worker.pid, 9))
    killer.start()
    try:
        with pytest.raises(WorkerDied, match="could not be read safely: it brings down"):
            worker.ask(Job("pdf", cpu_seconds=60), tiresome())
    finally:
        killer.join()
        worker.close()


def test_a_child_that_died_in_its_sleep_is_replaced_without_a_word(pool: Pool) -> None:
    pool.read("pdf", URL, PAPER)
    (worker,) = pool._idle
    os.kill(worker.pid, 9)
    worker._process.wait()

    assert pool.read("pdf", URL, PAPER).title == "What the tide leaves behind"


def test_a_child_that_was_interrupted_is_not_used_again(
    monkeypatch: pytest.MonkeyPatch, pool: Pool
) -> None:
    pool.read("pdf", URL, PAPER)
    (worker,) = pool._idle

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webquarry.read.documents.worker.read_frame", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pool.read("pdf", URL, PAPER)
    monkeypatch.undo()

    assert not is_alive(worker.pid)
    assert pool.read("pdf", URL, PAPER).title == "What the tide leaves behind"


def test_a_child_that_cannot_start_is_said_to_have_failed(
    monkeypatch: pytest.MonkeyPatch, pool: Pool
) -> None:
    monkeypatch.setattr("webquarry.read.documents.worker._START", "raise ImportError")
    with pytest.raises(
        Unreadable, match="could not be read: the program that reads such files failed"
    ):
        pool.read("pdf", URL, PAPER)

    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(Unreadable, match="could not be read: no process could be started for it"):
        pool.read("pdf", URL, PAPER)


def test_a_file_that_is_too_large_is_refused_before_any_process_sees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webquarry.read.documents.pool.LARGEST_FILE", 1000)
    pool = Pool(size=1)

    with pytest.raises(Unreadable, match="too large"):
        pool.read("pdf", URL, PAPER)
    assert pool._idle == []


def test_errors_do_not_repeat_the_secrets_of_a_url(pool: Pool) -> None:
    with pytest.raises(Unreadable) as caught:
        pool.read("pdf", "https://site.example/a.pdf?token=hunter2222", b"%PDF-1.4 nothing")

    assert "hunter2222" not in caught.value.message


@LINUX
def test_the_child_sees_nothing_of_our_environment_files_and_sockets(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "a-secret-of-ours")
    inherited, other = os.pipe()
    os.set_inheritable(inherited, True)
    worker = Worker(DocumentLimits())
    try:
        worker.ask(Job("pdf"), PAPER)
        environment = Path(f"/proc/{worker.pid}/environ").read_bytes()
        files = {os.readlink(place) for place in Path(f"/proc/{worker.pid}/fd").iterdir()}
        limits = Path(f"/proc/{worker.pid}/limits").read_text()
    finally:
        worker.close()
        os.close(inherited)
        os.close(other)

    assert environment in (b"", b"LC_CTYPE=C.UTF-8\0")  # Python sets that one itself
    assert {name.partition(":")[0] for name in files} == {"pipe", "/dev/null"}
    assert len([name for name in files if name.startswith("pipe")]) == 2
    soft = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()[1:]}
    assert {soft["Max address space"], soft["Max core file size"], soft["Max file size"]} == {
        "1073741824",
        "0",
    }
    assert int(soft["Max cpu time"]) < 60


@LINUX
def test_the_child_imports_no_more_than_it_needs() -> None:
    code = (
        "import sys; from webquarry.read.documents import child; "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {
        "httpx2",
        "pydantic",
        "lxml",
        "pypdfium2",
        "chardet",
        "asyncio",
        "ssl",
        "socket",
    } & set(done.stdout.split())


def test_the_parent_never_loads_the_library_that_reads_pdfs() -> None:
    code = (
        "import sys; from webquarry.read.detect import load_formats\n"
        "from webquarry.read.format import FetchedDocument\n"
        f"body = open({str(FOLDER / 'paper.pdf')!r}, 'rb'); source = "
        "FetchedDocument('https://x.example/', body.read()); body.close()\n"
        "print(load_formats()['pdf'].to_markdown(source).title, 'pypdfium2' in sys.modules, "
        "'pypdfium2_raw' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code], capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("What the tide leaves behind False False\n", "")


def test_many_threads_and_tasks_share_the_children() -> None:
    async def from_tasks() -> list[str]:
        reads = [asyncio.to_thread(read_document, "pdf", URL, PAPER) for _ in range(6)]
        return [document.title for document in await asyncio.gather(*reads)]

    try:
        with ThreadPoolExecutor(8) as threads:
            kinds = [("pdf", PAPER), ("docx", LETTER)] * 10
            found = list(threads.map(lambda job: read_document(job[0], URL, job[1]).title, kinds))
        assert found == ["What the tide leaves behind", "Notice 14"] * 10
        assert asyncio.run(from_tasks()) == ["What the tide leaves behind"] * 6
    finally:
        close_workers()


def test_more_threads_than_children_wait_for_their_turn() -> None:
    pool = Pool(size=2)
    try:
        with ThreadPoolExecutor(6) as threads:
            titles = list(threads.map(lambda _: pool.read("pdf", URL, PAPER).title, range(12)))
        assert titles == ["What the tide leaves behind"] * 12
        assert len(pool._idle) <= 2
    finally:
        pool.close()


FORKING = """
import os
from webquarry.read.documents import pool

def read():
    return pool.read_document("pdf", "https://x.example/", DATA).title, pool._pool._idle[0].pid

with open(FILE, "rb") as file:
    DATA = file.read()
title, ours = read()
child = os.fork()
if not child:
    theirs, other = read()
    os._exit(0 if theirs == title and other != ours else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert read() == (title, ours)
print(title)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_fork_gets_children_of_its_own_and_leaves_ours_alone() -> None:
    code = FORKING.replace("FILE", repr(str(FOLDER / "paper.pdf")))
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code], capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("What the tide leaves behind\n", "")


def test_a_process_that_ends_leaves_no_child_and_says_nothing() -> None:
    code = (
        "from webquarry.read.documents import pool\n"
        f"body = open({str(FOLDER / 'paper.pdf')!r}, 'rb'); data = body.read(); body.close()\n"
        "pool.read_document('pdf', 'https://x.example/', data); print(pool._pool._idle[0].pid)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code], capture_output=True, text=True
    )

    assert done.stderr == ""
    assert not is_alive(int(done.stdout))
