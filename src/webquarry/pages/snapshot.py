"""A page that was read and its evidence -> a snapshot: its text, or its bytes, with everything that
is said of it; and the form in which a snapshot is stored.

The text is stored behind the rest, not in it, because JSON would make it a third larger.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from webquarry.evidence.evidence import Evidence
from webquarry.evidence.models import AnswerPart, RetractionStatus
from webquarry.pages.clean import clean_url
from webquarry.pages.slice import SnapshotKind
from webquarry.read.models import Page, RawPage

_NAMED_FORMATS = frozenset({"html", "markdown"})  # the ways to a text that have a name
_DIGEST_LENGTH = 16  # hexadecimal digits, enough to notice that a page has changed


@dataclass(frozen=True)
class Snapshot:
    """A page as it was when it was fetched."""

    data: bytes  # UTF-8, unless its kind is `bytes`
    kind: SnapshotKind
    fields: dict[str, Any]  # of the answer, as JSON has them: whatever does not depend on the slice
    notes: tuple[str, ...]
    reader: str  # who read it: page, raw or the name of a special reader
    fetched_at: datetime
    cached: bool = False

    @property
    def digest(self) -> str:
        """Tells this text from any other."""
        digest = sha256(self.data).hexdigest()
        return digest[:_DIGEST_LENGTH]


def snapshot_page(
    page: Page, evidence: Evidence, status: RetractionStatus | None, notes: tuple[str, ...]
) -> Snapshot:
    """The snapshot of a page that was read as Markdown; `notes` come after those of the page."""
    extracted_by = None
    if page.content_type in _NAMED_FORMATS and not page.reader:
        extracted_by = page.content_type
    quality = "partial"
    note: str | None = " ".join(page.lost) or None
    if page.outcome == "ok" and not page.lost:
        quality = "complete"
    fields = {
        "url": clean_url(page.url),
        "contentType": page.content_type,
        "extractedBy": extracted_by,
        "extractionQuality": quality,
        "extractionNote": note,
        "metadata": dump_part(evidence.metadata),
        "structuredData": dump_part(evidence.structured_data),
        "forumSignals": dump_part(evidence.forum_signals),
        **_evidence_fields(evidence, status),
    }
    return Snapshot(
        data=page.markdown.encode(),
        kind="markdown",
        fields=_without_none(fields),
        notes=(*page.notes, *notes),
        reader=page.reader or "page",
        fetched_at=page.fetched_at,
    )


def snapshot_bytes(
    raw: RawPage, evidence: Evidence, status: RetractionStatus | None, notes: tuple[str, ...]
) -> Snapshot:
    """The snapshot of what a server sent, as text where it is text."""
    fields = {
        "url": clean_url(raw.url),
        "contentType": raw.content_type,
        "raw": True,
        **_evidence_fields(evidence, status),
    }
    kind: SnapshotKind = "bytes"
    data = raw.body
    if raw.text is not None:
        kind = "text"
        data = raw.text.encode("utf-8", "replace")
    return Snapshot(data, kind, _without_none(fields), notes, "raw", raw.fetched_at)


def pack_snapshot(snapshot: Snapshot) -> bytes:
    """The snapshot as it is stored: everything but its text as one line of JSON, then its text."""
    head = {
        "kind": snapshot.kind,
        "fields": snapshot.fields,
        "notes": snapshot.notes,
        "reader": snapshot.reader,
        "fetched_at": snapshot.fetched_at.isoformat(),
    }
    line = json.dumps(head, ensure_ascii=False).encode("utf-8", "replace")
    return line + b"\n" + snapshot.data


def unpack_snapshot(stored: bytes, *, cached: bool) -> Snapshot:
    """The snapshot that was stored."""
    line, _, data = stored.partition(b"\n")
    head = json.loads(line)
    return Snapshot(
        data=data,
        kind=head["kind"],
        fields=head["fields"],
        notes=tuple(head["notes"]),
        reader=head["reader"],
        fetched_at=datetime.fromisoformat(head["fetched_at"]),
        cached=cached,
    )


def dump_part(shape: AnswerPart | None) -> dict[str, Any] | None:
    """A part of an answer as JSON has it."""
    if shape is None:
        return None
    return shape.model_dump(mode="json", by_alias=True, exclude_none=True)


def _evidence_fields(evidence: Evidence, status: RetractionStatus | None) -> dict[str, Any]:
    return {
        "citation": dump_part(evidence.citation),
        "sourceType": evidence.source_type,
        "authorityTier": evidence.authority_tier,
        "domainCategory": evidence.domain_category,
        "sourceReputation": dump_part(evidence.source_reputation),
        "detectedDoi": evidence.detected_doi,
        "retractionStatus": dump_part(status),
    }


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """What is not known is absent."""
    return {name: value for name, value in fields.items() if value is not None}
