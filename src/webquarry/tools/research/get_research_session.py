"""The `get_research_session` tool: recover a session after the conversation was lost."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from msgspec import Meta, field

from webquarry.errors import NotFound
from webquarry.evidence.models import TRUST, AnswerPart, fixed
from webquarry.sessions.models import ResearchSession
from webquarry.sessions.views import (
    FullStep,
    IndexedStep,
    RepeatedError,
    SessionSource,
    Status,
    format_time,
    index_steps,
    show_repeated_errors,
    show_sources,
    show_step,
    status_of,
)
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import ReadSession, open_session

_LAST_STEPS = 3
_MOST_SOURCES = 100  # in one answer: the latest
_MOST_INDEXED = 200  # steps in one answer: the latest


class SessionSummary(AnswerPart, kw_only=True):
    """Summary and counts of a session."""

    research_goal: str | None = None
    session_summary: str | None = None
    total_steps: int
    total_steps_estimate: int | None = None
    total_sources: int
    read_sources: int | None = None
    quoted_sources: int | None = None
    total_errors: int
    started_at: str
    updated_at: str

    @classmethod
    def of(cls, session: ResearchSession) -> SessionSummary:
        stages = Counter(recorded.stage for recorded in session.sources)
        return cls(
            research_goal=session.goal or None,
            session_summary=session.summary or None,
            total_steps=len(session.steps),
            total_steps_estimate=session.estimate,
            total_sources=len(session.sources),
            read_sources=stages["read"] + stages["quoted"] or None,
            quoted_sources=stages["quoted"] or None,
            total_errors=len(session.errors),
            started_at=format_time(session.began_at),
            updated_at=format_time(session.touched_at),
        )


class ResearchSessionOutput(Answer, kw_only=True):
    """A session for recovery: summary, index, last steps, sources; or the requested `step`."""

    session_id: str
    status: Status
    summary: SessionSummary | None = None
    step_index: list[IndexedStep] | None = None
    last_steps: list[FullStep] | None = None
    step: FullStep | None = None
    found: list[SessionSource] = field(name="sources")
    sources_omitted: int | None = None
    errors: list[RepeatedError] | None = None
    hints: list[str] | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, session: ResearchSession) -> ResearchSessionOutput:
        """Return the session: the latest steps and sources."""
        omitted = max(0, len(session.sources) - _MOST_SOURCES)
        omitted_steps = max(0, len(session.steps) - _MOST_INDEXED)
        answer = cls(
            session_id=session.id,
            status=status_of(session),
            summary=SessionSummary.of(session),
            step_index=index_steps(session.steps[omitted_steps:]),
            last_steps=[show_step(step) for step in session.steps[-_LAST_STEPS:]],
            found=show_sources(session.sources[omitted:], with_steps=True),
            errors=show_repeated_errors(session),
        )
        hints = []
        if omitted_steps:
            hints.append(
                f"Steps 1 to {omitted_steps} are left out of the index; ask for one by stepNumber, "
                "or for all with research_export."
            )
        if omitted:
            answer.sources_omitted = omitted
            hints.append(
                f"Sources 1 to {omitted} are left out; ask for a step by stepNumber to see its own."
            )
        answer.hints = hints or None
        return answer


@tool(open_world=False, recorded=False)
async def get_research_session(
    kit: Toolkit,
    sessionId: ReadSession,
    stepNumber: Annotated[int | None, Meta(description="Return only this step.")] = None,
) -> ResearchSessionOutput:
    """Recover a session of sequential_search, for example in a new conversation. Returns its
    summary, latest steps, sources and repeated errors.
    """
    session = await open_session(kit, sessionId)
    if stepNumber is None:
        return ResearchSessionOutput.of(session)
    step = session.step(stepNumber)
    if step is None:
        raise NotFound(
            f"There is no step {stepNumber}; the session has steps 1 to {len(session.steps)}.",
            suggested_action="Ask for one of those, or leave stepNumber out for the index.",
        )
    return ResearchSessionOutput(
        session_id=session.id,
        status=status_of(session),
        step=show_step(step),
        found=show_sources(session.sources_of(step)),
    )
