"""What the views of the page show: the name of one and its parameters come in, data goes out.

Everything is of whoever asks. Nothing here fetches a page but `page` with `read=1`, which a person
asks for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from webquarry.caller import LOCAL, caller
from webquarry.errors import BadInput, NotFound, WebquarryError
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.trust.known_hosts import type_of_host
from webquarry.evidence.trust.reputation import reputation_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.search.identity import identity
from webquarry.search.replies.addresses import split_url
from webquarry.secret import redact
from webquarry.sessions.export import export_session
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession, Stage
from webquarry.sessions.references import clean_work, work_of_source
from webquarry.sessions.views import format_time, status_of
from webquarry.surfaces.ui.bill import show_bill
from webquarry.surfaces.ui.marked_text import PlacedQuote, cut_text, identify_quote, place_quotes

if TYPE_CHECKING:
    from webquarry.calls.models import LoggedCall
    from webquarry.toolkit import Toolkit

Parameters = Mapping[str, str]
_MOST_CALLS = 200
_MOST_SESSIONS = 50  # whose sources are gathered at once
_STAGES: tuple[Stage, ...] = ("found", "read", "quoted")


async def answer_view(kit: Toolkit, name: str, parameters: Parameters) -> dict[str, Any]:
    """The data of a view; `BadInput` where there is none of that name."""
    show = _VIEWS.get(name)
    if show is None:
        raise BadInput(
            f"There is no view {clean_line(name)[:60]!r}.",
            suggested_action=f"Ask for one of: {', '.join(_VIEWS)}.",
        )
    return await show(kit, parameters)


async def _show_calls(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    """The latest calls, the oldest first."""
    calls = await asyncio.to_thread(kit.calls.list_latest, _MOST_CALLS)
    return {"enabled": kit.settings.call_log, "calls": [describe_call(call) for call in calls]}


def describe_call(call: LoggedCall) -> dict[str, Any]:
    """A call for the page: what was not said is left out."""
    fields = call.as_dict()
    fields.pop("caller", None)
    fields["arguments"] = {
        name: value for name, value in call.arguments.items() if value is not None
    }
    return fields


async def _show_sessions(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    """The sessions that there are, the one used last first."""
    listed = []
    for session in await _read_sessions(kit):
        stages = [source.stage for source in session.sources]
        summary: dict[str, Any] = {
            "id": session.id,
            "status": status_of(session),
            "goal": clean_line(session.goal or session.steps[0].text),
            "steps": len(session.steps),
            "touchedAt": format_time(session.touched_at),
            "endsAt": format_time(kit.sessions.ends_at(session)),
        }
        for stage in _STAGES:
            summary[stage] = stages.count(stage)
        listed.append(summary)
    return {"sessions": listed}


async def _show_session(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    """A whole session: its steps with their revisions and branches, its sources, its calls."""
    session = await kit.sessions.read(parameters.get("id", ""))
    export = export_session(session, format_time(kit.clock.now()))
    calls = await asyncio.to_thread(kit.calls.list_latest, 20_000)
    own = [call for call in calls if call.session == session.id]
    return {
        "id": session.id,
        "status": export.status,
        "goal": export.goal,
        "summary": export.summary,
        "beganAt": export.began_at,
        "touchedAt": format_time(session.touched_at),
        "steps": [step.model_dump(mode="json", by_alias=True) for step in export.steps],
        "times": [format_time(step.at) for step in session.steps],
        "sources": [_describe_source(source, session) for source in session.sources],
        "errors": [error.model_dump(mode="json", by_alias=True) for error in export.errors],
        "unplaced": [
            {"quote": clean_line(quote.text), "tier": quote.tier, "reason": quote.reason}
            for quote in session.quotes
            if not quote.url
        ],
        "calls": len(own),
        "kept": sum(bool(call.cached) for call in own),
        "usd": round(sum(call.cost or 0.0 for call in own), 6),
    }


async def _show_sources(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    """The sources of one session, or of all of them and of the latest calls: each page once, as far
    as it was used anywhere.
    """
    id = parameters.get("session")
    if id:
        session = await kit.sessions.read(id)
        return {"sources": [_describe_source(source, session) for source in session.sources]}
    pages: dict[str, dict[str, Any]] = {}
    for session in await _read_sessions(kit):
        for source in session.sources:
            _merge(pages, _describe_source(source, session))
    for call in reversed(await asyncio.to_thread(kit.calls.list_latest, _MOST_CALLS)):
        for logged in call.sources:
            fields = _describe_page(logged.url, logged.title)
            fields |= {"stage": "read" if logged.read else "found", "tools": [call.tool]}
            _merge(pages, fields)
    return {"sources": list(pages.values())}


def _merge(pages: dict[str, dict[str, Any]], new: dict[str, Any]) -> None:
    """Add a source; one that is there already keeps what says more of it."""
    key = identity(new["url"])
    known = pages.setdefault(key, new)
    if known is new:
        return
    if _STAGES.index(new["stage"]) > _STAGES.index(known["stage"]):
        pages[key] = {**known, **new}


def _describe_page(url: str, title: str) -> dict[str, Any]:
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


def _describe_source(recorded: RecordedSource, session: ResearchSession) -> dict[str, Any]:
    """A source of a session, with the places of its quotes."""
    source = recorded.source
    fields = _describe_page(source.url, source.title)
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


async def _show_page(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    """The stored text of a page, its quotes marked. What is not kept is not fetched unless that is
    asked for.
    """
    url = parameters.get("url", "").strip()
    if not url:
        raise BadInput("No address was given.", suggested_action="Open a page from Sources.")
    quotes = await _list_quotes(kit, url, parameters.get("session"))
    passage = parameters.get("find", "")
    if passage:
        quotes.append(KeptQuote(passage, "passage", url, matched=(passage,)))
    answer = {**_describe_page(url, ""), "kept": False, "quotes": [], "pieces": []}
    words = None
    for address in dict.fromkeys([*(quote.url for quote in quotes), url]):
        words = words or await kit.pages.find_kept_words(address)
    if words is None and parameters.get("read"):
        try:
            words = await kit.pages.get_words(quotes[0].url if quotes else url)
        except WebquarryError as error:
            if not quotes:
                raise
            answer["problem"] = redact(error.sentence)
    if words is None:  # then the words that stood there are all there is
        answer["quotes"] = [PlacedQuote(quote, (), "gone").as_dict() for quote in quotes]
        return answer
    placed = place_quotes(words.words, quotes)
    return {
        **answer,
        "kept": True,
        "title": clean_line(words.title),
        "readAt": format_time(words.fetched_at),
        "textHash": words.words.digest,
        "characters": len(words.words.text),
        "quotes": [one.as_dict() for one in placed],
        "pieces": cut_text(words.words, placed),
    }


async def _list_quotes(kit: Toolkit, url: str, id: str | None) -> list[KeptQuote]:
    """The quotes that were compared with a page, in one session or in all."""
    if id:
        sessions = [await kit.sessions.read(id)]
    else:
        sessions = await _read_sessions(kit)
    page = identity(url)
    quotes: dict[tuple[str, str], KeptQuote] = {}
    for session in sessions:
        for source in session.sources:
            if identity(source.source.url) != page:
                continue
            for quote in source.quotes:
                quotes[quote.text, quote.text_hash] = quote
    return list(quotes.values())


async def _read_sessions(kit: Toolkit) -> list[ResearchSession]:
    """The sessions that there are, the one used last first."""
    sessions = []
    for id, _ in (await kit.sessions.list())[:_MOST_SESSIONS]:
        try:
            sessions.append(await kit.sessions.read(id))
        except NotFound:  # it has ended while we look
            continue
    return sessions


async def _show_bill(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    return await show_bill(kit)


async def _show_health(kit: Toolkit, parameters: Parameters) -> dict[str, Any]:
    """What doctor says without asking anybody; to callers of a team's server, whether records can
    be written, and nothing of how the server is set up.
    """
    if caller() != LOCAL:
        trouble = kit.records.trouble if kit.redis is None else kit.redis.refusal
        return {"ok": trouble is None, "records": trouble or "ok"}
    from webquarry.surfaces.doctor.examine import examine

    report = await examine(kit.environ, offline=True)
    return {**report.as_dict(), "ok": report.ok}


_VIEWS: dict[str, Callable[[Toolkit, Parameters], Awaitable[dict[str, Any]]]] = {
    "calls": _show_calls,
    "sources": _show_sources,
    "page": _show_page,
    "sessions": _show_sessions,
    "session": _show_session,
    "bill": _show_bill,
    "health": _show_health,
}
