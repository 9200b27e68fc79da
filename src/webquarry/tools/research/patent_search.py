"""The `patent_search` tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from webquarry._search.patents.numbers import assignee_clusters, office_code, read_number
from webquarry._search.patents.provider import FoundPatents, Patent, PatentQuery, cpc_symbol
from webquarry.errors import BadInput
from webquarry.evidence.models import TRUST, AnswerPart, ZeroResultHints, fixed, zero_result_hints
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_url
from webquarry.sessions.models import Source
from webquarry.sessions.references import parse_inventors
from webquarry.tool import Answer, tool
from webquarry.tool_schema import UNLISTED
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import (
    Name,
    RecordingSession,
    ShortText,
    add_trace,
    build_part,
    key_parameters,
)

# Filters that may be the reason why nothing was found.
_FILTERS = ("assignee", "inventor", "patent_office", "cpc_code", "year_from", "year_to")
_Year = Annotated[int, Meta(ge=1790, le=2100, extra=UNLISTED)]


_SEPARATOR = "; "


class PatentResult(AnswerPart, kw_only=True):
    """One publication."""

    title: str
    number: str
    url: str
    abstract: str | None = None
    assignee: str | None = None
    inventor: str | None = None
    filed: str | None = None
    published: str | None = None
    granted: str | None = None
    status: str | None = None
    pdf: str | None = None
    snippet: str | None = None

    @classmethod
    def of(cls, patent: Patent) -> PatentResult:
        """Return a patent as it is shown."""
        return build_part(
            cls,
            patent,
            number=patent.number.google,
            assignee=clean_line(_SEPARATOR.join(patent.assignees)) or None,
            inventor=clean_line(_SEPARATOR.join(patent.inventors)) or None,
            pdf=clean_url(patent.pdf) if patent.pdf else None,
        )

    def reference(self) -> dict[str, Any]:
        """Return the patent as CSL-JSON."""
        inventors = [name for name in (self.inventor or "").split(_SEPARATOR) if name]
        work = Work(
            kind="patent",
            title=self.title,
            authors=parse_inventors(inventors),
            publisher=self.assignee or "",
            number=self.number,
            url=self.url,
            issued=date_parts(self.granted or self.published),
        )
        return to_csl(work)


class AssigneeCluster(AnswerPart, kw_only=True):
    """One assignee, with all spellings of its name."""

    assignee: str
    count: int
    share: float


class PatentSearchOutput(Answer, kw_only=True):
    """The patents, best first; an empty answer has hints."""

    patents: list[PatentResult]
    query: str
    result_count: int
    assignee_clusters: list[AssigneeCluster] | None = None
    patents_analysed: int | None = None
    hints: ZeroResultHints | None = None
    trust: str = fixed(TRUST)

    def sources(self) -> list[Source]:
        provider = self.meta.get("webquarry/routing", {}).get("providerUsed") or None
        sources = []
        for patent in self.patents:
            published = patent.granted or patent.published
            source = Source(patent.url, patent.title, published, provider, patent.reference())
            sources.append(source)
        return sources


@tool
async def patent_search(
    kit: Toolkit,
    query: Annotated[
        ShortText | None, Meta(description="Words, or one patent number, e.g. US10000000B2.")
    ] = None,
    num_results: Annotated[int, Meta(description="Number of patents.", ge=1, le=10)] = 5,
    search_type: Annotated[
        Literal["prior_art", "specific", "landscape"],
        Meta(description="specific: search titles only; landscape: also count the assignees."),
    ] = "prior_art",
    patent_office: Annotated[
        str, Meta(description="Office that published it: US, EP, WO, ... or all.")
    ] = "all",
    assignee: Annotated[Name | None, Meta(description="Name of the owner.")] = None,
    inventor: Annotated[Name | None, Meta(description="Name of an inventor.")] = None,
    cpc_code: Annotated[str | None, Meta(description="CPC class, e.g. H04W or H04W4/02.")] = None,
    year_from: Annotated[_Year | None, Meta(description="Earliest year of publication.")] = None,
    year_to: Annotated[_Year | None, Meta(description="Latest year of publication.")] = None,
    provider: Annotated[
        str | None, Meta(description="Use only this source: epo, lens or web.")
    ] = None,
    sessionId: RecordingSession = None,
) -> PatentSearchOutput:
    """Search patents by words, assignee or inventor; at least one of them is required. A patent
    number as query returns that patent or nothing. Returns number, title, abstract, assignee,
    dates and link of each patent.
    """
    arguments = dict(locals())
    asked = _build_query(arguments)
    started = kit.clock.monotonic()
    forced = (provider or "").strip() or None
    found = await kit.patents.find(asked, forced, key_parameters("patent_search", arguments))
    answer = _build_answer(kit, found, arguments, is_number=read_number(asked.text) is not None)
    return add_trace(answer, found, kit.clock.monotonic() - started)


def _build_query(arguments: Mapping[str, Any]) -> PatentQuery:
    """Return the query of the arguments. Raises `BadInput`."""
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
    """Return a text as one line; empty if it has no letters or digits."""
    if value and any(map(str.isalnum, value)):
        return " ".join(value.split())
    return ""


def _build_answer(
    kit: Toolkit, found: FoundPatents, arguments: Mapping[str, Any], *, is_number: bool
) -> PatentSearchOutput:
    best = found.results[: arguments["num_results"]]
    patents = [PatentResult.of(patent) for patent in best]
    answer = PatentSearchOutput(
        patents=patents,
        query=arguments["query"] or "",
        result_count=len(patents),
    )
    if arguments["search_type"] == "landscape" and not is_number:
        clusters = assignee_clusters([patent.assignees for patent in found.results])
        answer.assignee_clusters = [
            AssigneeCluster(assignee=clean_line(one.assignee), count=one.count, share=one.share)
            for one in clusters
        ]
        answer.patents_analysed = len(found.results)
    if not patents:
        values = {name: arguments[name] for name in _FILTERS}
        values["patent_office"] = office_code(arguments["patent_office"])
        if not arguments["query"]:  # they are the query then
            values["assignee"] = None
            values["inventor"] = None
        filters = [name for name in _FILTERS if values[name] and name not in found.unapplied]
        answer.hints = zero_result_hints(filters, kit.patents.others(found))
    return answer
