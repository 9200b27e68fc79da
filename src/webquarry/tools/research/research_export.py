"""The `research_export` tool: a session as Markdown, HTML or data, with citations.

Exports of the same session differ only in the time of the export and in the results of
`verify_links`.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from webquarry.evidence.models import TRUST, fixed
from webquarry.pages.links import check_links
from webquarry.sessions.markdown import write_markdown
from webquarry.sessions.report import collect_contexts, write_report
from webquarry.sessions.views import (
    ErrorCount,
    ExportedSource,
    FullStep,
    Status,
    export_session,
    format_time,
)
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import ReadSession, deadline_for, open_session
from webquarry.views.bill import bill_session

_NAME = "research_export"
_CONTEXT_SECONDS = 20.0  # to read quoted pages again that are not cached


class ResearchExportOutput(Answer, kw_only=True):
    """The session: as text in `content`, or as data in the other fields. `links` counts the states
    of its links.
    """

    session_id: str
    format: Literal["markdown", "json", "html"]
    content: str | None = None
    exported_at: str | None = None
    status: Status | None = None
    research_goal: str | None = None
    session_summary: str | None = None
    total_steps_estimate: int | None = None
    started_at: str | None = None
    steps: list[FullStep] | None = None
    # `sources()` is for the session
    listed: list[ExportedSource] | None = field(default=None, name="sources")
    errors: list[ErrorCount] | None = None
    links: dict[str, int] | None = None
    trust: str = fixed(TRUST)

    may_be_large: ClassVar[bool] = True

    def how_to_read_on(self) -> str:
        return (
            "Call get_research_session, with stepNumber for one step at a time. On the command "
            "line, "
            f"`webquarry session export {self.session_id} > FILE` writes all of it."
        )


@tool(recorded=False)
async def research_export(
    kit: Toolkit,
    sessionId: ReadSession,
    format: Annotated[
        Literal["markdown", "json", "html"], Meta(description="Format of the report.")
    ] = "markdown",
    verify_links: Annotated[
        bool, Meta(description="Check that the sources can still be reached.")
    ] = False,
    include_found: Annotated[
        bool, Meta(description="Also cite sources that were found and not read.")
    ] = False,
) -> ResearchExportOutput:
    """Export a research session as a report with its steps, numbered sources with APA citations,
    and errors.
    """
    session = await open_session(kit, sessionId)
    links = None
    link_counts: dict[str, int] | None = None
    if verify_links:
        deadline = deadline_for(kit, _NAME, kit.clock.monotonic())
        urls = [recorded.source.url for recorded in session.sources]
        links = await check_links(kit.client, kit.reader.runner, kit.clock, urls, deadline)
        states = Counter(link.state for link in links)
        link_counts = dict(sorted(states.items()))
    now = format_time(kit.clock.now())
    export = export_session(session, now, links, cites_found=include_found)
    answer = ResearchExportOutput(session_id=session.id, format=format, links=link_counts)
    if format == "markdown":
        answer.content = write_markdown(export)
        return answer
    if format == "html":
        contexts = await collect_contexts(kit.pages, session, _CONTEXT_SECONDS)
        answer.content = write_report(export, contexts, await bill_session(kit, session.id))
        return answer
    answer.exported_at = export.exported_at
    answer.status = export.status
    answer.research_goal = export.goal or None
    answer.session_summary = export.summary or None
    answer.total_steps_estimate = export.estimate
    answer.started_at = export.began_at
    answer.steps = export.steps
    answer.listed = export.sources
    answer.errors = export.errors
    return answer
