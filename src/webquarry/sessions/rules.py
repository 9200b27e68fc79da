"""Validation of steps. Steps have one running number over all branches and revisions. A step that
is sent again with the same texts is the same step.
"""

from __future__ import annotations

from msgspec.structs import replace

from webquarry.errors import BadInput
from webquarry.sessions.models import ResearchSession, Step, StepDraft

# Arguments of the tool, and the maximum lengths of texts.
_LONGEST = {
    "text": ("searchStep", 10_000),
    "reasoning": ("reasoning", 10_000),
    "gap": ("knowledgeGap", 2_000),
    "goal": ("researchGoal", 2_000),
    "summary": ("sessionSummary", 20_000),
    "branch_id": ("branchId", 100),
}
_MAX_REJECTED, _LONGEST_REJECTED = 20, 500
_MAX_ESTIMATE = 10_000


def clean_draft(draft: StepDraft) -> StepDraft:
    """Return the draft with stripped texts; raises `BadInput` for blank or too long ones."""
    texts: dict[str, str] = {}
    for name, (argument, longest) in _LONGEST.items():
        texts[name] = (getattr(draft, name) or "").strip()
        length = len(texts[name])
        if length > longest:
            raise BadInput(f"{argument} has {length} characters, the maximum is {longest}.")
    if not texts["text"]:
        raise BadInput(
            "searchStep is blank.", suggested_action="Say what this step looks for or has found."
        )
    if draft.estimate is not None and not 1 <= draft.estimate <= _MAX_ESTIMATE:
        where = "below 1" if draft.estimate < 1 else f"above {_MAX_ESTIMATE}"
        raise BadInput(
            f"totalStepsEstimate is {where}.",
            suggested_action="Leave it out, or say how many steps.",
        )
    rejected = tuple(filter(None, map(str.strip, draft.rejected)))
    if len(rejected) > _MAX_REJECTED or any(len(one) > _LONGEST_REJECTED for one in rejected):
        raise BadInput(
            f"rejectedApproaches holds more than {_MAX_REJECTED} texts, or one of more than "
            f"{_LONGEST_REJECTED} characters."
        )
    branch_id = texts.pop("branch_id") or None
    return replace(draft, **texts, branch_id=branch_id, rejected=rejected)


def check_first(draft: StepDraft) -> None:
    """Raise `BadInput` for a step that cannot start a session."""
    if draft.number != 1:
        raise BadInput(
            f"Step {draft.number} has no sessionId, and only step 1 starts a session.",
            suggested_action="Give the sessionId that step 1 returned, or start a new session "
            "with stepNumber 1.",
        )
    is_revision = draft.is_revision or draft.revises is not None
    is_branch = draft.branch_from is not None or draft.branch_id
    if is_revision or is_branch:
        raise BadInput(
            "Step 1 of a new session cannot revise a step or branch off from one.",
            suggested_action="Give the sessionId of the session that has the step, or leave "
            "those fields out.",
        )


def find_recorded(draft: StepDraft, session: ResearchSession) -> Step | None:
    """Return the recorded step with the same texts, if there is one."""
    finishes = draft.finished and not session.finished
    has_new_goal = draft.goal not in ("", session.goal)
    has_new_summary = draft.summary not in ("", session.summary)
    if finishes or has_new_goal or has_new_summary:
        return None
    revises = draft.revises
    if draft.is_revision and revises is None:
        revises = draft.number
    step = session.step(draft.number)
    if step is not None and _is_same_step(step, draft, revises):
        return step
    if revises and _is_same_step(session.current, draft, revises):
        return session.current
    return None


def _is_same_step(step: Step, draft: StepDraft, revises: int | None) -> bool:
    """Return whether a step has the same texts and place."""
    names = ("text", "reasoning", "confidence", "rejected", "gap", "branch_from", "branch_id")
    is_equal = all(getattr(step, name) == getattr(draft, name) for name in names)
    return is_equal and step.revises == revises


def number_step(draft: StepDraft, session: ResearchSession, most: int) -> StepDraft:
    """Return the draft with the next number; raises `BadInput` if it does not fit."""
    due = len(session.steps) + 1
    revises = _find_revision(draft, session, due)
    if revises is None and draft.number != due:
        raise BadInput(
            f"stepNumber is {draft.number}, but this session expects {due}.",
            suggested_action=f"Send it as step {due}; to change an earlier step, add isRevision "
            "and revisesStep. "
            "get_research_session shows the recorded steps.",
        )
    if (draft.branch_from is None) != (draft.branch_id is None):
        raise BadInput(
            "branchFromStep and branchId belong together, and one of them is missing.",
            suggested_action="Give both, or neither.",
        )
    if draft.branch_from is not None and session.step(draft.branch_from) is None:
        raise BadInput(
            f"There is no step {draft.branch_from} to branch off from; the session has "
            f"{len(session.steps)}.",
            suggested_action="get_research_session shows the recorded steps.",
        )
    if due > most:
        raise BadInput(
            f"The session has the maximum of {most} steps.",
            suggested_action="Export it if you need it, then start a new one: stepNumber 1, no "
            "sessionId, and the findings so far as sessionSummary.",
        )
    return replace(draft, number=due, revises=revises)


def _find_revision(draft: StepDraft, session: ResearchSession, due: int) -> int | None:
    """Return the number of the step that is revised: given, or the number of the draft."""
    revises = draft.revises
    if revises is None and draft.is_revision:
        revises = draft.number
    if revises is not None and (
        session.step(revises) is None or draft.number not in (due, revises)
    ):
        raise BadInput(
            f"Step {draft.number} cannot revise step {revises}; the session has "
            f"{len(session.steps)} steps.",
            suggested_action=f"Send it as step {due} with revisesStep; get_research_session shows "
            "the recorded steps.",
        )
    return revises
