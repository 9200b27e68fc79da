"""The steps that shapes are given to: the whole way of a page as `scrape_page` and
`search_and_scrape` go it, from the bytes of the reply to the pieces of the answer.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime

import httpx2

from webquarry._read.reply import raw_reply, read_reply
from webquarry._read.slices.paragraphs import Repeats, paragraphs_of
from webquarry._read.slices.text import WrittenText
from webquarry._search.models import Result
from webquarry.errors import WebquarryError
from webquarry.evidence.citation import format_citation
from webquarry.evidence.evidence import evidence_of
from webquarry.net.models import Reply
from webquarry.pages.question import PageQuestion, take_passages
from webquarry.pages.score import ScoringQuery, score_page
from webquarry.pages.slice import SliceRequest, take_slice
from webquarry.pages.snapshot import (
    Snapshot,
    digest_of,
    pack_snapshot,
    snapshot_bytes,
    snapshot_page,
    unpack_snapshot,
)

URL = "https://bench.example/articles/storing-the-tide"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
WORDS = (
    "The basin behind the dam fills twice a day and empties through turbines that were built for "
    "slow water. Engineers measured how much of the energy of the tide is kept until the evening, "
    "when the town needs it most, and found that a third of it is lost on the way. "
)
# Enough prose that the page counts as one, whatever stands beside it.
PROSE = f"<h1>Storing the tide</h1><p>{WORDS}</p><p>{WORDS[::-1]}</p><p>{WORDS.upper()}</p>"
QUESTION = "How much of the energy of the tide is lost?"
_STYLES = ("apa", "mla", "bibtex", "ris", "csl-json")


def reply_of(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> Reply:
    """A server's answer with this body."""
    data = body if isinstance(body, bytes) else body.encode("utf-8", "replace")
    return Reply(URL, 200, httpx2.Headers({"content-type": content_type}), data, NOW)


def html_page(body: str, head: str = "") -> Reply:
    """A page of HTML with some prose before and behind the body."""
    return reply_of(
        f"<!doctype html><html lang='en'><head><title>Storing the tide</title>{head}</head>"
        f"<body><main><article>{PROSE}{body}<p>{WORDS}</p></article></main></body></html>"
    )


def read_page(reply: Reply) -> object:
    """The page, its main part and the whole, as answers are made of it."""
    snapshots = []
    for selection in ("main", "whole"):
        with suppress(WebquarryError):
            page = read_reply(reply.url, reply, selection)
            evidence = evidence_of(page.url, page.document, page, page.fetched_at)
            snapshot = snapshot_page(page, evidence)
            snapshots.append(unpack_snapshot(pack_snapshot(snapshot), cached=False))
    if not snapshots:
        return None
    # The whole page, which holds whatever the main part may have left out.
    return answer_from(snapshots[-1])


def answer_from(snapshot: Snapshot) -> object:
    """Every kind of answer from a snapshot."""
    text = snapshot.text
    digest = digest_of(snapshot.data)
    requests = (
        SliceRequest(limit=5_000),
        SliceRequest(limit=5_000_000),
        SliceRequest(limit=50_000, outline=True),
        SliceRequest(limit=50_000, section="1"),
        SliceRequest(limit=50_000, find="the tide"),
    )
    for request in requests:
        with suppress(WebquarryError):
            take_slice(text, digest, request)
    text.show_links("list")
    text.show_links("inline")
    for style in _STYLES:
        format_citation(snapshot.work, style)  # type: ignore[arg-type]
    return _answer_questions(snapshot, digest)


def _answer_questions(snapshot: Snapshot, digest: str) -> object:
    """What `question` gives, and what `search_and_scrape` makes of the page."""
    text = snapshot.text
    question = PageQuestion.of(QUESTION, 50_000, 2_000)
    assert question is not None
    take_passages(text, digest, question, None)
    scored = score_page(
        snapshot,
        Result("Storing the tide", URL, WORDS, "bench"),
        ScoringQuery("energy of the tide", "A third of the energy is lost.", date(2026, 6, 1)),
    )
    paragraphs = paragraphs_of(text)
    repeats = Repeats()
    repeats.left_of(paragraphs)
    repeats.left_of(paragraphs)
    return scored


def read_bytes(reply: Reply) -> object:
    """The page in raw mode."""
    raw = raw_reply(reply.url, reply)
    page = read_reply(reply.url, replace(reply, body=b"plain"), "whole")
    evidence = evidence_of(raw.url, raw.document, page, raw.fetched_at)
    return take_slice(
        WrittenText(snapshot_bytes(raw, evidence).data), "0", SliceRequest(limit=50_000), "text"
    )
