"""The `web_search` tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from webquarry._search.codes import country_code, language_code
from webquarry._search.models import ALL, Found, Query
from webquarry.evidence.models import ZeroResultHints
from webquarry.tool import tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import (
    ForcedProvider,
    Fresh,
    LongText,
    RecordingSession,
    SearchOutput,
    SearchWords,
    add_trace,
    key_parameters,
    pick_note,
    show_result,
    suggest_others,
)

# Filters that may be the reason why nothing was found.
_FILTERS = ("site", "lens", "time_range", "country", "language", "exact_terms", "exclude_terms")

TimeRange = Literal["day", "week", "month", "year"] | None
Site = Annotated[
    str | None, Meta(description="Only results of this domain, e.g. docs.rs; not with lens.")
]
LensName = Annotated[
    str | None,
    Meta(description="Only trusted domains of a field: academic, legal, medical, news, ..."),
]
Claim = Annotated[
    LongText | None,
    Meta(description="Statement to check: adds the most relevant sentence of each snippet."),
]


@tool
async def web_search(
    kit: Toolkit,
    query: SearchWords,
    num_results: Annotated[int, Meta(description="Number of results.", ge=1, le=10)] = 5,
    time_range: Annotated[
        TimeRange, Meta(description="Only pages of the last day, week, month or year.")
    ] = None,
    safe: Annotated[
        Literal["off", "medium", "high"], Meta(description="Filter for adult content.")
    ] = "medium",
    language: Annotated[str | None, Meta(description="Language of the results, e.g. en.")] = None,
    site: Site = None,
    exact_terms: Annotated[
        str | None, Meta(description="Phrase that every result contains.")
    ] = None,
    exclude_terms: Annotated[str | None, Meta(description="Words that no result contains.")] = None,
    country: Annotated[str | None, Meta(description="Country of the results, e.g. US.")] = None,
    lens: LensName = None,
    provider: ForcedProvider = None,
    sessionId: RecordingSession = None,
    claim: Claim = None,
    fresh: Fresh = None,
) -> SearchOutput:
    """Search the web for sources. Returns title, URL, snippet, date and reputation of each result,
    as untrusted data. Read a page with scrape_page before relying on its snippet. Example:
    {"query": "tidal energy storage", "time_range": "year"}
    """
    arguments = dict(locals())
    chosen_lens = None
    if lens:
        from webquarry._search.lenses import pick_lens

        chosen_lens = pick_lens(kit.lenses, lens)
    asked = Query(
        query,
        num_results,
        allowed_domains=(site,) if site else (),
        time_range=time_range,
        safe=safe,
        language=language_code(language) if language else None,
        country=country_code(country) if country else None,
        exact_terms=exact_terms,
        exclude_terms=exclude_terms,
    )
    started = kit.clock.monotonic()
    found = await kit.router.route(
        asked,
        provider=provider or None,
        lens=chosen_lens,
        asked=key_parameters("web_search", arguments),
        fresh=bool(fresh),
    )
    claim = (claim or "").strip() or None
    has_several = found.provider == ALL
    results = [show_result(one, claim, names_provider=has_several) for one in found.results]
    answer = SearchOutput(
        urls=[result.url for result in results],
        query=query,
        result_count=len(results),
        results=results,
        note=pick_note(found),
    )
    if not results:
        answer.hints = _hints(kit, found, arguments)
    return add_trace(answer, found, kit.clock.monotonic() - started)


def _hints(kit: Toolkit, found: Found, arguments: Mapping[str, Any]) -> ZeroResultHints:
    """Return the filters that were applied, and available providers that were not asked."""
    unapplied = set(found.unapplied)
    if arguments["lens"]:
        unapplied.add("site")  # a lens replaces it
    filters = [name for name in _FILTERS if arguments[name] and name not in unapplied]
    healthy = kit.router.healthy()
    if arguments["site"] or arguments["lens"]:  # an encyclopedia has no pages of other domains
        healthy = [provider for provider in healthy if provider.kind == "web"]
    return suggest_others(filters, healthy, found.attempts)
