"""What the two search executables share, so that they cannot drift apart: arguments, answer, and
the call itself.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from webquarry._search.models import Query, Result
from webquarry._search.replies.dates import to_timestamp
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit

QueryText = Annotated[str, Field(description="The search query to use", min_length=2)]
AllowedDomains = Annotated[
    list[str] | None, Field(description="Only include search results from these domains")
]
BlockedDomains = Annotated[
    list[str] | None, Field(description="Never include search results from these domains")
]


class ResultBlock(BaseModel):
    """One result."""

    title: str = Field(description="Page title")
    url: str = Field(description="Full URL")
    description: str = Field(description="Snippet or summary")
    published_date: str | None = Field(default=None, description="ISO 8601 timestamp if available")

    @classmethod
    def of(cls, result: Result) -> ResultBlock:
        return cls(
            title=result.title,
            url=result.url,
            description=result.snippet,
            published_date=to_timestamp(result.published),
        )


class SearchAnswer(Answer):
    """The results, best first; none is an answer too."""

    results: list[ResultBlock]
    notes: list[str] | None = Field(
        default=None, description="What was not asked for, or did not come; only when something"
    )


async def search(
    kit: Toolkit, provider: str, query: str, allowed: list[str] | None, blocked: list[str] | None
) -> SearchAnswer:
    """Ask one provider and put its results into the common form."""
    asked = Query(
        query,
        allowed_domains=tuple(allowed or ()),
        blocked_domains=tuple(blocked or ()),
    )
    notes: list[str] = []
    results = await kit.router.search(provider, asked, notes)
    blocks = [ResultBlock.of(result) for result in results]
    return SearchAnswer(results=blocks, notes=notes or None)
