"""Papers that were found -> the shape in which they leave, their references, and what travels
beside the answer.
"""

from __future__ import annotations

from webquarry._search.scholarly.models import Author, Paper, PapersFound
from webquarry.evidence.models import TRUST, AnswerPart, RetractionStatus, ZeroResultHints, fixed
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.trust.retraction import status_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.sessions.references import work_of_paper
from webquarry.sessions.source import Source
from webquarry.store.cache import freshness
from webquarry.tool import Answer
from webquarry.tools.research._search import describe_attempts, show_trace

_MOST_AUTHORS = 20
# Fields of a paper whose origin is said -> their names in the answer.
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
    __doc__ = (
        "One paper; what nobody knows is absent. `origins` names the index behind each field "
        "that `source` did not give."
    )

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
        """A paper as it is shown."""
        status = status_of(paper.notices)
        origins = {}
        for field, shown_name in _FIELDS_WITH_ORIGIN.items():
            origin = paper.origins.get(field, paper.source)
            is_foreign = origin != paper.source
            is_shown = field != "notices" or status
            if is_foreign and is_shown:
                origins[shown_name] = origin
        return cls(
            title=clean_line(paper.title),
            url=clean_url(paper.url),
            doi=clean_line(paper.doi) or None,
            authors=list_authors(paper.authors),
            journal=clean_line(paper.journal) or None,
            year=paper.year,
            abstract=clean_line(paper.abstract) or None,
            citation_count=paper.citation_count,
            open_access=paper.open_access,
            pdf_url=clean_url(paper.pdf_url) or None,
            source=paper.source,
            retraction_status=status,
            origins=origins or None,
        )


class PapersOutput(Answer, kw_only=True):
    """The papers, best first; none is an answer too, and has hints."""

    query: str
    result_count: int
    papers: list[PaperResult]
    hints: ZeroResultHints | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, query: str, found: PapersFound) -> PapersOutput:
        """The answer, with a reference to every paper for a research session."""
        papers = [PaperResult.of(paper) for paper in found.papers]
        answer = cls(query=query, result_count=len(papers), papers=papers)
        answer.beside["sources"] = [cite_paper(paper) for paper in found.papers]
        return answer

    def sources(self) -> list[Source]:
        return list(self.beside.get("sources", ()))


def add_papers_trace(
    answer: PapersOutput, found: PapersFound, seconds: float, notes: tuple[str, ...] = ()
) -> PapersOutput:
    """Put beside an answer how fresh it is, who was asked, and what came of it."""
    reason = ""
    if found.fallback:
        failed = [one for one in found.attempts if one.outcome not in ("ok", "empty")]
        reason = describe_attempts(failed)
    sent = [one for one in found.attempts if one.outcome != "skipped"]
    asked = [one.provider for one in sent]
    return answer.add_meta(
        cache=freshness(found.cached, found.age_seconds, found.max_age_seconds),
        routing={
            "providerUsed": ",".join(found.providers),
            "providersAttempted": asked,
            "fallback": found.fallback,
            "fallbackReason": reason,
            "latencyMs": round(seconds * 1000),
            "notes": [*notes, *found.notes],
        },
        trace=show_trace(found.order, found.because, found.attempts),
    )


def list_authors(authors: tuple[Author, ...]) -> list[str]:
    """The authors; of very many, the first ones and how many there are."""
    names = [clean_line(author.written) for author in authors[:_MOST_AUTHORS]]
    if len(authors) > _MOST_AUTHORS:
        names.append(f"et al. ({len(authors)} authors)")
    return names


def cite_paper(paper: Paper) -> Source:
    """A paper as a research session keeps it."""
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
