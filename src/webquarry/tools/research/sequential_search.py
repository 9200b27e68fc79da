"""The `sequential_search` tool: research in recorded steps, with the sources of each.

A step is recorded first; `depth` adds what follows from the records, and a search that fails does
not fail the step.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from msgspec import Meta, field

from webquarry._search.models import Query
from webquarry.errors import TooLarge, WebquarryError
from webquarry.evidence.models import TRUST, AnswerPart, fixed
from webquarry.pages.clean import clean_line, clean_url
from webquarry.progress import note
from webquarry.sessions.coverage import coverage_of, refinement_queries
from webquarry.sessions.models import ResearchSession, Source, Step, StepDraft
from webquarry.sessions.views import (
    IndexedStep,
    RepeatedError,
    SessionSource,
    Status,
    index_steps,
    show_repeated_errors,
    show_sources,
    status_of,
)
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import build_part

_MOST_INDEXED = 10  # steps in the index of an answer; get_research_session has all of them
_RESULTS = 5  # of each search that `thorough` runs
_NAME = "sequential_search"

Confidence = Annotated[
    Literal["low", "medium", "high"] | None,
    Meta(description="Confidence in the findings of this step."),
]
ResponseMode = Annotated[
    Literal["full", "compact"], Meta(description="full: the answer lists all steps.")
]
Depth = Annotated[
    Literal["quick", "standard", "thorough"],
    Meta(
        description="standard: adds coverage of the goal and suggested queries; "
        "thorough: also runs them."
    ),
]


class AspectCoverage(AnswerPart, kw_only=True):
    """Words of the goal and the gaps: in the title of a source, only in a step, or missing."""

    covered: list[str]
    mentioned: list[str]
    missing: list[str]
    share: float


class SearchRun(AnswerPart, kw_only=True):
    """A refinement query that was run: its number of results, or the kind of its error."""

    query: str
    results: int
    error: str | None = None


class SequentialSearchOutput(Answer, kw_only=True):
    """The recorded step and the state of the session."""

    session_id: str
    step_number: int
    total_steps: int
    total_steps_estimate: int | None = None
    status: Status
    revises_step: int | None = None
    branch_id: str | None = None
    steps: list[IndexedStep] | None = None
    steps_omitted: int | None = None
    found: list[SessionSource] = field(name="sources")
    total_sources: int
    coverage: AspectCoverage | None = None
    refinement_queries: list[str] | None = None
    searches: list[SearchRun] | None = None
    errors: list[RepeatedError] | None = None
    hints: list[str] | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, session: ResearchSession, step: Step, *, is_new: bool) -> SequentialSearchOutput:
        """Return the answer without what `responseMode` and `depth` add."""
        return cls(
            session_id=session.id,
            step_number=step.number,
            total_steps=len(session.steps),
            total_steps_estimate=session.estimate,
            status=status_of(session),
            revises_step=step.revises,
            branch_id=step.branch_id,
            found=show_sources(session.sources_of(step)),
            total_sources=len(session.sources),
            errors=show_repeated_errors(session),
            hints=_hints(session, is_new) or None,
        )


@tool(read_only=False, idempotent=False, recorded=False)
async def sequential_search(
    kit: Toolkit,
    searchStep: Annotated[str, Meta(description="Question or findings of this step.")],
    stepNumber: Annotated[
        int, Meta(description="Number of the step; all branches share one numbering.", ge=1)
    ],
    nextStepNeeded: Annotated[bool, Meta(description="false completes the session.")] = True,
    sessionId: Annotated[
        str | None, Meta(description="Session to continue; required from step 2 on.")
    ] = None,
    researchGoal: Annotated[
        str | None, Meta(description="Goal of the research; given with step 1.")
    ] = None,
    reasoning: Annotated[str | None, Meta(description="Reason for this step.")] = None,
    confidence: Confidence = None,
    rejectedApproaches: Annotated[
        list[str] | None, Meta(description="Approaches that were tried and dropped.")
    ] = None,
    knowledgeGap: Annotated[str | None, Meta(description="What is still unknown.")] = None,
    sessionSummary: Annotated[
        str | None, Meta(description="Summary of the findings so far.")
    ] = None,
    totalStepsEstimate: Annotated[int | None, Meta(description="Expected number of steps.")] = None,
    isRevision: Annotated[
        bool | None, Meta(description="Whether this step replaces an earlier one.")
    ] = None,
    revisesStep: Annotated[int | None, Meta(description="Number of the replaced step.")] = None,
    branchFromStep: Annotated[
        int | None, Meta(description="Step from which the branch starts.")
    ] = None,
    branchId: Annotated[str | None, Meta(description="Name of the branch.")] = None,
    responseMode: ResponseMode = "full",
    depth: Depth = "quick",
) -> SequentialSearchOutput:
    """Record a step of research that takes several searches. The first call returns a sessionId:
    pass it to later steps, and to other tools, which record their sources with the current step.
    A session is stored for weeks; get_research_session recovers it. Example:
    {"searchStep": "Find installed capacity", "stepNumber": 1, "researchGoal": "Compare storage"}
    """
    draft = StepDraft(
        number=stepNumber,
        text=searchStep,
        reasoning=reasoning or "",
        confidence=confidence,
        rejected=tuple(rejectedApproaches or ()),
        gap=knowledgeGap or "",
        goal=researchGoal or "",
        summary=sessionSummary or "",
        estimate=totalStepsEstimate,
        is_revision=bool(isRevision),
        revises=revisesStep,
        branch_from=branchFromStep,
        branch_id=branchId,
        finished=not nextStepNeeded,
    )
    if sessionId:
        session, step = await kit.sessions.add_step(sessionId, draft)
    else:
        session = await kit.sessions.begin(draft)
        step = session.current
    queries = None
    if depth != "quick":
        queries = refinement_queries(session, step)
    runs = None
    if depth == "thorough" and queries:
        runs = await _run_searches(kit, session, step, queries)
        session = await kit.sessions.read(session.id)
        step = session.steps[step.number - 1]
    answer = SequentialSearchOutput.of(session, step, is_new=not sessionId)
    if responseMode == "full":
        omitted = max(0, len(session.steps) - _MOST_INDEXED)
        answer.steps = index_steps(session.steps[omitted:])
        answer.steps_omitted = omitted or None
    if queries is not None:
        answer.coverage = build_part(AspectCoverage, coverage_of(session))
        answer.refinement_queries = queries
        answer.searches = runs
    return answer


async def _run_searches(
    kit: Toolkit, session: ResearchSession, step: Step, queries: list[str]
) -> list[SearchRun]:
    """Run the queries at once, and record their results with the step, in order."""

    async def search(query: str) -> list[Source] | WebquarryError:
        note(f"searching for {query}")
        asked = Query(query, _RESULTS, safe="medium")
        try:
            found = await kit.router.route(asked, asked={"tool": _NAME})
        except WebquarryError as error:
            return error
        return [
            Source(
                url=clean_url(result.url),
                title=clean_line(result.title),
                published=result.published,
                provider=result.provider,
            )
            for result in found.results
        ]

    outcomes = await asyncio.gather(*map(search, queries))
    runs = []
    for query, outcome in zip(queries, outcomes, strict=True):
        if isinstance(outcome, WebquarryError):
            await kit.sessions.record_error(session, _NAME, outcome, step.number)
            runs.append(SearchRun(query=query, results=0, error=outcome.kind))
            continue
        run = SearchRun(query=query, results=len(outcome))
        try:
            await kit.sessions.record(session, _NAME, outcome, step.number)
        except TooLarge as full:  # the step is recorded
            run.error = full.kind
        runs.append(run)
    return runs


def _hints(session: ResearchSession, is_new: bool) -> list[str]:
    """Return hints that were not given before."""
    hints = []
    if is_new and not session.finished:
        hints.append(
            "Give this sessionId to every further step, and to search and reading tools to "
            "record sources."
        )
    if is_new and not session.goal:
        hints.append(
            "Give researchGoal with a step: coverage and refinement queries are made from it."
        )
    if len(session.steps) == 3 and not session.sources:
        hints.append(
            "No source is recorded yet: give the sessionId to the tools that search and read."
        )
    if session.estimate and len(session.steps) > session.estimate and not session.finished:
        hints.append(
            "There are more steps than estimated: finish, or give a new totalStepsEstimate."
        )
    if session.finished:
        hints.append("Finished; a further step opens it again.")
    return hints
