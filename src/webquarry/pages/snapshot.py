"""A URL -> a frozen snapshot of what is there: its text, or its bytes, with everything that is said
of it.

It is kept for an hour, so that slices of one page (its outline, a section, the next piece) are
slices of the same text and cost one request. The text is stored behind the rest, not in it, because
JSON would make it a third larger.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from webquarry.cache.base import key_of
from webquarry.cache.cache import Made
from webquarry.errors import WebquarryError
from webquarry.evidence.evidence import Evidence, evidence_of
from webquarry.evidence.models import AnswerPart, RetractionStatus
from webquarry.evidence.trust import retraction
from webquarry.pages.clean import clean_url
from webquarry.pages.slice import Kind
from webquarry.read.models import Page, RawPage
from webquarry.secret import redact
from webquarry.toolkit import Toolkit

_VERSION = 1
_RETRACTION_VERSION = 1
_RETRACTION_SECONDS = 86_400.0  # how long the state of a paper is good; that it is clean, too
_CROSSREF_TIMEOUT = 8.0
_TIERS = frozenset({"html", "markdown"})  # the ways to a text that have a name
_ORIGINS = ("youtube", "hackernews", "hackernews_firebase", "crossref")


@dataclass(frozen=True)
class Snapshot:
    """A page as it was when it was fetched."""

    data: bytes  # UTF-8, unless its kind is `bytes`
    kind: Kind
    fields: dict[str, Any]  # of the answer, as JSON has them: whatever does not depend on the slice
    notes: tuple[str, ...]
    reader: str  # who read it: page, raw or the name of a special reader
    fetched_at: datetime
    cached: bool = False
    seconds_left: float = 0.0  # until it is too old

    @property
    def digest(self) -> str:
        """Tells this text from any other."""
        return sha256(self.data).hexdigest()[:16]


async def snapshot_of(kit: Toolkit, url: str, *, raw: bool = False) -> Snapshot:
    """The snapshot of a URL that is kept, or a new one."""

    async def make() -> Made:
        made = await (_raw(kit, url) if raw else _read(kit, url))
        return Made(_packed(made), kit.settings.cache_read_seconds)

    parameters = {"url": url, "raw": raw} | circumstances(kit)
    kept = await kit.cache.get_or_make(key_of("snapshot", _VERSION, parameters), make)
    return _unpacked(kept.value, kept.cached, kept.max_age_seconds - kept.age_seconds)


def circumstances(kit: Toolkit) -> dict[str, Any]:
    """The settings that decide what is read, or whether it may be."""
    settings = kit.settings
    return {
        "origins": {
            name: redact(settings.origins[name]) for name in _ORIGINS if name in settings.origins
        },
        "youtube": [settings.youtube_languages, settings.youtube_clients],
        "may": [
            settings.robots,
            settings.allow_private,
            [str(network) for network in settings.allow_networks],
        ],
        "good": settings.cache_read_seconds,
    }


async def _read(kit: Toolkit, url: str) -> Snapshot:
    page, evidence = await kit.reader.look_into(
        url, lambda page: evidence_of(page.url, page.document, page, page.fetched_at)
    )
    status, why = await _retraction(kit, evidence.detected_doi)
    fields = {
        "url": clean_url(page.url),
        "contentType": page.content_type,
        "extractedBy": page.content_type
        if page.content_type in _TIERS and not page.reader
        else None,
        "extractionQuality": "complete" if page.outcome == "ok" else "partial",
        "metadata": _plain(evidence.metadata),
        "structuredData": _plain(evidence.structured_data),
        "forumSignals": _plain(evidence.forum_signals),
        **_said_of(evidence, status),
    }
    notes = (*page.notes, *why)
    return Snapshot(
        page.markdown.encode(),
        "markdown",
        _known(fields),
        notes,
        page.reader or "page",
        page.fetched_at,
    )


async def _raw(kit: Toolkit, url: str) -> Snapshot:
    raw = await kit.reader.read_raw(url)
    evidence = await asyncio.to_thread(
        evidence_of, raw.url, raw.document, _as_page(raw), raw.fetched_at
    )
    status, why = await _retraction(kit, evidence.detected_doi)
    fields = {
        "url": clean_url(raw.url),
        "contentType": raw.content_type,
        "raw": True,
        **_said_of(evidence, status),
    }
    if raw.text is None:
        data = raw.body
    else:
        data = raw.text.encode("utf-8", "replace")
    return Snapshot(
        data, "bytes" if raw.text is None else "text", _known(fields), why, "raw", raw.fetched_at
    )


def _said_of(evidence: Evidence, status: RetractionStatus | None) -> dict[str, Any]:
    return {
        "citation": _plain(evidence.citation),
        "sourceType": evidence.source_type,
        "authorityTier": evidence.authority_tier,
        "domainCategory": evidence.domain_category,
        "sourceReputation": _plain(evidence.source_reputation),
        "detectedDoi": evidence.detected_doi,
        "retractionStatus": _plain(status),
    }


async def _retraction(
    kit: Toolkit, doi: str | None
) -> tuple[RetractionStatus | None, tuple[str, ...]]:
    """What Crossref says of a paper, also that it says nothing; the page does not wait long for it,
    nor fail with it.
    """
    if doi is None:
        return None, ()

    async def make() -> Made:
        reply = await kit.client.send(
            retraction.build_request(doi, kit.settings),
            timeout_seconds=min(_CROSSREF_TIMEOUT, kit.settings.timeout_seconds),
        )
        return Made(json.dumps(_plain(retraction.parse_reply(reply))).encode(), _RETRACTION_SECONDS)

    parameters = {"doi": doi, "origin": redact(kit.settings.origins.get("crossref", ""))}
    try:
        kept = await kit.cache.get_or_make(
            key_of("retraction", _RETRACTION_VERSION, parameters), make
        )
    except WebquarryError as error:
        return None, (f"Whether the paper was retracted is not known: {redact(error.message)}",)
    stated = json.loads(kept.value)
    return RetractionStatus.model_validate(stated) if stated else None, ()


def _as_page(raw: RawPage) -> Page:
    """What is known of bytes that nobody read, in the shape that evidence is made from."""
    return Page(raw.url, raw.requested_url, raw.title, "", "", "", "ok", (), raw.fetched_at)


def _plain(shape: AnswerPart | None) -> dict[str, Any] | None:
    if shape:
        return shape.model_dump(mode="json", by_alias=True, exclude_none=True)
    return None


def _known(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _packed(snapshot: Snapshot) -> bytes:
    head = {
        "kind": snapshot.kind,
        "fields": snapshot.fields,
        "notes": snapshot.notes,
        "reader": snapshot.reader,
        "fetched_at": snapshot.fetched_at.isoformat(),
    }
    return json.dumps(head, ensure_ascii=False).encode("utf-8", "replace") + b"\n" + snapshot.data


def _unpacked(value: bytes, cached: bool, seconds_left: float) -> Snapshot:
    head, _, data = value.partition(b"\n")
    stored = json.loads(head)
    changes = {
        "data": data,
        "notes": tuple(stored["notes"]),
        "fetched_at": datetime.fromisoformat(stored["fetched_at"]),
    }
    return Snapshot(**stored | changes | {"cached": cached, "seconds_left": seconds_left})
