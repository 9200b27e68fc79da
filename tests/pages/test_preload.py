"""What the first page needs is loaded while the search is under way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from webquarry.pages import preload

FIRST_PAGE = """
import sys
from datetime import UTC, datetime
import httpx2
from webquarry.evidence.evidence import evidence_of
from webquarry.evidence.language.terms import Terms
from webquarry.net.models import Reply
from webquarry.read.reader import read_reply
from webquarry.pages.preload import preload

preload()
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
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As in a process that has read no page yet; an entry for each time that anything is loaded."""
    found: list[str] = []
    monkeypatch.setattr(preload, "_started", threading.Event())
    monkeypatch.setattr(preload, "preload", lambda: found.append("loaded"))
    return found


def test_the_first_page_loads_nothing_more() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_it_is_loaded_once_while_searches_take_their_time(loads: list[str]) -> None:
    async def search() -> None:
        for _ in range(2):
            with preload.preload_meanwhile(), preload.preload_meanwhile():
                await asyncio.sleep(2 * preload._DELAY_SECONDS)

    asyncio.run(search())  # its end waits for threads

    assert loads == ["loaded"]


def test_nothing_is_loaded_for_a_search_that_is_kept(loads: list[str]) -> None:
    async def search() -> None:
        with preload.preload_meanwhile():
            pass
        await asyncio.sleep(2 * preload._DELAY_SECONDS)

    asyncio.run(search())

    assert loads == []
