"""Jobs on fetched pages: parse a response and return its packed snapshot or words.

One job does all the work on a page, so that the parsed document never leaves its process.
"""

from __future__ import annotations

import json
from dataclasses import replace

from webquarry._read.models import Page
from webquarry._read.page_form import pack_fields
from webquarry._read.reader import FetchedPage
from webquarry._read.slices.text import WrittenText
from webquarry._read.workers.job import Job, job
from webquarry.errors import ScriptPage
from webquarry.pages.kept import may_keep
from webquarry.pages.snapshot import (
    Snapshot,
    pack_snapshot,
    snapshot_bytes,
    snapshot_page,
    unpack_snapshot,
)
from webquarry.pages.words import pack_words
from webquarry.secret import redact


@job("take snapshot")
def take_snapshot(job: Job) -> bytes:
    """Return the packed snapshot of a fetched page.

    The leading fields hold its DOI, whether its scripts may add content, and whether it may be
    stored.
    """
    from webquarry.evidence.evidence import evidence_of

    selection = job.arguments["selection"]
    fetched = FetchedPage.of(job)
    page = fetched.parse(selection)
    if page.need == "must":
        raise ScriptPage(f"{redact(page.url)} cannot be read without its scripts. {page.notes[-1]}")
    evidence = evidence_of(page.url, page.document, page, page.fetched_at)
    snapshot = snapshot_page(page, evidence, is_whole=selection == "whole")
    snapshot = replace(snapshot, is_unstyled=job.arguments.get("is_unstyled", False))
    fields = {
        "doi": evidence.detected_doi,
        "need": page.need,
        "may_keep": may_keep(fetched.reply, page),
    }
    return pack_fields(fields, pack_snapshot(snapshot))


@job("take words")
def take_words(job: Job) -> bytes:
    """Return the packed words of a whole fetched page."""
    return pack_words(FetchedPage.of(job).parse("whole"))


@job("take raw snapshot")
def take_raw_snapshot(job: Job) -> bytes:
    """Return the packed snapshot of the bytes of a response, with its DOI in the leading fields."""
    from webquarry._read.reply import raw_reply
    from webquarry.evidence.evidence import evidence_of

    fetched = FetchedPage.of(job)
    assert fetched.reply is not None
    raw = raw_reply(fetched.requested_url, fetched.reply)
    # The page was not parsed; evidence needs these fields only.
    page = Page(
        url=raw.url,
        requested_url=raw.requested_url,
        title=raw.title,
        text=WrittenText(b""),
        content_type="",
        encoding="",
        outcome="ok",
        notes=(),
        fetched_at=raw.fetched_at,
    )
    evidence = evidence_of(raw.url, raw.document, page, raw.fetched_at)
    packed = pack_snapshot(snapshot_bytes(raw, evidence))
    return pack_fields({"doi": evidence.detected_doi}, packed)


def build_description_job(snapshot: Snapshot) -> Job:
    """Return the job that describes a stored page."""
    return Job(describe, {}, pack_snapshot(snapshot), snapshot.fields["url"], ahead=True)


@job("describe page")
def describe(job: Job) -> bytes:
    """Return everything that a packed snapshot holds, as JSON."""
    from webquarry.pages.outgoing import filter_value

    described = unpack_snapshot(job.body, cached=False).describe()
    content = described["content"]  # was filtered when it was read
    page = filter_value(described | {"content": ""}) | {"content": content}
    return json.dumps(page, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
