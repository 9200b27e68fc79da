"""A page, or a source of a session -> what every view shows of it."""

from __future__ import annotations

from typing import Any

from webquarry._search.addresses import split_url
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.trust.known_hosts import type_of_host
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.secret import redact
from webquarry.sessions.models import RecordedSource, ResearchSession, Stage
from webquarry.sessions.references import clean_work, work_of_source
from webquarry.sessions.views import format_time
from webquarry.views.marked_text import identify_quote

STAGES: tuple[Stage, ...] = ("found", "read", "quoted")


def describe_page(url: str, title: str) -> dict[str, Any]:
    """What is known of a page by its address."""
    reputation = reputation_of(url)
    try:
        host = split_url(url).hostname or ""
    except ValueError:
        host = ""
    return {
        "url": clean_url(redact(url)),
        "title": clean_line(title),
        "host": clean_line(host),
        "type": type_of_host(host),
        "reputation": reputation.tier if reputation else None,
        "basis": reputation.basis if reputation else None,
    }


def describe_source(recorded: RecordedSource, session: ResearchSession) -> dict[str, Any]:
    """A source of a session, with the places of its quotes."""
    source = recorded.source
    fields = describe_page(source.url, source.title)
    csl = source.csl or {}
    fields["type"] = fields["type"] or csl.get("type")
    quotes = [
        {
            "quote": clean_line(quote.text),
            "tier": quote.tier,
            "found": quote.is_found,
            "url": clean_url(quote.url),
            "spans": quote.spans,
            "textHash": quote.text_hash,
            "id": identify_quote(quote),
        }
        for quote in recorded.quotes
    ]
    citation = None
    if recorded.stage != "found":
        citation = format_apa(clean_work(work_of_source(source)))
    hashes = [quote.text_hash for quote in recorded.quotes if quote.text_hash]
    return {
        **fields,
        "session": session.id,
        "number": recorded.number,
        "stage": recorded.stage,
        "published": source.published,
        "provider": source.provider,
        "steps": recorded.steps,
        "tools": recorded.tools,
        "foundAt": format_time(recorded.at),
        "quotes": quotes,
        "citation": citation,
        "textHash": hashes[-1] if hashes else None,
    }
