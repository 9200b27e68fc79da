"""A page that was read -> how to quote it: the reference as a text, and the facts in it."""

from __future__ import annotations

import json

from webquarry.evidence.citation import NO_DATE, CitationStyle
from webquarry.evidence.models import TRUST, Citation, RetractionStatus, fixed
from webquarry.tool import Answer
from webquarry.tools.research.scrape_page import ScrapeOutput


def write_reference(citation: Citation) -> str:
    """The reference in the one form that was asked for."""
    (reference,) = citation.formatted.as_dict().values()
    if isinstance(reference, str):
        return reference
    return json.dumps(reference, ensure_ascii=False, indent=2)


class CiteOutput(Answer, kw_only=True):
    """How to quote a page: the reference as a text, and the facts in it. What nobody stated is
    absent.
    """

    url: str
    style: CitationStyle
    text: str
    title: str
    author: str | None = None
    site: str | None = None
    published: str | None = None
    accessed: str
    doi: str | None = None
    retraction_status: RetractionStatus | None = None
    trust: str = fixed(TRUST)

    @classmethod
    def of(cls, page: ScrapeOutput, style: CitationStyle) -> CiteOutput:
        """The reference to a page that was asked for in this style."""
        facts = page.citation.metadata
        published = None
        if facts.date != NO_DATE:
            published = facts.date
        answer = cls(
            url=page.citation.url,
            style=style,
            text=write_reference(page.citation),
            title=facts.title,
            author=facts.author or None,
            site=facts.site or None,
            published=published,
            accessed=page.citation.accessed_date,
            doi=page.detected_doi,
            retraction_status=page.retraction_status,
        )
        answer.set_meta(page.meta)
        return answer
