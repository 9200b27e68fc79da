"""Pages and sources of sessions as data for views, and the sessions themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webquarry._read.plain.words import hash_text
from webquarry._search.addresses import split_url
from webquarry.errors import NotFound
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.trust.known_hosts import type_of_host
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.secret import redact
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession, Stage
from webquarry.sessions.references import clean_work, work_of_source
from webquarry.sessions.views import format_time

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

STAGES: tuple[Stage, ...] = ("found", "read", "quoted")
_MOST_SESSIONS = 50  # that are read at once


async def read_sessions(kit: Toolkit) -> list[ResearchSession]:
    """Return the sessions, the last used first."""
    sessions = []
    for id, _ in (await kit.sessions.list())[:_MOST_SESSIONS]:
        try:
            sessions.append(await kit.sessions.read(id))
        except NotFound:  # ended in the meantime
            continue
    return sessions


def identify_quote(quote: KeptQuote) -> str:
    """Return a short id of a quote in a text."""
    return hash_text(f"{quote.text}\0{quote.text_hash}")[:12]


def describe_page(url: str, title: str) -> dict[str, Any]:
    """Return the facts about a page that follow from its address."""
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
    """Return a source of a session, with the places of its quotes."""
    source = recorded.source
    fields = describe_page(source.url, source.title)
    fields["type"] = fields["type"] or (source.csl or {}).get("type")
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
