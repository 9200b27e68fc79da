"""Citations of a page in all styles. An unknown date is "n.d."."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from webquarry.evidence.models import CitationFormats, CitationStyle, EveryCitationFormat
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.exchange import to_bibtex, to_ris
from webquarry.evidence.styles.mla import format_mla
from webquarry.evidence.styles.work import Work

NO_DATE = "n.d."
_FORMATS: dict[CitationStyle, Callable[[Work], Any]] = {
    "apa": format_apa,
    "mla": format_mla,
    "bibtex": to_bibtex,
    "ris": to_ris,
    "csl-json": to_csl,
}


def describe_source(
    work: Work, author: str, accessed: datetime, published: str | None
) -> dict[str, Any]:
    """Return the fields of a `CitedSource`; `published` has the precision of the page."""
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
    """Return the reference of a work in one style."""
    return CitationFormats(**{style.replace("-", "_"): _FORMATS[style](work)})


def format_all(work: Work) -> EveryCitationFormat:
    """Return the reference of a work in every style."""
    written = {style.replace("-", "_"): build(work) for style, build in _FORMATS.items()}
    return EveryCitationFormat(**written)
