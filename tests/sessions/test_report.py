"""The report of a session in HTML: what stands in it, and that nothing in it is markup of others."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from webquarry._read.plain.words import PageWords
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession, Source, Step
from webquarry.sessions.report import (
    QuoteContext,
    SessionBill,
    cut_context,
    write_link,
    write_report,
)
from webquarry.sessions.views import export_session

NOW = datetime(2026, 11, 1, tzinfo=UTC)
HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;'
QUOTE = KeptQuote(
    "four times a day", "exact", "https://a.org/1", text_hash="ab12", spans=((3, 19),), matched=("four times a day",)
)  # fmt: skip


class Tags(HTMLParser):
    """The elements and the addresses of a document, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]


def make_session(
    text: str = "A step", url: str = "https://a.org/1", quote: KeptQuote = QUOTE
) -> ResearchSession:
    source = RecordedSource(
        1, Source(url, text, csl={"accessed": {}}), (1,), ("web_search",), NOW, (quote,)
    )
    steps = (
        Step(1, text, NOW, superseded_by=2, sources=(1,)),
        Step(2, text, NOW, text, "high", (text,), text, 1),
    )
    return ResearchSession("id", text, text, None, True, NOW, NOW, steps, (source,), (), (quote,))


def write(session: ResearchSession, context: QuoteContext | None = None) -> str:
    contexts = {("ab12", QUOTE.text): context} if context else {}
    return write_report(
        export_session(session, "2026-11-01T00:00:00Z"), contexts, SessionBill(7, 3, 1, 0.25)
    )


def read_data(report: str) -> dict[str, object]:
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', report, re.DOTALL)
    data: dict[str, object] = json.loads(text)
    return data


def test_it_has_the_timeline_the_sources_their_quotes_in_context_and_the_bill() -> None:
    report = write(make_session(), QuoteContext("They stop ", "four times a day", ", says Ann."))

    assert 'superseded by <a href="#step-2">step 2</a>' in report
    assert "They stop <mark>four times a day</mark>, says Ann." in report
    assert "characters 3–19 of <code>ab12</code>" in report
    assert "<th scope=row>US dollars</th><td>0.2500</td>" in report


def test_differing_quote_is_shown_with_the_words_of_the_source() -> None:
    near = replace(QUOTE, text="five times a day", tier="near")
    report = write(make_session(quote=near))

    assert "Quoted as:</span> “five times a day”" in report
    assert "<mark>four times a day</mark>" in report


def test_programs_find_the_same_in_it() -> None:
    data = read_data(write(make_session("Tides")))

    assert data["@type"] == "Report"
    assert data["name"] == "Tides"
    (cited,) = data["citation"]  # type: ignore[misc]
    assert (cited["url"], cited["creativeWorkStatus"]) == ("https://a.org/1", "quoted")  # type: ignore[has-type]
    (quotation,) = data["hasPart"]  # type: ignore[misc]
    assert quotation["text"] == QUOTE.text  # type: ignore[has-type]
    assert quotation["isBasedOn"] == {"@id": "#source-1"}  # type: ignore[has-type]


def test_what_others_wrote_is_text() -> None:
    plain = Tags(write(make_session()))
    hostile = write(make_session(HOSTILE, quote=replace(QUOTE, text=HOSTILE, matched=(HOSTILE,))))

    assert Tags(hostile).tags == plain.tags
    assert read_data(hostile)["name"] == make_session(HOSTILE).goal


@given(st.text(max_size=80))
def test_no_text_changes_the_elements(text: str) -> None:
    session = make_session(f"x{text}x", quote=replace(QUOTE, section=text, reason=text))
    expected = Tags(write(make_session("xx", quote=replace(QUOTE, section="s", reason="r")))).tags

    assert Tags(write(session)).tags == expected


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "ftp://a.org/", 'https://a.org/"><b>', "//a.org"],
)
def test_an_address_leads_only_to_the_web(url: str) -> None:
    links = Tags(write(make_session(url=url))).links

    assert [one for one in links if not one.startswith(("#", "https://a.org/"))] == []
    assert "<b>" not in write_link(url)


TEXT = "Head\nThe turbines stand still four times a day, and wait.\nFoot"


def test_the_context_of_a_quote_is_its_paragraph() -> None:
    words = PageWords(TEXT)
    start = TEXT.index("four")
    quote = replace(QUOTE, text_hash=words.digest, spans=((start, start + 16),))

    context = cut_context(words, quote)

    assert context == QuoteContext("The turbines stand still ", "four times a day", ", and wait.")


def test_a_long_paragraph_is_cut_between_words() -> None:
    text = "word " * 100 + "four times a day" + " word" * 100
    start = text.index("four")
    words = PageWords(text)

    context = cut_context(
        words, replace(QUOTE, text_hash=words.digest, spans=((start, start + 16),))
    )

    assert context is not None
    assert context.before.startswith("… word ")
    assert context.behind.endswith(" word …")


def test_what_a_person_does_not_see_is_no_context() -> None:
    start = TEXT.index("four")
    shown = PageWords(TEXT, hidden=((TEXT.index("The"), TEXT.index("stand")),))
    hidden = PageWords(TEXT, hidden=((start, start + 4),))
    quote = replace(QUOTE, text_hash=shown.digest, spans=((start, start + 16),))

    context = cut_context(shown, quote)

    assert context is not None
    assert "turbines" not in context.before
    assert cut_context(hidden, quote) is None
