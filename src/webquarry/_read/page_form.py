"""Replies and pages on their way to a worker process and back: what fits into JSON, and bytes
beside it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

import httpx2

from webquarry._read.json_text import write_json
from webquarry._read.models import Dated, LeftOutText, Page
from webquarry.net.models import Reply


def describe_reply(reply: Reply) -> dict[str, Any]:
    """A reply but for its body."""
    return {
        "url": reply.url,
        "status": reply.status,
        "headers": _spell_headers(reply.headers),
        "fetched_at": reply.fetched_at.isoformat(),
        "is_cut": reply.is_cut,
    }


def build_reply(fields: dict[str, Any], body: bytes) -> Reply:
    """The reply that was described."""
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields["headers"]]
    moment = datetime.fromisoformat(fields["fetched_at"])
    is_cut = fields["is_cut"]
    return Reply(fields["url"], fields["status"], httpx2.Headers(raw), body, moment, is_cut=is_cut)


def describe_page(page: Page) -> dict[str, Any]:
    """A page but for its text and the parsed document."""
    return {
        "url": page.url,
        "requested_url": page.requested_url,
        "title": page.title,
        "content_type": page.content_type,
        "encoding": page.encoding,
        "outcome": page.outcome,
        "notes": page.notes,
        "fetched_at": page.fetched_at.isoformat(),
        "removed": dict(page.removed),
        "author": page.author,
        "published": _as_fields(page.published),
        "modified": _as_fields(page.modified),
        "lost": page.lost,
        "reader": page.reader,
        "left_out": _as_fields(page.left_out),
        "tier": page.tier,
        "need": page.need,
    }


def build_page(fields: dict[str, Any], markdown: str) -> Page:
    """The page that was described."""
    values = dict(fields)
    values["fetched_at"] = datetime.fromisoformat(fields["fetched_at"])
    for name in ("notes", "lost"):
        values[name] = tuple(fields[name])
    for name in ("published", "modified"):
        if fields[name]:
            values[name] = Dated(**fields[name])
    if fields["left_out"]:
        headings = tuple(fields["left_out"]["headings"])
        values["left_out"] = LeftOutText(fields["left_out"]["bytes"], headings)
    return Page(markdown=markdown, **values)


def pack_fields(fields: dict[str, Any], *pieces: bytes) -> bytes:
    """A line of JSON, and bytes behind it, which may come in pieces."""
    return b"".join((write_json(fields), b"\n", *pieces))


def unpack_fields(packed: bytes) -> tuple[dict[str, Any], bytes]:
    """What was packed."""
    line, _, body = packed.partition(b"\n")
    return json.loads(line.decode()), body


def _spell_headers(headers: httpx2.Headers) -> list[tuple[str, str]]:
    """Decode the headers as Latin-1, which can be reversed for any byte."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.raw]


def _as_fields(value: Dated | LeftOutText | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return asdict(value)
