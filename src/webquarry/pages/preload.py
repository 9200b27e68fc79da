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

_PATIENCE = (
    0.02  # seconds; a search that is kept answers sooner, and then its pages may be kept, too
)
_URL = "https://page.example/"
_PAGE = f"<!doctype html><html lang=en><title>A page</title><body><main><p>{'A page is read. ' * 20}</p></main>".encode()
_FETCHED = datetime(2000, 1, 1, tzinfo=UTC)
_begun = threading.Event()


@contextmanager
def loading() -> Iterator[None]:
    """Load it in a thread if what is done meanwhile takes its time; once in a process."""
    loop = asyncio.get_running_loop()
    if _begun.is_set():
        waiting = None
    else:
        waiting = loop.call_later(_PATIENCE, _begin, loop)
    try:
        yield
    finally:
        if waiting:
            waiting.cancel()


def _begin(loop: asyncio.AbstractEventLoop) -> None:
    if not _begun.is_set():
        _begun.set()
        loop.run_in_executor(None, load)


def load() -> None:
    """Read and judge a page that is at hand."""
    find_special_reader(_URL)
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    page = read_reply(_URL, Reply(_URL, 200, headers, _PAGE, _FETCHED), "main")
    evidence_of(page.url, page.document, page, page.fetched_at)
    Terms("page")
