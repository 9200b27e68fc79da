"""Papers that were found -> the shape in which they leave, their references, and what travels
beside the answer.
"""

from __future__ import annotations

from pydantic import ConfigDict, PrivateAttr
from pydantic.alias_generators import to_camel

from webquarry.cache.freshness import freshness
from webquarry.evidence.models import TRUST, RetractionStatus, Shape, ZeroResultHints
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.people import Name, person
from webquarry.evidence.styles.csl import csl
from webquarry.evidence.styles.work import Work
from webquarry.evidence.trust.retraction import status_of
from webquarry.pages.clean import clean_line, clean_url
from webquarry.search.scholarly.models import Author, Paper, PapersFound
from webquarry.search.services.failure import shorten
from webquarry.sessions.models import Source
from webquarry.tool import Answer
from webquarry.tools.research._search import trace_of

_MOST_SHOWN = 20  # authors
# Fields of a paper whose origin is told, by their names in the answer.
_TOLD = {
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


class PaperResult(Shape):
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


class PapersOutput(Answer):
    """The papers, best first; none is an answer too, and has hints."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    query: str
    result_count: int
    papers: list[PaperResult]
    hints: ZeroResultHints | None = None
    trust: str = TRUST

    _sources: list[Source] = PrivateAttr(default_factory=list)

    @classmethod
    def of(cls, query: str, found: PapersFound, hints: ZeroResultHints | None) -> PapersOutput:
        """The answer, with a reference to every paper for a research session."""
        papers = [_shown(paper) for paper in found.papers]
        answer = cls(query=query, result_count=len(papers), papers=papers, hints=hints)
        answer._sources = [_source(paper) for paper in found.papers]
        return answer

    def sources(self) -> list[Source]:
        return self._sources


def traced(
    answer: PapersOutput, found: PapersFound, seconds: float, notes: tuple[str, ...] = ()
) -> PapersOutput:
    """Put beside an answer how fresh it is, who was asked, and what came of it."""
    failed = [one for one in found.attempts if one.outcome not in ("ok", "empty")]
    why = "; ".join(f"{one.provider}: {one.outcome} ({shorten(one.reason)})" for one in failed)
    return answer.beside(
        cache=freshness(found.cached, found.age_seconds, found.max_age_seconds),
        routing={
            "providerUsed": ",".join(found.providers),
            "providersAttempted": [
                one.provider for one in found.attempts if one.outcome != "skipped"
            ],
            "fallback": found.fallback,
            "fallbackReason": why if found.fallback else "",
            "latencyMs": round(seconds * 1000),
            "notes": [*notes, *found.notes],
        },
        trace=trace_of(found.order, found.because, found.attempts),
    )


def _shown(paper: Paper) -> PaperResult:
    status = status_of(paper.notices)
    origins = {
        told: paper.origins[name]
        for name, told in _TOLD.items()
        if paper.origins.get(name, paper.source) != paper.source and (name != "notices" or status)
    }
    return PaperResult(
        title=clean_line(paper.title),
        url=clean_url(paper.url),
        doi=clean_line(paper.doi) or None,
        authors=_names(paper.authors),
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


def _names(authors: tuple[Author, ...]) -> list[str]:
    """The authors; of very many, the first ones and how many there are."""
    names = [clean_line(one.written) for one in authors[:_MOST_SHOWN]]
    if len(authors) > _MOST_SHOWN:
        return [*names, f"et al. ({len(authors)} authors)"]
    return names


def _source(paper: Paper) -> Source:
    published = paper.published or (str(paper.year) if paper.year else None)
    return Source(
        clean_url(paper.url), clean_line(paper.title), published, paper.source, csl(_work(paper))
    )


def _work(paper: Paper) -> Work:
    """The paper as a reference; a preprint's number stands where a journal's volume would. Nobody
    has accessed it yet.
    """
    kind = paper.kind or (
        "article-journal" if paper.journal else "article" if paper.doi else "webpage"
    )
    preprint = kind == "article" and bool(paper.arxiv_id)
    return Work(
        kind=kind,
        title=clean_line(paper.title),
        authors=tuple(_name(one) for one in paper.authors),
        container="" if preprint else clean_line(paper.journal),
        publisher=clean_line(paper.publisher),
        volume=clean_line(paper.volume),
        issue=clean_line(paper.issue),
        pages=clean_line(paper.pages),
        number=f"arXiv:{paper.arxiv_id}" if preprint else "",
        doi=clean_line(paper.doi),
        url=clean_url(paper.url),
        issued=date_parts(paper.published) or ((paper.year,) if paper.year else ()),
    )


def _name(author: Author) -> Name:
    if author.family and author.given:
        return Name(family=clean_line(author.family), given=clean_line(author.given))
    written = clean_line(author.written)
    return person(written) or Name(literal=written)
