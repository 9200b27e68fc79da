"""A research session in the forms that tools return: steps, sources, errors, the whole export.

The same session gives the same data. Texts of an export have no invisible characters and no
delimiters of chats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from webquarry._search.text import plain, shorten_text
from webquarry.evidence.models import AnswerPart
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.work import Work, build_keys
from webquarry.pages.clean import clean_line, clean_text, clean_url
from webquarry.pages.links import LinkState
from webquarry.sessions.models import KeptQuote, RecordedSource, ResearchSession, Stage, Step
from webquarry.sessions.references import clean_work, work_of_source

_MAX_INDEXED = 80  # characters of a step in the index
OFTEN = 3  # errors of one kind from which on advice is given
_ADVICE = {
    "rate_limited": "Wait a minute before the next search, ask for less at once, or name another "
    "provider.",
    "auth": "A key is missing or wrong: use another provider, and have `webquarry doctor` run.",
    "blocked": "These sites refuse programs: choose other sources for the same facts.",
    "challenge": "These sites require a captcha: choose other sources for the same facts.",
    "js_shell": "These pages need their scripts: look for a feed, a PDF or another site with the "
    "same facts.",
    "login_wall": "These pages need an account: look for open versions, preprints or reports "
    "about them.",
    "thin": "These pages have almost no content: read primary sources instead of overviews.",
    "robots": "These sites do not allow programs: choose other sources.",
    "not_found": "Addresses were wrong or are gone: search for the titles instead of guessing "
    "addresses.",
    "network": "No answer came: check the connection, or use other sources and providers.",
    "too_large": "Ask for parts: preview, an outline first and then a section, or a smaller "
    "length.",
    "unsupported": "These files cannot be read: look for the same as HTML or PDF.",
    "bad_input": "Calls were invalid: read the error's suggestedAction before repeating one.",
}
_OTHER_ADVICE = "The same call fails repeatedly: try another way, and report it."

Status = Literal["in_progress", "finished"]


class IndexedStep(AnswerPart, kw_only=True):
    """A step in short."""

    step_number: int
    text: str
    superseded_by: int | None = None
    branch_id: str | None = None


class FullStep(AnswerPart, kw_only=True):
    """A step in full; `sources` are numbers."""

    step_number: int
    text: str
    at: str
    reasoning: str | None = None
    confidence: str | None = None
    rejected_approaches: list[str] | None = None
    knowledge_gap: str | None = None
    revises_step: int | None = None
    superseded_by: int | None = None
    branch_from_step: int | None = None
    branch_id: str | None = None
    sources: list[int]


class NumberedSource(AnswerPart, kw_only=True):
    """Fields that all forms of a source have."""

    number: int
    url: str
    title: str
    published_at: str | None = None
    provider: str | None = None
    read: bool | None = None
    quoted: int | None = None


class SessionSource(NumberedSource, kw_only=True):
    __doc__ = (
        "A source by its number in the session; `read` when its page was read and not only "
        "found, `quoted` by how many quotes were found in it."
    )

    steps: list[int] | None = None


class RepeatedError(AnswerPart, kw_only=True):
    """A kind of error that came back three times or more."""

    kind: str
    count: int
    tools: list[str]
    advice: str


def status_of(session: ResearchSession) -> Status:
    """Return the status of a session."""
    return "finished" if session.finished else "in_progress"


def index_steps(steps: Sequence[Step]) -> list[IndexedStep]:
    """Return the steps in short."""
    return [
        IndexedStep(
            step_number=step.number,
            text=shorten_text(plain(step.text), _MAX_INDEXED),
            superseded_by=step.superseded_by,
            branch_id=step.branch_id,
        )
        for step in steps
    ]


def show_step(step: Step) -> FullStep:
    """Return a step in full."""
    return FullStep(
        step_number=step.number,
        text=step.text,
        at=format_time(step.at),
        reasoning=step.reasoning or None,
        confidence=step.confidence,
        rejected_approaches=list(step.rejected) or None,
        knowledge_gap=step.gap or None,
        revises_step=step.revises,
        superseded_by=step.superseded_by,
        branch_from_step=step.branch_from,
        branch_id=step.branch_id,
        sources=list(step.sources),
    )


def show_sources(
    sources: Sequence[RecordedSource], *, with_steps: bool = False
) -> list[SessionSource]:
    """Return the sources, optionally with their steps."""
    return [
        SessionSource(
            **_number_source(recorded), steps=list(recorded.steps) if with_steps else None
        )
        for recorded in sources
    ]


def _number_source(recorded: RecordedSource) -> dict[str, Any]:
    """Return the fields of a `NumberedSource`."""
    source = recorded.source
    return {
        "number": recorded.number,
        "url": source.url,
        "title": source.title,
        "published_at": source.published,
        "provider": source.provider,
        "read": source.was_read or None,
        "quoted": recorded.count_of_quotes or None,
    }


def show_repeated_errors(session: ResearchSession) -> list[RepeatedError] | None:
    """Return the kinds of errors that came back, the most frequent first, or None."""
    return [
        RepeatedError(kind=one.kind, count=one.count, tools=one.tools, advice=one.advice)
        for one in count_errors(session)
        if one.advice
    ] or None


def format_time(moment: datetime) -> str:
    """Return a time in UTC, to the second."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


