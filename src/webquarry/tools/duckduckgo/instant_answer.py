"""The `instant_answer` tool of DuckDuckGo: Markdown for a model."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from webquarry._search import instant
from webquarry._search.models import pack, unpack
from webquarry.errors import BadInput, NetworkFailure
from webquarry.store.cache import Made, freshness, key_of
from webquarry.tool import TextAnswer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.duckduckgo._markdown import advising, write_answer

_VERSION = 1


@tool(strict=True)
async def instant_answer(
    kit: Toolkit, query: Annotated[str, Meta(description="検索キーワード")]
) -> TextAnswer:
    """Get an instant answer from DuckDuckGo, including abstracts, definitions, and related
    topics.
    """
    asked = " ".join(query.split())
    if not asked:
        raise BadInput("The query is blank.", suggested_action="Say what to look up.")
    settings = kit.settings

    async def make() -> Made:
        timeout = settings.timeout_seconds
        try:
            # includes the pause before the request
            async with asyncio.timeout(timeout), kit.router.pace("duckduckgo"):
                found = await instant.ask(kit.client, settings, asked)
        except TimeoutError as error:
            raise NetworkFailure(f"DuckDuckGo did not answer within {timeout:g} s.") from error
        seconds = settings.cache_search_seconds
        if found.is_empty:
            seconds = settings.cache_empty_seconds
        return Made(pack(found), seconds)

    parameters = {
        "query": asked,
        "origin": settings.origins.get("duckduckgo_api"),
        "max_age": settings.cache_search_seconds,
    }
    with advising():
        kept = await kit.cache.get_or_make(key_of("duckduckgo instant", _VERSION, parameters), make)
    answer = TextAnswer(text=write_answer(query, unpack(kept.value, instant.InstantAnswer)))
    return answer.add_meta(cache=freshness(kept.cached, kept.age_seconds, kept.max_age_seconds))
