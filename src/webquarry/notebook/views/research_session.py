"""A research session, or a step of one -> its goal, its steps and its sources as links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from webquarry.cli.layout import write_date, write_moment
from webquarry.notebook.inline import Inline, Link
from webquarry.notebook.view import View

if TYPE_CHECKING:
    from webquarry.sessions.views import FullStep, IndexedStep, SessionSource
    from webquarry.tools.research.get_research_session import ResearchSessionOutput
    from webquarry.tools.research.sequential_search import SequentialSearchOutput


def build_view(session: ResearchSessionOutput | SequentialSearchOutput) -> View:
    summary = getattr(session, "summary", None)
    view = View()
    view.add_title((summary and summary.research_goal) or "Research session")
    used = f"last used {write_moment(summary.updated_at)}" if summary else None
    view.add_facts([session.session_id, session.status.replace("_", " "), used])
    if summary and summary.session_summary:
        view.add_line(summary.session_summary)
    step = getattr(session, "step", None)
    if step:
        view.add_list([_write_full_step(step)])
    steps = getattr(session, "step_index", None) or getattr(session, "steps", None)
    if steps:
        view.add_list([_write_step(step) for step in steps])
    _add_sources(view, session.found)
    for error in session.errors or ():
        view.add_note(f"{error.kind} came {error.count} times. {error.advice}")
    for hint in session.hints or ():
        view.add_note(hint)
    return view


def _write_step(step: IndexedStep) -> list[list[Inline]]:
    lines: list[list[Inline]] = [[step.text]]
    if step.superseded_by:
        lines.append([f"superseded by step {step.superseded_by}"])
    return lines


def _write_full_step(step: FullStep) -> list[list[Inline]]:
    lines: list[list[Inline]] = [[step.text]]
    if step.reasoning:
        lines.append([step.reasoning])
    if step.knowledge_gap:
        lines.append([f"Not known yet: {step.knowledge_gap}"])
    return lines


def _add_sources(view: View, sources: Sequence[SessionSource]) -> None:
    """A table, since sources have numbers of their own."""
    rows: list[list[list[Inline]]] = []
    for source in sources:
        state = "found"
        if source.quoted:
            state = f"quoted {source.quoted} times"
        elif source.read:
            state = "read"
        date = write_date(source.published_at or "")
        link = Link(source.title or source.url, source.url)
        rows.append([[str(source.number)], [link], [state], [date]])
    if rows:
        view.add_table(["", "Source", "State", "Date"], rows, [True, False, False, False])
