"""Jobs on replies: read the page that one holds, or judge whether it is a page at all."""

from __future__ import annotations

from webquarry.read.page_form import describe_page, pack_fields
from webquarry.read.reader import FetchedPage
from webquarry.read.reply import raw_reply
from webquarry.read.workers.job import Job


def read_page(job: Job) -> bytes:
    """A reply -> its page: a line of JSON, then the Markdown."""
    page = FetchedPage.of(job).parse(job.arguments["selection"])
    return pack_fields(describe_page(page), page.markdown.encode("utf-8", "replace"))


def judge_reply(job: Job) -> bytes:
    """A reply -> nothing, if it is a page; else the error says what it is."""
    fetched = FetchedPage.of(job)
    assert fetched.reply is not None
    raw_reply(fetched.requested_url, fetched.reply)
    return b""
