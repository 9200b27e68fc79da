"""Snapshot of a page with its evidence, and the form in which it is stored.

A snapshot is the same for all calls. Its text has no link targets, unless it is a list of links;
they are stored with the units of the text and the structured data. The text is stored after the
JSON.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from webquarry._read.models import Page, RawPage
from webquarry._read.page_form import write_json
from webquarry._read.slices.text import LinkForm, WrittenText
from webquarry.evidence.citation import format_all, format_citation
from webquarry.evidence.models import (
    TRUST,
    AnswerPart,
    CitationFormats,
    CitationStyle,
    RetractionStatus,
)
from webquarry.evidence.page.people import Name
from webquarry.evidence.page.structured import shorten_structured_data
from webquarry.evidence.styles.csl import parse_csl, to_csl
from webquarry.evidence.styles.work import MOST_LISTED, Work
from webquarry.pages.clean import clean_url
from webquarry.pages.slice import SnapshotKind

if TYPE_CHECKING:
    from webquarry.evidence.evidence import Evidence

_EXTRACTED = frozenset({"html", "markdown"})  # formats that `extractedBy` names
_DIGEST_LENGTH = 16  # hexadecimal digits


@dataclass(frozen=True)
class Snapshot:
    """A page as it was when it was fetched."""

    data: bytes  # UTF-8, unless its kind is `bytes`
    kind: SnapshotKind
    fields: dict[str, Any]  # fields of the answer in JSON form that do not depend on the slice
    notes: tuple[str, ...]
    reader: str  # page, raw or the name of a site reader
    fetched_at: datetime
    cached: bool = False
    csl: dict[str, Any] = field(default_factory=dict)  # the work as CSL-JSON
    last_author: dict[str, str] | None = None  # if the CSL does not list all authors
    beside: bytes = b"{}"  # JSON that only some calls need
    cut_at: int | None = None  # bytes after which the rest was not fetched
    is_unstyled: bool = False  # the style sheets of its site were not fetched

    @property
    def digest(self) -> str:
        """The digest of the text."""
        return digest_of(self.data)

    @cached_property
    def _beside(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.beside)
        return loaded

    @property
    def work(self) -> Work:
        """The page as a work that can be cited."""
        work = parse_csl(self.csl)
        if self.last_author is None:
            return work
        return replace(work, authors=(*work.authors[:-1], Name(**self.last_author)))

    def cite(self, style: CitationStyle) -> CitationFormats:
        """Return the citation of the page in one style."""
        return format_citation(self.work, style)

    @property
    def text(self) -> WrittenText:
        """The text with its units and links."""
        fields = self._beside.get("text")
        return WrittenText.build(self.data, fields) if fields else WrittenText(self.data)

    def show_links(self, form: LinkForm | None) -> tuple[WrittenText, list[str]]:
        """Return the text with its link targets in a form, and the numbered targets."""
        return (self.text if self.kind == "markdown" else WrittenText(self.data)).show_links(form)

    @property
    def structured(self) -> dict[str, Any] | None:
        """The complete structured data of the page."""
        return self._beside.get("structured")

    @property
    def metadata(self) -> dict[str, Any] | None:
        """The complete metadata of the page."""
        return self._beside.get("metadata")

    def describe(self) -> dict[str, Any]:
        """Return everything that `scrape_page` can return of the page, in JSON form."""
        fields = {name: value for name, value in self.fields.items() if name != "linksLeftOut"}
        formatted = format_all(self.work).as_dict()
        page = {
            "url": fields.pop("url"),
            "content": self.text.markdown,
            "trust": TRUST,
            **fields,
            "citation": {**fields["citation"], "formatted": formatted},
            "fetchedAt": self.fetched_at.isoformat(),
            "metadata": self.metadata or fields.get("metadata"),
            "structuredData": self.structured or fields.get("structuredData"),
            "notes": list(self.notes) or None,
        }
        return _without_none(page)


def digest_of(data: bytes) -> str:
    """Return a short digest, enough to notice that a page has changed."""
    return sha256(data).hexdigest()[:_DIGEST_LENGTH]


def snapshot_page(page: Page, evidence: Evidence, *, is_whole: bool = False) -> Snapshot:
    """Return the snapshot of a page."""
    is_from_page = not page.reader or page.document is not None
    is_complete = page.outcome == "ok" and not page.lost
    text = page.text.for_storage()
    metadata, structured = evidence.metadata, evidence.structured_data
    short = None
    if structured:
        short = shorten_structured_data(structured, metadata or {}, evidence.cited)
    extracted_by = page.tier or page.content_type
    fields = {
        "url": clean_url(page.url),
        "contentType": page.content_type,
        "whole": is_whole or None,
        "extractedBy": extracted_by if page.content_type in _EXTRACTED and is_from_page else None,
        "extractionQuality": "complete" if is_complete else "partial",
        "extractionNote": " ".join(page.lost) or None,
        "leftOut": asdict(page.left_out) if page.left_out else None,
        "linksLeftOut": text.count_targets() or None,
        "metadata": _shorten_metadata(metadata, evidence.cited["metadata"]),
        "structuredData": short,
        "forumSignals": dump_part(evidence.forum_signals),
    }
    beside = {"text": text.describe(), "structured": structured, "metadata": metadata}
    return _build_snapshot(
        page,
        evidence,
        fields,
        data=text.data,
        kind="markdown",
        notes=page.notes,
        reader=page.reader or page.tier.partition(":")[0] or "page",
        beside=write_json(_without_none(beside)),
    )


def snapshot_bytes(raw: RawPage, evidence: Evidence) -> Snapshot:
    """Return the snapshot of an unconverted response, as text if it is text."""
    fields = {
        "url": clean_url(raw.url),
        "contentType": raw.content_type,
        "raw": True,
        "truncated": raw.is_cut or None,
        "totalLength": raw.total,
    }
    return _build_snapshot(
        raw,
        evidence,
        fields,
        data=raw.body if raw.text is None else raw.text.encode("utf-8", "replace"),
        kind="bytes" if raw.text is None else "text",
        notes=(),
        reader="raw",
        cut_at=len(raw.body) if raw.is_cut else None,
    )


def _build_snapshot(
    page: Page | RawPage, evidence: Evidence, fields: dict[str, Any], **parts: Any
) -> Snapshot:
    """Return a snapshot with the fields of its evidence."""
    fields |= {
        "citation": evidence.cited,
        "sourceType": evidence.source_type,
        "authorityTier": evidence.authority_tier,
        "domainCategory": evidence.domain_category,
        "sourceReputation": dump_part(evidence.source_reputation),
        "detectedDoi": evidence.detected_doi,
    }
    authors = evidence.work.authors
    return Snapshot(
        fields=_without_none(fields),
        fetched_at=page.fetched_at,
        csl=to_csl(evidence.work),
        last_author=asdict(authors[-1]) if len(authors) > MOST_LISTED else None,
        **parts,
    )


def add_retraction(
    snapshot: Snapshot, status: RetractionStatus | None, notes: tuple[str, ...]
) -> Snapshot:
    """Return a snapshot with the retraction status of its paper, and further notes."""
    fields = dict(snapshot.fields)
    if status is not None:
        fields["retractionStatus"] = status.as_dict()
    return replace(snapshot, fields=fields, notes=(*snapshot.notes, *notes))


def pack_snapshot(snapshot: Snapshot) -> bytes:
    """Serialize a snapshot: a line of JSON for every call, one for some calls, the text."""
    head = {
        "kind": snapshot.kind,
        "fields": snapshot.fields,
        "notes": snapshot.notes,
        "reader": snapshot.reader,
        "fetched_at": snapshot.fetched_at.isoformat(),
        "csl": snapshot.csl,
        "last_author": snapshot.last_author,
        "cut_at": snapshot.cut_at,
        "is_unstyled": snapshot.is_unstyled,
    }
    return b"\n".join((write_json(head), snapshot.beside, snapshot.data))


def unpack_snapshot(packed: bytes, *, cached: bool) -> Snapshot:
    """Restore a serialized snapshot."""
    line, beside, data = packed.split(b"\n", 2)
    head = json.loads(line.decode())
    head["fetched_at"] = datetime.fromisoformat(head["fetched_at"])
    head["notes"] = tuple(head["notes"])
    return Snapshot(data=data, beside=beside, cached=cached, **head)


def _shorten_metadata(
    metadata: dict[str, Any] | None, cited: dict[str, str]
) -> dict[str, Any] | None:
    """Return metadata without the site and the date that the citation has."""
    if metadata is None:
        return None
    short = dict(metadata)
    if short.get("siteName") == cited["site"]:
        del short["siteName"]
    if short.get("published", {}).get("value") == cited["date"]:
        del short["published"]
    return short


def dump_part(part: AnswerPart | None) -> dict[str, Any] | None:
    """Return a part of an answer in JSON form."""
    return None if part is None else part.as_dict()


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are known."""
    return {name: value for name, value in fields.items() if value is not None}
