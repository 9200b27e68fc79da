"""The `web_search` tool of DuckDuckGo: Markdown for a model."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webquarry._search.models import Query
from webquarry.errors import BadInput
from webquarry.store.cache import freshness
from webquarry.tool import TextAnswer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.duckduckgo._markdown import advising, write_results


@tool(strict=True)
async def web_search(
    kit: Toolkit,
    query: Annotated[str, Meta(description="検索キーワード")],
    max_results: Annotated[
        int | None,
        Meta(
            description="返却する検索結果の最大数（デフォルト: 10）",
            ge=1,
            le=30,
            extra_json_schema={"default": 10},
        ),
    ] = None,
) -> TextAnswer:
    """Search the web using DuckDuckGo and return a list of results with titles, URLs, and
    snippets.
    """
    count = max_results or kit.settings.websearch_max_results
    duckduckgo = kit.router.provider("duckduckgo")
    try:  # the text cannot say that it was truncated
        duckduckgo.check_length(Query(" ".join(query.split())))
    except BadInput as error:
        error.suggested_action = "Shorten the query."
        raise
    with advising():
        found = await kit.router.route(Query(query, count), provider="duckduckgo")
    answer = TextAnswer(text=write_results(query, found.results))
    if found.notes:
        answer.add_meta(routing={"providerUsed": found.provider, "notes": list(found.notes)})
    return answer.add_meta(cache=freshness(found.cached, found.age_seconds, found.max_age_seconds))
