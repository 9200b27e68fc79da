"""The `patent_search` tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from webquarry._search.ask import FALLBACK_SHARE
from webquarry._search.models import Found, pack, unpack
from webquarry._search.patents.numbers import assignee_clusters, office_code, read_number
from webquarry._search.patents.provider import FoundPatents, PatentQuery, cpc_symbol
from webquarry.errors import BadInput
from webquarry.evidence.models import zero_result_hints
from webquarry.store.cache import Made, key_of
from webquarry.tool import tool
from webquarry.tool_schema import UNLISTED
from webquarry.toolkit import Toolkit
from webquarry.tools.research._parameters import Name, RecordingSession, ShortText
from webquarry.tools.research._patents import AssigneeCluster, PatentResult, PatentSearchOutput
from webquarry.tools.research._search import add_trace, key_parameters

_VERSION = 1
# The filters that can be the reason why nothing was found.
_FILTERS = ("assignee", "inventor", "patent_office", "cpc_code", "year_from", "year_to")
_Year = Annotated[int, Meta(ge=1790, le=2100, extra=UNLISTED)]


@tool
async def patent_search(
    kit: Toolkit,
    query: Annotated[ShortText | None, Meta(description="Words, or one patent number.")] = None,
    num_results: Annotated[int, Meta(description="Patents wanted.", ge=1, le=10)] = 5,
    search_type: Annotated[
        Literal["prior_art", "specific", "landscape"],
        Meta(description="specific: titles only; landscape: also counts assignees."),
    ] = "prior_art",
    patent_office: Annotated[str, Meta(description="US, EP, WO, ... or all.")] = "all",
    assignee: Annotated[Name | None, Meta(description="Owner's name.")] = None,
    inventor: Annotated[Name | None, Meta(description="Inventor's name.")] = None,
    cpc_code: Annotated[str | None, Meta(description="Class, e.g. H04W or H04W4/02.")] = None,
    year_from: Annotated[_Year | None, Meta(description="Earliest publication year.")] = None,
    year_to: Annotated[_Year | None, Meta(description="Latest publication year.")] = None,
    provider: Annotated[str | None, Meta(description="Force one: epo, lens, web.")] = None,
    sessionId: RecordingSession = None,
) -> PatentSearchOutput:
    """Find patents by words, assignee or inventor, at least one of them; a bare patent number gives
    that patent or nothing.
    """
    # All of them, also one that is added later.
    arguments = {name: value for name, value in locals().items() if name != "kit"}
    asked = _build_query(arguments)
    started = kit.clock.monotonic()
    parameters = key_parameters("patent_search", arguments)
    parameters["circumstances"] = kit.patents.circumstances()
    kept = await kit.cache.get_or_make(
        key_of("patents", _VERSION, parameters),
        lambda: _find_patents(kit, asked, arguments),
    )
    stored = json.loads(kept.value)
    found = replace(
        unpack(stored["trace"].encode()),
        cached=kept.cached,
        age_seconds=kept.age_seconds,
        max_age_seconds=kept.max_age_seconds,
    )
    answer = PatentSearchOutput.from_json(stored["answer"])
    return add_trace(answer, found, kit.clock.monotonic() - started)


def _build_query(arguments: Mapping[str, Any]) -> PatentQuery:
    """The arguments in the words of the engine; what does not fit is BadInput before anybody is
    asked.
    """
    text = _clean_words(arguments["query"])
    assignee = _clean_words(arguments["assignee"])
    inventor = _clean_words(arguments["inventor"])
    if not (text or assignee or inventor):
        raise BadInput(
            "A patent search needs a query, an assignee or an inventor.",
            suggested_action="Give at least one of them.",
        )
    first, last = arguments["year_from"], arguments["year_to"]
    if first and last and first > last:
        raise BadInput(f"year_from ({first}) is later than year_to ({last}).")
    office = office_code(arguments["patent_office"])
    cpc = None
    if (arguments["cpc_code"] or "").strip():
        cpc = cpc_symbol(arguments["cpc_code"])
    return PatentQuery(
        text=text,
        assignee=assignee,
        inventor=inventor,
        count=arguments["num_results"],
        search_type=arguments["search_type"],
        office=office,
        cpc=cpc,
        year_from=first,
        year_to=last,
    )


def _clean_words(value: str | None) -> str:
    """A text in one line; signs alone say nothing."""
    if value and any(map(str.isalnum, value)):
        return " ".join(value.split())
    return ""


async def _find_patents(kit: Toolkit, asked: PatentQuery, arguments: Mapping[str, Any]) -> Made:
    """Ask for the patents: the answer and how it was found, as they are kept, and for how long."""
    number = read_number(asked.text)
    forced = (arguments["provider"] or "").strip() or None
    if number:
        patents = await kit.patents.look_up(number, asked, forced)
    else:
        patents = await kit.patents.find(asked, forced)
    answer = _build_answer(kit, patents, arguments, is_number=number is not None)
    found = Found(  # the shape in which it travels beside an answer
        results=(),
        provider=patents.provider,
        attempts=patents.attempts,
        notes=patents.notes,
        unapplied=patents.unapplied,
        order=patents.order,
        because=patents.because,
        partial=patents.partial,
    )
    trace = pack(found).decode("utf-8", "replace")
    value = json.dumps({"answer": answer.as_dict(), "trace": trace})
    # Nothing at all is not kept, and what somebody failed to add to only for a moment.
    seconds = kit.settings.cache_patents_seconds
    if not patents.patents:
        seconds = 0.0
    elif patents.partial:
        seconds = min(kit.settings.cache_empty_seconds, seconds)
    elif found.is_fallback:
        seconds /= FALLBACK_SHARE
    return Made(value.encode("utf-8", "replace"), seconds)


def _build_answer(
    kit: Toolkit, found: FoundPatents, arguments: Mapping[str, Any], *, is_number: bool
) -> PatentSearchOutput:
    best = found.patents[: arguments["num_results"]]
    patents = [PatentResult.of(patent) for patent in best]
    answer = PatentSearchOutput(
        patents=patents,
        query=arguments["query"] or "",
        result_count=len(patents),
    )
    if arguments["search_type"] == "landscape" and not is_number:
        clusters = assignee_clusters([patent.assignees for patent in found.patents])
        answer.assignee_clusters = [AssigneeCluster.of(cluster) for cluster in clusters]
        answer.patents_analysed = len(found.patents)
    if not patents:
        values = {name: arguments[name] for name in _FILTERS}
        values["patent_office"] = office_code(arguments["patent_office"])
        if not arguments["query"]:  # what was asked for is no filter
            values["assignee"] = None
            values["inventor"] = None
        filters = [name for name in _FILTERS if values[name] and name not in found.unapplied]
        answer.hints = zero_result_hints(filters, kit.patents.others(found))
    return answer
