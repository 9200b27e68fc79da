"""How to quote a page: what is known of it in, a citation out; always, because a page without a
title has an address.

`cite` is the short form for a terminal, with the day the page was read:

    Tides of the Lagoon. (2024, March 3). example.org. Retrieved November 15, 2026,
    from https://example.org/tides

A date that nobody stated is "n.d.", never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from webquarry.evidence.models import CitationFormats, EveryCitationFormat
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.titles import host_of_page, without_site
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.bibtex import to_bibtex
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.mla import format_mla
from webquarry.evidence.styles.ris import to_ris
from webquarry.evidence.styles.work import Work

NO_DATE = "n.d."  # nobody stated one

CitationStyle = Literal["apa", "mla", "bibtex", "ris", "csl-json"]


@dataclass(frozen=True)
class CitedPage:
    """What the short citation needs to know. `published` is ISO 8601, as far as it is known."""

    title: str
    url: str
    accessed: datetime
    published: str | None = None


def cite(page: CitedPage) -> str:
    """The citation of a page, on one line."""
    site = host_of_page(page.url)
    title = " ".join(page.title.split())
    accessed = page.accessed
    work = Work(
        title=without_site(title, site) or "[Untitled page]",
        container=site,
        url=page.url,
        issued=date_parts(page.published),
        accessed=(accessed.year, accessed.month, accessed.day),
    )
    return format_apa(work, retrieved=True)


def describe_source(
    work: Work, author: str, accessed: datetime, published: str | None
) -> dict[str, Any]:
    """The facts of a citation, as a `CitedSource` has them. `author` are the authors in one line;
    `published` is given as exactly as it is known.
    """
    metadata = {
        "title": work.title,
        "author": author,
        "site": work.container or work.publisher,
        "date": published or NO_DATE,
    }
    return {
        "url": work.url,
        "accessedDate": accessed.date().isoformat(),
        "metadata": metadata,
    }


def format_citation(work: Work, style: CitationStyle) -> CitationFormats:
    """The reference of a work in one form."""
    match style:
        case "apa":
            return CitationFormats(apa=format_apa(work))
        case "mla":
            return CitationFormats(mla=format_mla(work))
        case "bibtex":
            return CitationFormats(bibtex=to_bibtex(work))
        case "ris":
            return CitationFormats(ris=to_ris(work))
        case "csl-json":
            return CitationFormats(csl_json=to_csl(work))


def format_all(work: Work) -> EveryCitationFormat:
    """The reference of a work in every form."""
    return EveryCitationFormat(
        apa=format_apa(work),
        mla=format_mla(work),
        bibtex=to_bibtex(work),
        ris=to_ris(work),
        csl_json=to_csl(work),
    )
