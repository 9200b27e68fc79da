"""Warm-up of the processes that read pages."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from webquarry._read.workers.job import JobRunner
from webquarry._read.workers.pool import ThreadRunner
from webquarry.pages import pages
from webquarry.pages.pages import Pages

FIRST_PAGE = """
import sys
from datetime import UTC, datetime
import httpx2
from webquarry.evidence.evidence import evidence_of
from webquarry.evidence.language.terms import Terms
from webquarry.net.models import Reply
from webquarry._read.reply import read_reply
from webquarry.pages.preload import read_sample_page
from webquarry._read.workers.job import Job

read_sample_page(Job(read_sample_page))
known = set(sys.modules)
url = "https://tides.example/a"
body = b"<html lang=en><title>Tides</title><nav><a href='/'>Home</a></nav><article><p>"
body += b"Tides turn twice a day. " * 50
headers = httpx2.Headers({"content-type": "text/html"})
page = read_reply(url, Reply(url, 200, headers, body, datetime.now(UTC)), "main")
evidence_of(page.url, page.document, page, page.fetched_at)
assert Terms("turning tides").in_text(page.markdown)
print(sorted(set(sys.modules) - known))
"""


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages of each call of `prepare`."""
    found: list[int] = []
    monkeypatch.setattr(ThreadRunner, "prepare", lambda _, pages=1: found.append(pages))
    return found


class _Reader:
    def __init__(self, runner: JobRunner) -> None:
        self.runner = runner


def open_pages() -> Pages:
    return Pages(None, _Reader(ThreadRunner()), None, None, None)  # type: ignore[arg-type]


def test_first_page_after_the_warm_up_imports_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_runner_is_prepared_during_a_search(prepared: list[int]) -> None:
    async def search() -> None:
        with open_pages().prepare_meanwhile(3):
            async with asyncio.timeout(30):
                while not prepared:
                    await asyncio.sleep(0.001)

    asyncio.run(search())

    assert prepared == [3]


def test_runner_is_not_prepared_for_a_cached_search(prepared: list[int]) -> None:
    async def search() -> None:
        with open_pages().prepare_meanwhile(3):
            pass
        await asyncio.sleep(2 * pages._DELAY_SECONDS)

    asyncio.run(search())

    assert prepared == []
