"""Jobs on replies: read the page that one holds, or judge whether it is a page at all."""

from __future__ import annotations

from typing import Any

from webquarry.read.page_form import describe_page, pack_fields
from webquarry.read.reader import FetchedPage, raw_reply


def read_page(arguments: dict[str, Any], body: bytes) -> bytes:
    """A reply -> its page: a line of JSON, then the Markdown."""
    page = FetchedPage.of(arguments, body).parse(arguments["selection"])
    return pack_fields(describe_page(page), page.markdown.encode("utf-8", "replace"))


def judge_reply(arguments: dict[str, Any], body: bytes) -> bytes:
    """A reply -> nothing, if it is a page; else the error says what it is."""
    fetched = FetchedPage.of(arguments, body)
    assert fetched.reply is not None
    raw_reply(fetched.requested_url, fetched.reply)
    return b""
