"""Works to cite: of the sources of a session, of papers and inventors, and of sources that callers
write as a URL, a DOI, CSL-JSON or an object with the fields of our tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

from webquarry._search.addresses import doi_url, normal_doi
from webquarry._search.scholarly.models import Author, Paper
from webquarry.errors import BadInput
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.people import Name, parse_person
from webquarry.evidence.page.titles import host_of_page, title_from_url, without_site
from webquarry.evidence.styles.csl import parse_csl, rename_fields
from webquarry.evidence.styles.work import Work, plain
from webquarry.pages.clean import clean_line, clean_url
from webquarry.secret import redact
from webquarry.sessions.models import Source

_FORMS = (
    "Give an address, a DOI, a CSL-JSON item, or an object with url, title, authors and published."
)


def work_of_source(source: Source) -> Work:
    """Return the work of a source; only pages that were read have a date of access."""
    if not source.csl:
        return work_at(source.url, source.title, source.published)
    work = parse_csl(source.csl)
    title = work.title or source.title or title_from_url(source.url)
    return replace(work, title=title, url=work.url or source.url)


def work_at(url: str, title: str = "", published: str | None = None) -> Work:
    """Return the work of a page without metadata; a URL of doi.org has the DOI."""
    site = host_of_page(url)
    doi = normal_doi(url) if site in ("doi.org", "dx.doi.org") else None
    return Work(
        kind="document" if doi else "webpage",
        title=without_site(" ".join(title.split()), site) or title_from_url(url),
        container="" if doi else site,
        doi=doi or "",
        url=url,
        issued=date_parts(published),
    )


def work_of_paper(paper: Paper) -> Work:
    """Return the work of a paper; a preprint has its arXiv id as number."""
    kind = paper.kind
    if not kind and paper.journal:
        kind = "article-journal"
    elif not kind and paper.doi:
        kind = "article"
    is_preprint = kind == "article" and bool(paper.arxiv_id)
    return Work(
        kind=kind or "webpage",
        title=clean_line(paper.title),
        authors=tuple(parse_author(author) for author in paper.authors),
        container="" if is_preprint else clean_line(paper.journal),
        publisher=clean_line(paper.publisher),
        volume=clean_line(paper.volume),
        issue=clean_line(paper.issue),
        pages=clean_line(paper.pages),
        number=f"arXiv:{paper.arxiv_id}" if is_preprint else "",
        doi=clean_line(paper.doi),
        url=clean_url(paper.url),
        issued=date_parts(paper.published) or ((paper.year,) if paper.year else ()),
    )


def parse_author(author: Author) -> Name:
    """Return the name of a paper's author; a literal if its parts are unknown."""
    if author.family and author.given:
        return Name(family=clean_line(author.family), given=clean_line(author.given))
    written = clean_line(author.written)
    return parse_person(written) or Name(literal=written)


def parse_inventors(names: Sequence[str]) -> tuple[Name, ...]:
    """Return the names of a patent's inventors. A name in capitals is not split, because the end of
    its family name is unknown.
    """
    parsed = [None if name.isupper() else parse_person(name) for name in names]
    return tuple(one or Name(literal=name) for one, name in zip(parsed, names, strict=True))


def clean_work(work: Work) -> Work:
    """Return the work with texts that are safe in an answer."""
    texts: dict[str, Any] = {
        name: clean_line(value) for name, value in vars(work).items() if isinstance(value, str)
    }
    texts["title"] = texts["title"] or clean_line(title_from_url(work.url or work.location))
    texts["url"] = clean_url(work.url)
    authors = [Name(*map(clean_line, astuple(author))) for author in work.authors]
    return replace(work, authors=tuple(one for one in authors if one.written), **texts)


def parse_source(source: str | Mapping[str, Any], number: int) -> Work:
    """Return the work of a source that a caller wrote. Raises BadInput with its number."""
    work = None
    if not isinstance(source, str):
        work = _parse_fields(source)
    else:
        text = redact(source.strip())
        doi = normal_doi(text)
        url = doi_url(doi) if doi else text
        work = work_at(url) if _is_url(url) else None
    if work is None:
        raise BadInput(
            f"Source {number} of the list has neither a title, an address nor a DOI.",
            suggested_action=_FORMS,
        )
    return work


def _parse_fields(fields: Mapping[str, Any]) -> Work | None:
    item = rename_fields(fields)
    if "type" not in item and fields.get("journal"):
        item["type"] = "article-journal"
    work = parse_csl(item)
    url = redact(work.url) if _is_url(work.url) else ""
    doi = work.doi or normal_doi(url) or ""
    if not (work.title or url or doi):
        return None
    is_page = work.kind == "webpage" and not doi
    return replace(
        work,
        title=work.title or title_from_url(url or doi_url(doi)),
        container=work.container or (plain(host_of_page(url)) if is_page else ""),
        url=url,
        doi=doi,
    )


def _is_url(text: str) -> bool:
    is_web = text.lower().startswith(("http://", "https://"))
    return is_web and not text.split()[1:] and bool(host_of_page(text))
