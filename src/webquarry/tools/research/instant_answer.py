"""The `instant_answer` tool."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webquarry._search import instant
from webquarry._search.models import pack, unpack
from webquarry.errors import BadInput
from webquarry.evidence.models import TRUST, AnswerPart, fixed
from webquarry.pages.clean import clean_url
from webquarry.secret import redact
from webquarry.sessions.models import Source
from webquarry.store.cache import Made, freshness, key_of
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import RecordingSession, build_part, key_parameters

_VERSION = 2
_HINT = "No instant answer; most questions have none. Use web_search."


class RelatedTopic(AnswerPart, kw_only=True):
    """A related topic; `group` is its heading."""

    name: str
    text: str
    url: str
    group: str | None = None


class InstantAnswerOutput(Answer, kw_only=True):
    """An instant answer; every text may be empty. `urls` are the sources."""

    query: str
    heading: str
    abstract: str
    abstract_source: str
    answer: str
    definition: str
    definition_source: str
    topics: list[RelatedTopic]
    urls: list[str]
    source: str = fixed("DuckDuckGo Instant Answer API")
    hint: str | None = None
    trust: str = fixed(TRUST)

    def sources(self) -> list[Source]:
        return [Source(url, self.heading, provider="duckduckgo") for url in self.urls]


@tool
async def instant_answer(
    kit: Toolkit,
    query: Annotated[
        str, Meta(description="Topic, term or short question.", min_length=1, max_length=500)
    ],
    sessionId: RecordingSession = None,
) -> InstantAnswerOutput:
    """Look up a definition, summary or computed answer for a well-known topic, without a web
    search. The answer is often empty; then use web_search.
    """
    parameters = key_parameters("instant_answer", locals())
    asked = " ".join(query.split())
    if not asked:
        raise BadInput("The query is blank.", suggested_action="Say what to look up.")
    settings = kit.settings

    async def make() -> Made:
        async with kit.router.pace("duckduckgo"):
            found = await instant.ask(kit.client, settings, asked)
        seconds = settings.cache_search_seconds
        if found.is_empty:
            seconds = settings.cache_empty_seconds
        return Made(pack(found), seconds)

    parameters |= {
        "origin": redact(settings.origins.get("duckduckgo_api", "")),
        "good": [settings.cache_search_seconds, settings.cache_empty_seconds],
    }
    kept = await kit.cache.get_or_make(key_of("instant", _VERSION, parameters), make)
    answer = _build_answer(query, unpack(kept.value, instant.InstantAnswer))
    return answer.add_meta(cache=freshness(kept.cached, kept.age_seconds, kept.max_age_seconds))


def _build_answer(query: str, found: instant.InstantAnswer) -> InstantAnswerOutput:
    urls = [found.abstract_url, found.definition_url, *(result.url for result in found.results)]
    return build_part(
        InstantAnswerOutput,
        found,
        query=query,
        topics=[build_part(RelatedTopic, topic) for topic in found.topics],
        urls=list(dict.fromkeys(clean_url(url) for url in urls if url)),
        hint=_HINT if found.is_empty else None,
    )
