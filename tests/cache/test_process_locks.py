"""Processes that share a folder make one thing once, whatever happens to the one that makes it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import ClassVar

import pytest

from tests.cache.kept_values import until
from tests.local_site import LocalSite
from webquarry.clock import Clock
from webquarry.store.cache import Cache, Made, MemoryStore
from webquarry.store.disk_cache import DiskStore
from webquarry.store.locks import ProcessLocks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")

HOLDER = """
import asyncio, sys
from pathlib import Path
from webquarry.store.locks import ProcessLocks
locks = ProcessLocks(Path(sys.argv[1]))
lock = asyncio.run(locks.acquire(sys.argv[2]))
print("has it", flush=True)
sys.stdin.readline()
locks.release(lock)
sys.stdin.readline()
"""


class Holder:
    """Another process, which has the lock."""

    def __init__(self, folder: Path, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(folder), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "has it\n"

    def give_back(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def held(folder: Path, name: str) -> Iterator[Holder]:
    holder = Holder(folder, name)
    try:
        yield holder
    finally:
        holder.end()


@pytest.mark.parametrize("how", ["give_back", "end"])
def test_a_lock_is_waited_for_until_it_is_released_or_its_process_ends(
    tmp_path: Path, how: str
) -> None:
    async def scenario(holder: Holder) -> bool:
        locks = ProcessLocks(tmp_path)
        waiting = asyncio.create_task(locks.acquire("page"))
        other = await locks.acquire("another page")
        await asyncio.sleep(0)
        assert (other.has_waited, waiting.done()) == (False, False)
        getattr(holder, how)()
        lock = await waiting
        locks.close()
        return lock.has_waited

    with held(tmp_path, "page") as holder:
        assert asyncio.run(scenario(holder))


@pytest.mark.parametrize(("turn", "fresh"), [("page", False), ("page fresh", True)])
def test_what_another_process_made_meanwhile_is_not_made_again(
    tmp_path: Path, turn: str, fresh: bool
) -> None:
    async def make() -> Made:
        raise AssertionError("another process made it")

    async def scenario(holder: Holder) -> bytes:
        stores = [MemoryStore(1_000_000), DiskStore(tmp_path, 1_000_000)]
        cache = Cache(stores, Clock(), locks=ProcessLocks(tmp_path))
        other = Cache([DiskStore(tmp_path, 1_000_000)], Clock())
        if fresh:
            await cache.put("page", Made(b"old", 60))
        reading = asyncio.create_task(cache.get_or_make("page", make, fresh=fresh))
        await until(lambda: turn in cache._flights._flights)
        for _ in range(5):  # until it waits for the lock
            await asyncio.sleep(0)
        await other.put("page", Made(b"new", 60))
        holder.give_back()
        found = await reading
        await cache.aclose()
        await other.aclose()
        return found.value

    with held(tmp_path, turn) as holder:
        assert asyncio.run(scenario(holder)) == b"new"


def test_unusable_folder_does_not_block(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    locks = ProcessLocks(tmp_path / "file" / "below")

    lock = asyncio.run(locks.acquire("page"))
    locks.release(lock)

    assert not lock.has_waited


READER = """
import json, sys
import webquarry
print("asks", flush=True)
page = webquarry.read(sys.argv[1])
print(json.dumps(page.content), flush=True)
"""
PAGE = b"<html><title>Tide</title><article><p>" + b"The tide turns four times a day. " * 20


class SlowPage(BaseHTTPRequestHandler):
    """A page that is sent when everybody has asked for it."""

    may_send = Event()
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path == "/tide":
            self.may_send.wait(60)
        status = 200 if self.path == "/tide" else 404
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
def test_processes_that_read_one_page_at_the_same_moment_send_one_request(tmp_path: Path) -> None:
    environ = os.environ | {"HOME": str(tmp_path), "WEBQUARRY_ALLOW_PRIVATE": "1"}
    with LocalSite(ThreadingHTTPServer(("127.0.0.1", 0), SlowPage)) as site:
        readers = []
        for _ in range(2):
            reader = subprocess.Popen(
                [sys.executable, "-c", READER, f"{site.origin}/tide"],
                stdout=subprocess.PIPE,
                env=environ,
                text=True,
            )
            readers.append(reader)
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == "asks\n"
        SlowPage.may_send.set()
        texts = [json.loads(reader.communicate()[0]) for reader in readers]

    assert texts[0] == texts[1]
    assert "four times a day" in texts[0]
    assert SlowPage.asked.count("/tide") == 1
