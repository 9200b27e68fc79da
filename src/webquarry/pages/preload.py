"""What the first page of a process needs, loaded before there is one: formats, weights, tables and
stemmers.

All of it is loaded on first use anyway, but then the page waits for it: a third of a second, which
fetching it takes as well.
"""

from __future__ import annotations

from datetime import UTC, datetime

import httpx2

from webquarry.evidence.language.terms import Terms
from webquarry.net.models import Reply
from webquarry.pages.jobs import take_snapshot
from webquarry.read.reader import FetchedPage

_URL = "https://page.example/"
_PAGE = (
    "<!doctype html><html lang=en><title>A page</title><body>"
    f"<main><p>{'A page is read. ' * 20}</p></main>"
).encode()
_FETCHED = datetime(2000, 1, 1, tzinfo=UTC)


def preload() -> None:
    """Read and judge a page that is at hand."""
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    reply = Reply(_URL, 200, headers, _PAGE, _FETCHED)
    job = FetchedPage(_URL, reply).to_job("take snapshot", selection="main")
    take_snapshot(job)
    Terms("page")
