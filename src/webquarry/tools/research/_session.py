"""A research session as tools show it: small shapes, and how they are made of the session."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from webquarry.evidence.models import Shape
from webquarry.search.replies.text import plain, shorten_text
from webquarry.sessions.advice import repeated_errors
from webquarry.sessions.models import RecordedSource, Session, Step

_SHORT = 80  # characters of a step in the index

Status = Literal["in_progress", "finished"]


class IndexedStep(Shape):
    """A step in short."""

    step_number: int
    text: str
    superseded_by: int | None = None
    branch_id: str | None = None


class FullStep(Shape):
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


class NumberedSource(Shape):
    """What every form of a session's source begins with."""

    number: int
    url: str
    title: str
    published_at: str | None = None
    provider: str | None = None
    read: bool | None = None


class SessionSource(NumberedSource):
    """A source by its number in the session; `read` when its page was read and not only found."""

    steps: list[int] | None = None


class RepeatedError(Shape):
    """A kind of error that came back three times or more."""

    kind: str
    count: int
    tools: list[str]
    advice: str


def status_of(session: Session) -> Status:
    if session.finished:
        return "finished"
    return "in_progress"


def indexed(steps: Sequence[Step]) -> list[IndexedStep]:
    return [
        IndexedStep(
            step_number=step.number,
            text=shorten_text(plain(step.text), _SHORT),
            superseded_by=step.superseded_by,
            branch_id=step.branch_id,
        )
        for step in steps
    ]


def in_full(step: Step) -> FullStep:
    return FullStep(
        step_number=step.number,
        text=step.text,
        at=moment(step.at),
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


def shown(sources: Sequence[RecordedSource], *, with_steps: bool = False) -> list[SessionSource]:
    return [
        SessionSource(
            number=one.number,
            url=one.source.url,
            title=one.source.title,
            published_at=one.source.published,
            provider=one.source.provider,
            read=one.source.was_read or None,
            steps=list(one.steps) if with_steps else None,
        )
        for one in sources
    ]


def errors_of(session: Session) -> list[RepeatedError] | None:
    """What failed again and again; None when nothing did."""
    found = repeated_errors(session.errors)
    return [
        RepeatedError(kind=one.kind, count=one.count, tools=list(one.tools), advice=one.advice)
        for one in found
    ] or None


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"
