"""A research session -> the shapes in which tools show it: steps, sources and repeated errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from webquarry._search.text import plain, shorten_text
from webquarry.evidence.models import AnswerPart
from webquarry.sessions.advice import find_repeated_errors
from webquarry.sessions.models import RecordedSource, ResearchSession, Step

_SHORT = 80  # characters of a step in the index

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
    """What every form of a session's source begins with."""

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
        "found, `quoted` by how many quotes stand in it."
    )

    steps: list[int] | None = None


class RepeatedError(AnswerPart, kw_only=True):
    """A kind of error that came back three times or more."""

    kind: str
    count: int
    tools: list[str]
    advice: str


def status_of(session: ResearchSession) -> Status:
    """Whether the session is finished, as tools say it."""
    if session.finished:
        return "finished"
    return "in_progress"


def index_steps(steps: Sequence[Step]) -> list[IndexedStep]:
    """The steps in short."""
    return [
        IndexedStep(
            step_number=step.number,
            text=shorten_text(plain(step.text), _SHORT),
            superseded_by=step.superseded_by,
            branch_id=step.branch_id,
        )
        for step in steps
    ]


def show_step(step: Step) -> FullStep:
    """A step in full."""
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
    """The sources by their numbers; if wanted, with the steps they were found in."""
    views = []
    for recorded in sources:
        source = recorded.source
        view = SessionSource(
            number=recorded.number,
            url=source.url,
            title=source.title,
            published_at=source.published,
            provider=source.provider,
            read=source.was_read or None,
            quoted=recorded.count_of_quotes or None,
        )
        if with_steps:
            view.steps = list(recorded.steps)
        views.append(view)
    return views


def show_repeated_errors(session: ResearchSession) -> list[RepeatedError] | None:
    """What failed again and again; None when nothing did."""
    views = [
        RepeatedError(
            kind=pattern.kind,
            count=pattern.count,
            tools=list(pattern.tools),
            advice=pattern.advice,
        )
        for pattern in find_repeated_errors(session.errors)
    ]
    return views or None


def format_time(moment: datetime) -> str:
    """A moment in UTC, to the second."""
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