class ExportedQuote(AnswerPart, kw_only=True):
    """A quote, its tier, and its place in the source: offsets in the text of that hash."""

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
    def of(cls, quote: KeptQuote) -> ExportedQuote:
        return cls(
            quote=clean_text(quote.text),
            tier=quote.tier,
            matched=[clean_text(words) for words in quote.matched] or None,
            spans=[list(span) for span in quote.spans] or None,
            text_hash=quote.text_hash or None,
            section=clean_line(quote.section or "") or None,
            read_at=quote.read_at,
            checked_at=quote.checked_at,
            reason=clean_line(quote.reason or "") or None,
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


class ErrorCount(AnswerPart, kw_only=True):
    """A kind of error: how often, of which tools, and, where it came back, what to do about it."""

    kind: str
    count: int
    tools: list[str]
    advice: str | None = None


@dataclass(frozen=True)
class SessionExport:
    """The whole session."""

    id: str
    status: Status
    goal: str
    summary: str
    estimate: int | None
    began_at: str
    exported_at: str
    steps: list[FullStep]
    sources: list[ExportedSource]
    works: list[Work]  # of the sources
    errors: list[ErrorCount]


def export_session(
    session: ResearchSession,
    exported_at: str,
    links: Sequence[LinkState] | None = None,
    *,
    cites_found: bool = False,
) -> SessionExport:
    """Return the whole session, with the states of links if they were checked. Sources that were
    not read are cited with `cites_found` only.
    """
    works = list_works(session)
    cited = set(list_cited_numbers(session, cites_found=cites_found))
    sources: list[ExportedSource] = []
    for recorded, work, key in zip(session.sources, works, build_keys(works), strict=True):
        source = ExportedSource(
            **_number_source(recorded),
            stage=recorded.stage,
            steps=list(recorded.steps),
            tools=list(recorded.tools),
            quotes=[ExportedQuote.of(quote) for quote in recorded.quotes] or None,
            link=links[len(sources)] if links is not None else None,
        )
        source.url = clean_url(source.url)
        source.title = clean_line(source.title or work.title)
        if recorded.number in cited:
            source.citation = format_apa(work)
            source.reference = to_csl(work, key)
        sources.append(source)
    return SessionExport(
        id=session.id,
        status=status_of(session),
        goal=clean_text(session.goal),
        summary=clean_text(session.summary),
        estimate=session.estimate,
        began_at=format_time(session.began_at),
        exported_at=exported_at,
        steps=[_clean_step(show_step(step)) for step in session.steps],
        sources=sources,
        works=works,
        errors=count_errors(session),
    )


def list_works(session: ResearchSession) -> list[Work]:
    """Return the works to cite for the sources, in their order."""
    return [clean_work(work_of_source(recorded.source)) for recorded in session.sources]


def list_cited_numbers(session: ResearchSession, *, cites_found: bool) -> list[int]:
    """Return the numbers of the sources that are cited: those that were read, or all."""
    return [
        recorded.number for recorded in session.sources if cites_found or recorded.stage != "found"
    ]


def _clean_step(step: FullStep) -> FullStep:
    """Clean the texts of a step."""
    step.text = clean_text(step.text)
    step.reasoning = clean_text(step.reasoning or "") or None
    step.knowledge_gap = clean_text(step.knowledge_gap or "") or None
    step.branch_id = clean_line(step.branch_id or "") or None
    step.rejected_approaches = list(map(clean_text, step.rejected_approaches or ())) or None
    return step


def count_errors(session: ResearchSession) -> list[ErrorCount]:
    """Return the kinds of errors, the most frequent first; those that came back have advice."""
    counts: dict[str, ErrorCount] = {}
    for error in session.errors:
        known = counts.setdefault(error.kind, ErrorCount(kind=error.kind, count=0, tools=[]))
        known.count += 1
        if error.tool not in known.tools:
            known.tools.append(error.tool)
        if known.count == OFTEN:
            known.advice = _ADVICE.get(error.kind, _OTHER_ADVICE)
    return sorted(counts.values(), key=lambda one: -one.count)
