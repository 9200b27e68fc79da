"""A page that was read and its evidence -> a snapshot: its text, or its bytes, with everything that
is said of it; and the form in which a snapshot is stored.

A snapshot is the same for all calls. Its text has no link targets, unless it is a list of links;
they are stored with its units and the structured data of the page, and parsed when a call needs
them. The text is stored after the rest, because JSON would make it a third larger.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from webquarry._read.models import Page, RawPage
from webquarry._read.page_form import write_json
from webquarry._read.slices.text import WrittenText
from webquarry.evidence.citation import format_citation
from webquarry.evidence.models import AnswerPart, CitationFormats, CitationStyle, RetractionStatus
from webquarry.evidence.page.people import Name
from webquarry.evidence.page.structured import shorten_structured_data
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.csl import parse_csl, to_csl
from webquarry.evidence.styles.work import MOST_LISTED, Work
from webquarry.pages.clean import clean_url
from webquarry.pages.slice import SnapshotKind

if TYPE_CHECKING:
    from webquarry.evidence.evidence import Evidence

_NAMED_FORMATS = frozenset({"html", "markdown"})  # the ways to a text that have a name
_PIECES = 5  # of a snapshot
_DIGEST_LENGTH = 16  # hexadecimal digits, enough to notice that a page has changed


@dataclass(frozen=True)
class Snapshot:
    """A page as it was when it was fetched."""

    data: bytes  # UTF-8, unless its kind is `bytes`
    kind: SnapshotKind
    fields: dict[str, Any]  # of the answer, as JSON has them: whatever does not depend on the slice
    notes: tuple[str, ...]
    reader: str  # page, raw or the name of a site reader
    fetched_at: datetime
    cached: bool = False
    csl: dict[str, Any] = field(default_factory=dict)  # the work, as reference managers read it
    # The last of more authors than a reference lists, whom some styles name.
    last_author: dict[str, str] | None = None
    apa: str = ""  # its citation in the form that most ask for, written where it was read
    beside: bytes = b"{}"  # what only some calls need, as JSON
    cut_at: int | None = None  # bytes after which the rest was not fetched

    @property
    def digest(self) -> str:
        """Tells this text from any other."""
        return digest_of(self.data)

    @cached_property
    def _beside(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.beside)
        return loaded

    @property
    def work(self) -> Work:
        """The page as a work, to be cited in any form."""
        work = parse_csl(self.csl)
        if self.last_author is None:
            return work
        last = Name(**self.last_author)
        return replace(work, authors=(*work.authors[:-1], last))

    def cite(self, style: CitationStyle) -> CitationFormats:
        """The citation of the page in one form."""
        if style == "apa" and self.apa:
            return CitationFormats(apa=self.apa)
        return format_citation(self.work, style)

    @property
    def text(self) -> WrittenText:
        """The text with its units and links."""
        fields = self._beside.get("text")
        return WrittenText.build(self.data, fields) if fields else WrittenText(self.data)

    @property
    def structured(self) -> dict[str, Any] | None:
        """The structured data of the page, whole."""
        return self._beside.get("structured")

    @property
    def metadata(self) -> dict[str, Any] | None:
        """What the page says of itself, whole: also what the citation says already."""
        return self._beside.get("metadata")


def digest_of(data: bytes) -> str:
    """Tells a text from any other."""
    digest = sha256(data).hexdigest()
    return digest[:_DIGEST_LENGTH]


def snapshot_page(page: Page, evidence: Evidence, *, is_whole: bool = False) -> Snapshot:
    """Return the snapshot of a page that was read. Its text has link targets only if it is a list
    of links.
    """
    left_out = None
    if page.left_out is not None:
        left_out = {"bytes": page.left_out.bytes, "headings": list(page.left_out.headings)}
    extracted_by = None
    is_from_page = not page.reader or page.document is not None
    if page.content_type in _NAMED_FORMATS and is_from_page:
        extracted_by = page.tier or page.content_type
    quality = "partial"
    note: str | None = " ".join(page.lost) or None
    if page.outcome == "ok" and not page.lost:
        quality = "complete"
    text = page.text.for_storage()
    metadata = evidence.metadata
    structured = evidence.structured_data
    short = None
    if structured:
        short = shorten_structured_data(structured, metadata or {}, evidence.cited)
    fields = {
        "url": clean_url(page.url),
        "contentType": page.content_type,
        "whole": is_whole or None,
        "extractedBy": extracted_by,
        "extractionQuality": quality,
        "extractionNote": note,
        "leftOut": left_out,
        "linksLeftOut": text.count_targets() or None,
        "metadata": _shorten_metadata(metadata, evidence.cited["metadata"]),
        "structuredData": short,
        "forumSignals": dump_part(evidence.forum_signals),
        **_evidence_fields(evidence),
    }
    return Snapshot(
        data=text.data,
        kind="markdown",
        fields=_without_none(fields),
        notes=page.notes,
        reader=page.reader or page.tier.partition(":")[0] or "page",
        fetched_at=page.fetched_at,
        csl=to_csl(evidence.work),
        last_author=_find_last_author(evidence.work),
        apa=format_apa(evidence.work),
        beside=_pack_beside(text, structured, metadata),
    )


def snapshot_bytes(raw: RawPage, evidence: Evidence) -> Snapshot:
    """The snapshot of what a server sent, as text where it is text."""
    fields = {
        "url": clean_url(raw.url),
        "contentType": raw.content_type,
        "raw": True,
        "truncated": raw.is_cut or None,
        "totalLength": raw.total,
        **_evidence_fields(evidence),
    }
    kind: SnapshotKind = "bytes"
    data = raw.body
    if raw.text is not None:
        kind = "text"
        data = raw.text.encode("utf-8", "replace")
    return Snapshot(
        data=data,
        kind=kind,
        fields=_without_none(fields),
        notes=(),
        reader="raw",
        fetched_at=raw.fetched_at,
        csl=to_csl(evidence.work),
        last_author=_find_last_author(evidence.work),
        apa=format_apa(evidence.work),
        cut_at=len(raw.body) if raw.is_cut else None,
    )


def add_retraction(
    snapshot: Snapshot, status: RetractionStatus | None, notes: tuple[str, ...]
) -> Snapshot:
    """The same, with what is known of the paper's retraction; `notes` come after those it has."""
    if status is None and not notes:
        return snapshot
    fields = dict(snapshot.fields)
    if status is not None:
        fields["retractionStatus"] = dump_part(status)
    return replace(snapshot, fields=fields, notes=(*snapshot.notes, *notes))


