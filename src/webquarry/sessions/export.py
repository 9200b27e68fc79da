"""A session -> the whole of it as data: steps, numbered sources with their citations, what went
wrong.

The same session gives the same data, whenever it is asked for. Every text is free of invisible
characters and of the delimiters of chats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from webquarry.evidence.models import Shape
from webquarry.evidence.styles.apa import apa
from webquarry.evidence.styles.csl import csl
from webquarry.evidence.styles.keys import keys_of
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_text, clean_url
from webquarry.pages.links import LinkState
from webquarry.sessions.advice import find_repeated_errors
from webquarry.sessions.models import RecordedSource, ResearchSession, Step
from webquarry.sessions.references import clean_work, work_of_source
from webquarry.sessions.views import FullStep, NumberedSource, show_step


class ExportedSource(NumberedSource):
    __doc__ = (
        "A source: how to cite it (`citation` in APA, `reference` as CSL-JSON), and which "
        "steps and tools found it."
    )

    steps: list[int]
    tools: list[str]
    citation: str
    reference: dict[str, Any]
    link: LinkState | None = None


class ErrorCount(Shape):
    """A kind of error: how often, of which tools, and, where it came back, what to do about it."""

    kind: str
    count: int
    tools: list[str]
    advice: str | None = None


def export_steps(session: ResearchSession) -> list[FullStep]:
    """Every step in full, with clean texts."""
    return [_export_step(step) for step in session.steps]


def _export_step(step: Step) -> FullStep:
    view = show_step(step)
    view.text = clean_text(view.text)
    if view.reasoning:
        view.reasoning = clean_text(view.reasoning)
    if view.knowledge_gap:
        view.knowledge_gap = clean_text(view.knowledge_gap)
    view.branch_id = view.branch_id or None
    if view.branch_id:
        view.branch_id = clean_line(view.branch_id)
    if view.rejected_approaches:
        view.rejected_approaches = [clean_text(one) for one in view.rejected_approaches]
    return view


def list_works(session: ResearchSession) -> list[Work]:
    """What the sources are cited as, by number."""
    return [clean_work(work_of_source(recorded.source)) for recorded in session.sources]


def export_sources(
    session: ResearchSession, works: Sequence[Work], links: Sequence[LinkState] | None
) -> list[ExportedSource]:
    """Every source with its citation and, where links were checked, the state of its link."""
    exported = []
    for recorded, work, key in zip(session.sources, works, keys_of(works), strict=True):
        exported.append(_export_source(recorded, work, key))
    if links is not None:
        for source, link in zip(exported, links, strict=True):
            source.link = link
    return exported


def _export_source(recorded: RecordedSource, work: Work, key: str) -> ExportedSource:
    source = recorded.source
    return ExportedSource(
        number=recorded.number,
        url=clean_url(source.url),
        title=clean_line(source.title or work.title),
        published_at=source.published,
        provider=source.provider,
        read=source.was_read or None,
        steps=list(recorded.steps),
        tools=list(recorded.tools),
        citation=apa(work),
        reference=csl(work, key),
    )


def export_errors(session: ResearchSession) -> list[ErrorCount]:
    """Every kind of error, the most frequent first; a kind that came back has advice."""
    advice = {pattern.kind: pattern.advice for pattern in find_repeated_errors(session.errors)}
    counts = Counter(error.kind for error in session.errors)
    exported = []
    for kind, count in counts.most_common():
        tools = dict.fromkeys(error.tool for error in session.errors if error.kind == kind)
        exported.append(
            ErrorCount(kind=kind, count=count, tools=list(tools), advice=advice.get(kind))
        )
    return exported
