"""A source of a session -> the work to cite: by its reference where it was read, else by what a
search said of it.
"""

from __future__ import annotations

from dataclasses import replace

from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.titles import host_of_page, title_from_url, without_site
from webquarry.evidence.styles.csl import parse_csl
from webquarry.evidence.styles.work import Work
from webquarry.search.replies.doi import normal_doi
from webquarry.sessions.models import Source


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
    doi = ""
    if site in ("doi.org", "dx.doi.org"):
        doi = normal_doi(url) or ""
    return Work(
        kind="document" if doi else "webpage",
        title=without_site(" ".join(title.split()), site) or title_from_url(url),
        container="" if doi else site,
        doi=doi,
        url=url,
        issued=date_parts(published),
    )
