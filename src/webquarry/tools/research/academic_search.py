"""The `academic_search` tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from webquarry._search.models import ALL
from webquarry._search.scholarly.models import FoundPapers, Paper, PaperQuery
from webquarry.errors import BadInput
from webquarry.evidence.models import (
    TRUST,
    AnswerPart,
    RetractionStatus,
    ZeroResultHints,
    fixed,
)
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.trust.retraction import status_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.sessions.models import Source
from webquarry.sessions.references import work_of_paper
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import (
    RecordingSession,
    SearchWords,
    Year,
    add_trace,
    build_part,
    key_parameters,
    list_authors,
    suggest_others,
)

# Filters that may be the reason why nothing was found.
_FILTERS = ("year_from", "year_to", "pdf_only", "open_access")
# The names in the answer of fields whose origin is shown.
_FIELDS_WITH_ORIGIN = {
    "title": "title",
    "doi": "doi",
    "authors": "authors",
    "journal": "journal",
    "year": "year",
    "abstract": "abstract",
    "citation_count": "citationCount",
    "open_access": "openAccess",
    "pdf_url": "pdfUrl",
    "notices": "retractionStatus",
}


class PaperResult(AnswerPart, kw_only=True):
    """One paper. `origins` names the index of each field that is not from `source`."""

    title: str
    url: str
    doi: str | None = None
    authors: list[str]
    journal: str | None = None
    year: int | None = None
    abstract: str | None = None
    citation_count: int | None = None
    open_access: bool | None = None
    pdf_url: str | None = None
    source: str
    retraction_status: RetractionStatus | None = None
    origins: dict[str, str] | None = None

    @classmethod
    def of(cls, paper: Paper) -> PaperResult:
        """Return a paper as it is shown."""
        status = status_of(paper.notices)
        origins = {}
        for field, shown_name in _FIELDS_WITH_ORIGIN.items():
            origin = paper.origins.get(field, paper.source)
            if origin != paper.source and (field != "notices" or status):
                origins[shown_name] = origin
        return build_part(
            cls,
            paper,
            authors=list_authors(author.written for author in paper.authors),
            retraction_status=status,
            origins=origins or None,
        )


class PapersOutput(Answer, kw_only=True):
    """The papers, best first; an empty answer has hints."""

    query: str
    result_count: int
    papers: list[PaperResult]
    hints: ZeroResultHints | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, query: str, found: Sequence[Paper]) -> PapersOutput:
        """Return the answer, with a reference to every paper for a research session."""
        papers = [PaperResult.of(paper) for paper in found]
        answer = cls(query=query, result_count=len(papers), papers=papers)
        answer.beside["sources"] = [_cite_paper(paper) for paper in found]
        return answer

    def sources(self) -> list[Source]:
        return list(self.beside.get("sources", ()))


@tool
async def academic_search(
    kit: Toolkit,
    query: SearchWords,
    num_results: Annotated[int, Meta(description="Number of papers.", ge=1, le=10)] = 5,
    year_from: Annotated[Year | None, Meta(description="Earliest year of publication.")] = None,
    year_to: Annotated[Year | None, Meta(description="Latest year of publication.")] = None,
    source: Annotated[
        Literal["all", "arxiv", "pubmed", "crossref", "openalex", "semanticscholar", "europepmc"],
        Meta(description="Search only this index."),
    ] = "all",
    pdf_only: Annotated[bool, Meta(description="Only papers with a link to a PDF.")] = False,
    sort_by: Annotated[
        Literal["relevance", "date"], Meta(description="Order of the papers; date: newest first.")
    ] = "relevance",
    open_access: Annotated[bool, Meta(description="Only open-access papers.")] = False,
    provider: Annotated[
        str | None,
        Meta(description="Use only this index, without falling back to a web search."),
    ] = None,
    sessionId: RecordingSession = None,
) -> PapersOutput:
    """Search scholarly papers in the open indexes. Returns DOI, authors, abstract, number of
    citations, PDF link and retractions of each paper. Use it instead of web_search for research
    literature.
    """
    arguments = dict(locals())
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
    papers = list(found.results)
    if sort_by == "relevance":
        papers.sort(key=_is_retracted)
    answer = PapersOutput.of(query, papers)
    if not found.results:
        answer.hints = _hints(kit, found, arguments)
    notes = []
    if forced is not None and source != ALL and found.order != (source,):
        notes.append("`source` was not applied, because `provider` takes its place.")
    return add_trace(answer, found, kit.clock.monotonic() - started, notes)


def _hints(kit: Toolkit, found: FoundPapers, arguments: Mapping[str, Any]) -> ZeroResultHints:
    """Return the filters that were applied, and available indexes that were not asked."""
    filters = [name for name in _FILTERS if arguments[name]]
    if arguments["source"] != ALL and not arguments["provider"]:
        filters.insert(0, "source")
    return suggest_others(filters, kit.scholar.services.healthy(), found.attempts)


def _is_retracted(paper: Paper) -> bool:
    status = status_of(paper.notices)
    return status is not None and status.retracted


def _cite_paper(paper: Paper) -> Source:
    """Return a paper as a source of a research session."""
    published: str | None = paper.published
    if not published and paper.year:
        published = str(paper.year)
    return Source(
        url=clean_url(paper.url),
        title=clean_line(paper.title),
        published=published or None,
        provider=paper.source,
        csl=to_csl(work_of_paper(paper)),
    )
