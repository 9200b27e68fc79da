"""A page that was read -> how to quote it: the reference as a text, and the facts in it."""

from __future__ import annotations

import json

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from webquarry.evidence.citation import NO_DATE, CitationStyle
from webquarry.evidence.models import TRUST, RetractionStatus
from webquarry.tool import Answer
from webquarry.tools.research.scrape_page import ScrapeOutput


class CiteOutput(Answer):
    """How to quote a page: the reference as a text, and the facts in it. What nobody stated is
    absent.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

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
    trust: str = TRUST

    @classmethod
    def of(cls, page: ScrapeOutput, style: CitationStyle) -> CiteOutput:
        """The reference to a page that was asked for in this style."""
        formatted = page.citation.formatted.model_dump(exclude_none=True)
        (reference,) = formatted.values()
        if not isinstance(reference, str):
            reference = json.dumps(reference, ensure_ascii=False, indent=2)
        facts = page.citation.metadata
        published = None
        if facts.date != NO_DATE:
            published = facts.date
        answer = cls(
            url=page.citation.url,
            style=style,
            text=reference,
            title=facts.title,
            author=facts.author or None,
            site=facts.site or None,
            published=published,
            accessed=page.citation.accessed_date,
            doi=page.detected_doi,
            retraction_status=page.retraction_status,
        )
        answer._meta = page.meta
        return answer