def pack_snapshot(snapshot: Snapshot) -> bytes:
    """The snapshot as it is stored."""
    return b"".join(snapshot_pieces(snapshot))


def snapshot_pieces(snapshot: Snapshot) -> tuple[bytes, ...]:
    """The same in pieces, of which none is a copy: a line of JSON for every call, one for those
    that ask for more, then its text.
    """
    head = {
        "kind": snapshot.kind,
        "fields": snapshot.fields,
        "notes": snapshot.notes,
        "reader": snapshot.reader,
        "fetched_at": snapshot.fetched_at.isoformat(),
        "csl": snapshot.csl,
        "last_author": snapshot.last_author,
        "apa": snapshot.apa,
        "cut_at": snapshot.cut_at,
    }
    return write_json(head), b"\n", snapshot.beside, b"\n", snapshot.data


def unpack_snapshot(stored: bytes, *, cached: bool) -> Snapshot:
    """The snapshot that was stored."""
    line, beside, data = stored.split(b"\n", 2)
    return _build_snapshot(line, beside, data, cached)


def join_pieces(pieces: Sequence[bytes]) -> list[Snapshot]:
    """The snapshots whose pieces these are, one behind the other."""
    snapshots = []
    for start in range(0, len(pieces), _PIECES):
        line, _, beside, _, data = pieces[start : start + _PIECES]
        snapshots.append(_build_snapshot(line, beside, data, cached=False))
    return snapshots


def _build_snapshot(line: bytes, beside: bytes, data: bytes, cached: bool) -> Snapshot:
    head = json.loads(line.decode())
    return Snapshot(
        data=data,
        kind=head["kind"],
        fields=head["fields"],
        notes=tuple(head["notes"]),
        reader=head["reader"],
        fetched_at=datetime.fromisoformat(head["fetched_at"]),
        cached=cached,
        csl=head["csl"],
        last_author=head["last_author"],
        apa=head["apa"],
        beside=beside,
        cut_at=head["cut_at"],
    )


def _find_last_author(work: Work) -> dict[str, str] | None:
    """The last author where the reference does not list all of them."""
    if len(work.authors) <= MOST_LISTED:
        return None
    return asdict(work.authors[-1])


def _shorten_metadata(
    metadata: dict[str, Any] | None, cited: dict[str, str]
) -> dict[str, Any] | None:
    """What a page says of itself, but for the site and the date that its citation says already."""
    if metadata is None:
        return None
    short = dict(metadata)
    if short.get("siteName") == cited["site"]:
        del short["siteName"]
    if short.get("published", {}).get("value") == cited["date"]:
        del short["published"]
    return short


def _pack_beside(
    text: WrittenText,
    structured: dict[str, Any] | None,
    metadata: dict[str, Any] | None,
) -> bytes:
    """What only some calls ask for, in one line."""
    parts = {"text": text.describe(), "structured": structured, "metadata": metadata}
    beside = _without_none(parts)
    return write_json(beside)


def dump_part(shape: AnswerPart | None) -> dict[str, Any] | None:
    """A part of an answer as JSON has it."""
    if shape is None:
        return None
    return shape.as_dict()


def _evidence_fields(evidence: Evidence) -> dict[str, Any]:
    return {
        "citation": evidence.cited,
        "sourceType": evidence.source_type,
        "authorityTier": evidence.authority_tier,
        "domainCategory": evidence.domain_category,
        "sourceReputation": dump_part(evidence.source_reputation),
        "detectedDoi": evidence.detected_doi,
    }


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """What is not known is absent."""
    return {name: value for name, value in fields.items() if value is not None}
