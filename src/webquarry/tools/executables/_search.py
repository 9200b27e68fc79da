"""Arguments, answer and call of the two search executables."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webquarry._search.models import Query
from webquarry._search.text import to_timestamp
from webquarry.evidence.models import AnswerPart
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit

QueryText = Annotated[str, Meta(description="The search query to use", min_length=2)]
AllowedDomains = Annotated[
    list[str] | None, Meta(description="Only include search results from these domains")
]
BlockedDomains = Annotated[
    list[str] | None, Meta(description="Never include search results from these domains")
]


class ResultBlock(AnswerPart, kw_only=True, rename=None):
    """One result."""

    title: str
    url: str
    description: str  # the snippet
    published_date: str | None = None  # ISO 8601 timestamp


class SearchAnswer(Answer, kw_only=True):
    """The results, best first; the list may be empty."""

    results: list[ResultBlock]
    notes: list[str] | None = None  # filters that were not applied, missing results


async def search(
    kit: Toolkit, provider: str, query: str, allowed: list[str] | None, blocked: list[str] | None
) -> SearchAnswer:
    """Search with one provider."""
    asked = Query(query, allowed_domains=tuple(allowed or ()), blocked_domains=tuple(blocked or ()))
    notes: list[str] = []
    blocks = [
        ResultBlock(
            title=result.title,
            url=result.url,
            description=result.snippet,
            published_date=to_timestamp(result.published),
        )
        for result in await kit.router.search(provider, asked, notes)
    ]
    return SearchAnswer(results=blocks, notes=notes or None)
