"""Jobs on pages: what arrived -> a snapshot of it, packed as it is kept; a snapshot and a query ->
its scores.

All of the work on a page is done in one job, so that neither its parsed document nor its text in
pieces has to go anywhere.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from typing import Any

from webquarry.errors import ScriptPage
from webquarry.evidence.scores import SourceScores
from webquarry.pages.full_page import describe_page
from webquarry.pages.kept.rules import may_keep
from webquarry.pages.outgoing import filter_value
from webquarry.pages.score import ScoredPage, ScoringQuery, score_page
from webquarry.pages.snapshot import (
    Snapshot,
    snapshot_bytes,
    snapshot_page,
    snapshot_pieces,
    unpack_snapshot,
)
from webquarry.pages.words import pack_words
from webquarry.read.models import Page
from webquarry.read.page_form import pack_fields, unpack_fields
from webquarry.read.reader import FetchedPage
from webquarry.read.workers.job import Job
from webquarry.search.models import Result
from webquarry.secret import redact


def take_snapshot(job: Job) -> bytes:
    """A reply, or the page of a special reader -> the packed snapshot, with its DOI and whether its
    scripts may bring more in a line before it.
    """
    from webquarry.evidence.evidence import evidence_of

    selection = job.arguments["selection"]
    fetched = FetchedPage.of(job)
    page = fetched.parse(selection)
    if page.need == "must":
        raise ScriptPage(f"{redact(page.url)} cannot be read without its scripts. {page.notes[-1]}")
    evidence = evidence_of(page.url, page.document, page, page.fetched_at)
    snapshot = snapshot_page(page, evidence, is_whole=selection == "whole")
    fields = {
        "doi": evidence.detected_doi,
        "need": page.need,
        "may_keep": may_keep(fetched.reply, page),
    }
    return pack_fields(fields, *snapshot_pieces(snapshot))


def take_words(job: Job) -> bytes:
    """A reply, or the page of a special reader -> the packed words of all of it."""
    return pack_words(FetchedPage.of(job).parse("whole"))


def take_raw_snapshot(job: Job) -> bytes:
    """A reply -> the packed snapshot of its bytes, its DOI in a line before it."""
    from webquarry.evidence.evidence import evidence_of
    from webquarry.read.reply import raw_reply

    fetched = FetchedPage.of(job)
    assert fetched.reply is not None
    raw = raw_reply(fetched.requested_url, fetched.reply)
    # What is known of bytes that nobody read, in the shape that evidence is made from.
    page = Page(
        url=raw.url,
        requested_url=raw.requested_url,
        title=raw.title,
        markdown="",
        content_type="",
        encoding="",
        outcome="ok",
        notes=(),
        fetched_at=raw.fetched_at,
    )
    evidence = evidence_of(raw.url, raw.document, page, raw.fetched_at)
    snapshot = snapshot_bytes(raw, evidence)
    return pack_fields({"doi": evidence.detected_doi}, *snapshot_pieces(snapshot))


def build_score_job(snapshot: Snapshot, result: Result, query: ScoringQuery) -> Job:
    """The job that judges a page by a query."""
    arguments = {
        "result": asdict(result),
        "query": query.query,
        "claim": query.claim,
        "today": query.today.isoformat(),
    }
    pieces = snapshot_pieces(snapshot)
    return Job("score page", arguments, pieces, snapshot.fields["url"], ahead=True)


def build_description_job(snapshot: Snapshot) -> Job:
    """The job that tells all that is kept of a page."""
    return Job("describe page", {}, snapshot_pieces(snapshot), snapshot.fields["url"], ahead=True)


def describe(job: Job) -> bytes:
    """A packed snapshot -> all that is kept of the page, as JSON."""
    described = describe_page(unpack_snapshot(job.body, cached=False))
    content = described["content"]  # was filtered when it was read
    page = filter_value(described | {"content": ""}) | {"content": content}
    return json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def score(job: Job) -> bytes:
    """A packed snapshot -> what is said of it."""
    arguments = job.arguments
    today = date.fromisoformat(arguments["today"])
    query = ScoringQuery(arguments["query"], arguments["claim"], today)
    snapshot = unpack_snapshot(job.body, cached=False)
    scored = score_page(snapshot, Result(**arguments["result"]), query)
    return pack_fields(describe_scores(scored))


def read_scores(packed: bytes) -> ScoredPage:
    """What a score job has said."""
    fields, _ = unpack_fields(packed)
    return build_scored_page(fields)


def describe_scores(scored: ScoredPage) -> dict[str, Any]:
    """What is known of a page, as JSON has it."""
    return {
        "title": scored.title,
        "published": scored.published,
        "words": scored.words,
        "scores": scored.scores.model_dump(),
        "key_sentences": scored.key_sentences,
        "claim_signal": scored.claim_signal,
    }


def build_scored_page(fields: dict[str, Any]) -> ScoredPage:
    """What was described."""
    scores = SourceScores(**fields["scores"])
    return ScoredPage(**(fields | {"scores": scores}))
