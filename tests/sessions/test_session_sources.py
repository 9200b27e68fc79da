"""The sources of a session: one for each page, without secrets, within bounds."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.sessions.kits import A, B, C, sessions_in
from webquarry.errors import (
    TooLarge,
)
from webquarry.sessions import sessions as engine
from webquarry.sessions.models import KeptQuote, ResearchSession, Source, StepDraft


def sources_after(*records: tuple[int, list[Source]]) -> ResearchSession:
    """A session of three steps, and what is recorded with them."""

    async def scenario() -> ResearchSession:
        async with sessions_in(None) as sessions:
            id = (await sessions.begin(StepDraft(1, "one"))).id
            await sessions.add_step(id, StepDraft(2, "two"))
            await sessions.add_step(id, StepDraft(3, "three"))
            for step, found in records:
                await sessions.record(await sessions.read(id), "tool", found, step)
            return await sessions.read(id)

    return asyncio.run(scenario())


def test_one_page_is_one_source_whatever_its_address_and_however_often_it_is_found() -> None:
    session = sources_after(
        (1, [Source(A, "From a search", provider="brave"), Source(B)]),
        (2, [Source(C), Source(A + "?utm_source=x")]),
    )

    assert [(one.number, one.source.url, one.steps) for one in session.sources] == [
        (1, A, (1, 2)),
        (2, B, (1,)),
        (3, C, (2,)),
    ]
    assert [step.sources for step in session.steps] == [(1, 2), (3, 1), ()]
    assert [one.number for one in session.sources_of(session.steps[1])] == [3, 1]


def test_a_page_that_was_read_is_known_better_than_one_that_was_found() -> None:
    read = Source(
        A,
        "The real title",
        "2026-02-02",
        csl={"type": "webpage", "title": "The real title", "abstract": "x"},
    )
    found = Source(A, "the real tit...", provider="brave")

    for order in ([found, read], [read, found]):
        source = sources_after(*[(1, [one]) for one in order]).sources[0].source
        assert (source.title, source.published) == ("The real title", "2026-02-02")
        assert source.csl == {
            "type": "webpage",
            "title": "The real title",
        }  # an abstract is somebody's text


def test_secret_in_a_url_is_not_stored() -> None:
    session = sources_after((1, [Source("https://a.org/x?token=abcdefgh12345")]))

    assert "abcdefgh12345" not in session.sources[0].source.url


def test_beyond_the_most_sources_nothing_is_dropped_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "MOST_SOURCES", 2)

    with pytest.raises(TooLarge, match="maximum of 2 sources"):
        sources_after((1, [Source(A), Source(B)]), (2, [Source(A), Source(B)]), (3, [Source(C)]))


def test_checked_quotes_are_stored_with_their_source(tmp_path: Path) -> None:
    quotes = [
        KeptQuote("It turns twice a day.", "exact", A, spans=((3, 24),), text_hash="aa"),
        KeptQuote("It turns thrice a day.", "near", A, text_hash="aa"),
        KeptQuote("A page nobody searched for.", "letters", C, title="C"),
        KeptQuote("Nowhere at all, this one.", "absent"),
    ]

    async def scenario() -> tuple[int, int, ResearchSession]:
        async with sessions_in(tmp_path) as sessions:
            session = await sessions.begin(StepDraft(1, "one"))
            await sessions.record(session, "web_search", [Source(A, "A"), Source(B, "B")])
            first = await sessions.record_quotes(session, "check_quotes", quotes)
            session = await sessions.read(session.id)
            again = await sessions.record_quotes(session, "check_quotes", quotes)
            return first, again, await sessions.read(session.id)

    first, again, session = asyncio.run(scenario())

    assert (first, again) == (4, 0)
    assert [recorded.stage for recorded in session.sources] == ["quoted", "found", "quoted"]
    assert [recorded.tools for recorded in session.sources] == [
        ("web_search",),
        ("web_search",),
        ("check_quotes",),
    ]
    assert session.sources[0].quotes[0].spans == ((3, 24),)
    assert session.sources[0].count_of_quotes == 1
    assert [quote.tier for quote in session.quotes] == ["exact", "near", "letters", "absent"]
