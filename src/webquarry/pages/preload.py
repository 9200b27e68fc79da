"""What the first page of a process needs, loaded while its search is under way: formats, weights,
tables and stemmers.

All of it is loaded on first use anyway, but then the page waits for it: a third of a second, which
a search takes as well.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx2

from webquarry.evidence.evidence import evidence_of
from webquarry.evidence.language.terms import Terms
from webquarry.net.models import Reply
from webquarry.read.reader import read_reply
from webquarry.read.special_reader import find_special_reader

# A search that is kept answers sooner, and then its pages may be kept, too.
_DELAY_SECONDS = 0.02
_URL = "https://page.example/"
_PAGE = (
    "<!doctype html><html lang=en><title>A page</title><body>"
    f"<main><p>{'A page is read. ' * 20}</p></main>"
).encode()
_FETCHED = datetime(2000, 1, 1, tzinfo=UTC)
_started = threading.Event()


@contextmanager
def preload_meanwhile() -> Iterator[None]:
    """Preload in a thread if what is done meanwhile takes its time; once in a process."""
    loop = asyncio.get_running_loop()

    def start() -> None:
        if not _started.is_set():
            _started.set()
            loop.run_in_executor(None, preload)

    if _started.is_set():
        yield
        return
    timer = loop.call_later(_DELAY_SECONDS, start)
    try:
        yield
    finally:
        timer.cancel()


def preload() -> None:
    """Read and judge a page that is at hand."""
    find_special_reader(_URL)
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    reply = Reply(_URL, 200, headers, _PAGE, _FETCHED)
    page = read_reply(_URL, reply, "main")
    evidence_of(page.url, page.document, page, page.fetched_at)
    Terms("page")
