"""A session -> the whole of it as data: steps, numbered sources with their citations, what went
wrong.

The same session gives the same data, whenever it is asked for. Every text is free of invisible
characters and of the delimiters of chats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.evidence.models import AnswerPart
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.work import Work, build_keys
from webquarry.pages.clean import clean_line, clean_text, clean_url
from webquarry.pages.links import LinkState
from webquarry.sessions.advice import find_repeated_errors
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession, Stage, Step
from webquarry.sessions.references import clean_work, work_of_source
from webquarry.sessions.views import (
    FullStep,
    NumberedSource,
    Status,
    format_time,
    show_step,
    status_of,
)


class ExportedQuote(AnswerPart, kw_only=True):
    """A quote, how it stands in its source, and where: offsets in the text of that hash."""

    quote: str
    tier: str
    matched: list[str] | None = None
    spans: list[list[int]] | None = None
    text_hash: str | None = None
    section: str | None = None
    read_at: str | None = None
    checked_at: str | None = None
    reason: str | None = None

    @classmethod
    def of(cls, kept: KeptQuote) -> ExportedQuote:
        """A quote that the session keeps."""
        return cls(
            quote=clean_text(kept.text),
            tier=kept.tier,
            matched=[clean_text(words) for words in kept.matched] or None,
            spans=[list(span) for span in kept.spans] or None,
            text_hash=kept.text_hash or None,
            section=clean_line(kept.section or "") or None,
            read_at=kept.read_at,
            checked_at=kept.checked_at,
            reason=clean_line(kept.reason or "") or None,
        )


class ExportedSource(NumberedSource, kw_only=True):
    __doc__ = (
        "A source: whether it was only found, read or quoted, which steps and tools found it, "
        "and how to cite it (`citation` in APA, `reference` as CSL-JSON) if it is to be cited."
    )

    stage: Stage
    steps: list[int]
    tools: list[str]
    citation: str | None = None
    reference: dict[str, Any] | None = None
    quotes: list[ExportedQuote] | None = None
    link: LinkState | None = None

    @classmethod
    def of(
        cls, recorded: RecordedSource, work: Work, key: str, *, is_cited: bool = True
    ) -> ExportedSource:
        """A recorded source with the work it is cited as, and the key of that."""
        source = recorded.source
        citation = None
        reference = None
        if is_cited:
            citation = format_apa(work)
            reference = to_csl(work, key)
        return cls(
            number=recorded.number,
            url=clean_url(source.url),
            title=clean_line(source.title or work.title),
            published_at=source.published,
            provider=source.provider,
            read=source.was_read or None,
            quoted=recorded.count_of_quotes or None,
            stage=recorded.stage,
            steps=list(recorded.steps),
            tools=list(recorded.tools),
            citation=citation,
            reference=reference,
            quotes=[ExportedQuote.of(quote) for quote in recorded.quotes] or None,
        )


class ErrorCount(AnswerPart, kw_only=True):
    """A kind of error: how often, of which tools, and, where it came back, what to do about it."""

    kind: str
    count: int
    tools: list[str]
    advice: str | None = None


@dataclass(frozen=True)
class SessionExport:
    """The whole of a session."""

    id: str
    status: Status
    goal: str
    summary: str
    estimate: int | None
    began_at: str
    exported_at: str
    steps: list[FullStep]
    sources: list[ExportedSource]
    works: list[Work]  # what the sources are cited as
    errors: list[ErrorCount]


def export_session(
    session: ResearchSession,
    exported_at: str,
    links: Sequence[LinkState] | None = None,
    *,
    cites_found: bool = False,
) -> SessionExport:
    """The whole of a session; with the states of its sources' links, where those were checked. What
    was found and not read is cited only if that is wanted.
    """
    works = list_works(session)
    keys = build_keys(works)
    sources = []
    for recorded, work, key in zip(session.sources, works, keys, strict=True):
        is_cited = cites_found or recorded.stage != "found"
        source = ExportedSource.of(recorded, work, key, is_cited=is_cited)
        sources.append(source)
    if links is not None:
        for source, link in zip(sources, links, strict=True):
            source.link = link
    return SessionExport(
        id=session.id,
        status=status_of(session),
        goal=clean_text(session.goal),
        summary=clean_text(session.summary),
        estimate=session.estimate,
        began_at=format_time(session.began_at),
        exported_at=exported_at,
        steps=[_export_step(step) for step in session.steps],
        sources=sources,
        works=works,
        errors=_count_errors(session),
    )


def list_works(session: ResearchSession) -> list[Work]:
    """What the sources are cited as, by number."""
    works = [work_of_source(recorded.source) for recorded in session.sources]
    return [clean_work(work) for work in works]


def list_cited_numbers(session: ResearchSession, *, cites_found: bool) -> list[int]:
    """The numbers of the sources that are cited: those that were read, or all of them."""
    return [
        recorded.number for recorded in session.sources if cites_found or recorded.stage != "found"
    ]


def _export_step(step: Step) -> FullStep:
    """A step in full, with clean texts."""
    view = show_step(step)
    view.text = clean_text(view.text)
    if view.reasoning:
        view.reasoning = clean_text(view.reasoning)
    if view.knowledge_gap:
        view.knowledge_gap = clean_text(view.knowledge_gap)
    if view.branch_id:
        view.branch_id = clean_line(view.branch_id)
    else:
        view.branch_id = None
    if view.rejected_approaches:
        view.rejected_approaches = [clean_text(one) for one in view.rejected_approaches]
    return view


def _count_errors(session: ResearchSession) -> list[ErrorCount]:
    """Every kind of error, the most frequent first; a kind that came back has advice."""
    counts: dict[str, ErrorCount] = {}
    for error in session.errors:
        known = counts.setdefault(error.kind, ErrorCount(kind=error.kind, count=0, tools=[]))
        known.count += 1
        if error.tool not in known.tools:
            known.tools.append(error.tool)
    for pattern in find_repeated_errors(session.errors):
        counts[pattern.kind].advice = pattern.advice
    return sorted(counts.values(), key=lambda one: -one.count)
