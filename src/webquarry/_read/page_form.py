"""Replies and pages as JSON followed by bytes, for worker processes and the cache."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

from webquarry._read.models import Dated, LeftOutText, Page
from webquarry._read.slices.text import WrittenText
from webquarry.net.models import Reply

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)
_PAGE_FIELDS = tuple(
    one.name for one in fields(Page) if one.name not in ("text", "blocks", "document")
)


def write_json(value: Any) -> bytes:
    """Serialize a value; lone surrogates, which UTF-8 cannot encode, become question marks."""
    return _ENCODER.encode(value).encode("utf-8", "replace")


def pack_fields(fields: dict[str, Any], *pieces: bytes) -> bytes:
    """Return a line of JSON followed by bytes, which may come in pieces."""
    return b"".join((write_json(fields), b"\n", *pieces))


def unpack_fields(packed: bytes) -> tuple[dict[str, Any], bytes]:
    """Return what `pack_fields` packed."""
    line, _, body = packed.partition(b"\n")
    return json.loads(line.decode()), body


def describe_reply(reply: Reply) -> dict[str, Any]:
    """Return the fields of a reply without its body."""
    return {
        "url": reply.url,
        "status": reply.status,
        "headers": dict(reply.headers),
        "fetched_at": reply.fetched_at.isoformat(),
        "is_cut": reply.is_cut,
    }


def build_reply(fields: dict[str, Any], body: bytes) -> Reply:
    """Restore a described reply; its headers are a dictionary with names in lower case."""
    moment = datetime.fromisoformat(fields["fetched_at"])
    is_cut = fields["is_cut"]
    return Reply(fields["url"], fields["status"], fields["headers"], body, moment, is_cut=is_cut)


def describe_page(page: Page) -> dict[str, Any]:
    """Return the fields of a page without the Markdown and the parsed document."""
    described = {name: getattr(page, name) for name in _PAGE_FIELDS}
    described["text"] = page.text.describe()
    described |= {"fetched_at": page.fetched_at.isoformat(), "removed": dict(page.removed)}
    for name in ("published", "modified", "left_out"):
        described[name] = asdict(described[name]) if described[name] else None
    return described


def build_page(fields: dict[str, Any], markdown: bytes) -> Page:
    """Restore a described page."""
    values = dict(fields)
    values["fetched_at"] = datetime.fromisoformat(fields["fetched_at"])
    for name in ("notes", "lost"):
        values[name] = tuple(fields[name])
    for name in ("published", "modified"):
        values[name] = Dated(**fields[name]) if fields[name] else None
    if fields["left_out"]:
        headings = tuple(fields["left_out"]["headings"])
        values["left_out"] = LeftOutText(fields["left_out"]["bytes"], headings)
    values["text"] = WrittenText.build(markdown, fields["text"])
    return Page(**values)
