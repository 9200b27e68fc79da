"""The `academic_search` tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from webquarry._search.scholarly.finder import ALL
from webquarry._search.scholarly.models import PaperQuery, PapersFound
from webquarry.errors import BadInput
from webquarry.evidence.models import ZeroResultHints, zero_result_hints
from webquarry.tool import tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._papers import PapersOutput, add_papers_trace
from webquarry.tools.research._parameters import RecordingSession, SearchWords, Year
from webquarry.tools.research._search import key_parameters

# The filters that can be the reason why nothing was found.
_FILTERS = ("year_from", "year_to", "pdf_only", "open_access")


@tool
async def academic_search(
    kit: Toolkit,
    query: SearchWords,
    num_results: Annotated[int, Meta(description="Papers wanted.", ge=1, le=10)] = 5,
    year_from: Annotated[Year | None, Meta(description="Earliest year.")] = None,
    year_to: Annotated[Year | None, Meta(description="Latest year.")] = None,
    source: Annotated[
        Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"],
        Meta(description="Only this index."),
    ] = "all",
    pdf_only: Annotated[bool, Meta(description="Only papers with a PDF.")] = False,
    sort_by: Annotated[
        Literal["relevance", "date"], Meta(description="date: newest first.")
    ] = "relevance",
    open_access: Annotated[bool, Meta(description="Only open access.")] = False,
    provider: Annotated[
        str | None,
        Meta(description="Force one index, with no web search in its place."),
    ] = None,
    sessionId: RecordingSession = None,
) -> PapersOutput:
    """Search scholarly papers in open indexes: DOI, abstract, citations, PDF, retractions."""
    # All of them, also one that is added later.
    arguments = {name: value for name, value in locals().items() if name != "kit"}
    if year_from is not None and year_to is not None and year_from > year_to:
        raise BadInput(
            f"The years from {year_from} to {year_to} are none.",
            suggested_action="Swap year_from and year_to.",
        )
    asked = PaperQuery(
        query,
        num_results,
        year_from=year_from,
        year_to=year_to,
        newest_first=sort_by == "date",
        open_access=open_access,
        with_pdf=pdf_only,
    )
    started = kit.clock.monotonic()
    forced = (provider or "").strip() or None
    found = await kit.scholar.find(
        asked, source=source, provider=forced, asked=key_parameters("academic_search", arguments)
    )
    answer = PapersOutput.of(query, found)
    if not found.papers:
        answer.hints = _hints(kit, found, arguments)
    notes: tuple[str, ...] = ()
    if forced is not None and source != ALL and found.order != (source,):
        notes = ("`source` was not applied, because `provider` takes its place.",)
    return add_papers_trace(answer, found, kit.clock.monotonic() - started, notes)


def _hints(kit: Toolkit, found: PapersFound, arguments: Mapping[str, Any]) -> ZeroResultHints:
    """Filters that were applied, and indexes that were not asked and would answer now."""
    filters = [name for name in _FILTERS if arguments[name]]
    if arguments["source"] != ALL and not arguments["provider"]:
        filters.insert(0, "source")
    asked = {attempt.provider for attempt in found.attempts}
    healthy = [index.name for index in kit.scholar.services.healthy()]
    others = [name for name in healthy if name not in asked]
    return zero_result_hints(filters, others)
