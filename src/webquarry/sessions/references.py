"""What a session may hold, and papers and patents that were found -> the work to cite: by its
reference where it was read, else by what a search said of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any

from webquarry._search.addresses import normal_doi
from webquarry._search.scholarly.models import Author, Paper
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.people import Name, parse_person
from webquarry.evidence.page.titles import host_of_page, title_from_url, without_site
from webquarry.evidence.styles.csl import parse_csl
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_url
from webquarry.sessions.source import Source


def work_of_source(source: Source) -> Work:
    """The work. What nobody has read was not accessed, so that it has no date of access."""
    if not source.csl:
        return work_at(source.url, source.title, source.published)
    work = parse_csl(source.csl)
    return replace(
        work,
        title=work.title or source.title or title_from_url(source.url),
        url=work.url or source.url,
    )


def work_at(url: str, title: str = "", published: str | None = None) -> Work:
    """A page of which little is known; the address of a DOI tells the DOI, too."""
    site = host_of_page(url)
    one_line = " ".join(title.split())
    title = without_site(one_line, site) or title_from_url(url)
    issued = date_parts(published)
    doi = ""
    if site in ("doi.org", "dx.doi.org"):
        doi = normal_doi(url) or ""
    if doi:
        return Work(
            kind="document",
            title=title,
            doi=doi,
            url=url,
            issued=issued,
        )
    return Work(
        kind="webpage",
        title=title,
        container=site,
        url=url,
        issued=issued,
    )


def work_of_paper(paper: Paper) -> Work:
    """The paper as a reference; a preprint's number stands where a journal's volume would. Nobody
    has accessed it yet.
    """
    kind = paper.kind
    if not kind and paper.journal:
        kind = "article-journal"
    elif not kind and paper.doi:
        kind = "article"
    issued = date_parts(paper.published)
    if not issued and paper.year:
        issued = (paper.year,)
    container = clean_line(paper.journal)
    number = ""
    if kind == "article" and paper.arxiv_id:
        container = ""
        number = f"arXiv:{paper.arxiv_id}"
    return Work(
        kind=kind or "webpage",
        title=clean_line(paper.title),
        authors=tuple(parse_author(author) for author in paper.authors),
        container=container,
        publisher=clean_line(paper.publisher),
        volume=clean_line(paper.volume),
        issue=clean_line(paper.issue),
        pages=clean_line(paper.pages),
        number=number,
        doi=clean_line(paper.doi),
        url=clean_url(paper.url),
        issued=issued,
    )


def parse_author(author: Author) -> Name:
    """The name of a paper's author; as it is written where its parts are not known."""
    if author.family and author.given:
        family = clean_line(author.family)
        given = clean_line(author.given)
        return Name(family=family, given=given)
    written = clean_line(author.written)
    return parse_person(written) or Name(literal=written)


def parse_inventors(names: Sequence[str]) -> tuple[Name, ...]:
    """The names of a patent's inventors. In capitals the family name comes first, and nothing says
    where it ends: such a name stays whole.
    """
    parsed = []
    for name in names:
        inventor = None
        if not name.isupper():
            inventor = parse_person(name)
        parsed.append(inventor or Name(literal=name))
    return tuple(parsed)


def clean_work(work: Work) -> Work:
    """The work with texts that may stand in an answer."""
    texts: dict[str, Any] = {
        name: clean_line(value) for name, value in vars(work).items() if isinstance(value, str)
    }
    if not texts["title"]:
        texts["title"] = clean_line(title_from_url(work.url or work.location))
    texts["url"] = clean_url(work.url)
    authors = []
    for author in work.authors:
        name = Name(*map(clean_line, astuple(author)))
        if name.written:
            authors.append(name)
    return replace(work, authors=tuple(authors), **texts)
