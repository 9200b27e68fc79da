"""The `format_bibliography` tool: the sources of a session, or given ones, as a bibliography,
without requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from webquarry.errors import BadInput
from webquarry.evidence.models import TRUST, AnswerPart, CitationStyle, fixed
from webquarry.evidence.styles.bibliography import build_bibliography
from webquarry.evidence.styles.work import Work
from webquarry.sessions.references import clean_work, parse_source
from webquarry.sessions.views import list_cited_numbers, list_works
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import open_session

_MOST_SOURCES = 2000  # as many as a session holds
_MOST_NUMBERS = 20  # in a hint
_STYLES_WITH_KEYS = ("bibtex", "csl-json")


class BibliographyEntry(AnswerPart, kw_only=True):
    """An entry, in the order of the text: the numbers of its sources, and its key if the style has
    keys.
    """

    numbers: list[int]
    key: str | None = None


class BibliographyOutput(Answer, kw_only=True):
    """The bibliography as text."""

    style: CitationStyle
    bibliography: str
    count: int
    duplicates: int
    entries: list[BibliographyEntry]
    hints: list[str] | None = None
    trust: str = fixed(TRUST)

    may_be_large: ClassVar[bool] = True

    def how_to_read_on(self) -> str:
        return "Call format_bibliography with some of the sources at a time."


@tool(open_world=False, recorded=False)
async def format_bibliography(
    kit: Toolkit,
    style: Annotated[CitationStyle, Meta(description="Style of the entries.")] = "apa",
    sessionId: Annotated[str | None, Meta(description="Session whose sources are cited.")] = None,
    sources: Annotated[
        list[str | dict[str, Any]] | None,
        Meta(
            description="Sources instead of a session: URLs, DOIs, CSL-JSON items or objects "
            "{url, title, authors, published}."
        ),
    ] = None,
    include_found: Annotated[
        bool, Meta(description="Also cite sources that were found and not read.")
    ] = False,
) -> BibliographyOutput:
    """Format the sources of a session, or a list of sources, as a bibliography. A URL that was read
    within the hour is cited with what was read. Duplicates are merged, entries sorted, and
    citation keys unique.
    """
    if bool(sessionId) == (sources is not None):
        problem = "Neither sessionId nor sources was given."
        if sessionId:
            problem = "Both sessionId and sources were given."
        raise BadInput(
            problem,
            suggested_action="Give the sessionId of a research session, or a list of sources, "
            "and not both.",
        )
    left_out = 0
    if sessionId:
        session = await open_session(kit, sessionId)
        every = list_works(session)
        numbers = list_cited_numbers(session, cites_found=include_found)
        works = [every[number - 1] for number in numbers]
        left_out = len(every) - len(works)
    else:
        sources = sources or []
        if not 1 <= len(sources) <= _MOST_SOURCES:
            raise BadInput(
                f"The list holds {len(sources)} sources; 1 to {_MOST_SOURCES} can be formatted.",
                suggested_action="Give sources, or a part of them at a time.",
            )
        works = []
        for number, source in enumerate(sources, 1):
            page = None
            if isinstance(source, str) and source.strip().startswith(("http://", "https://")):
                page = await kit.pages.find_cached(source.strip())
            works.append(clean_work(parse_source(source if page is None else page.csl, number)))
        numbers = list(range(1, len(works) + 1))
    result = build_bibliography(works, style)
    entries = []
    for entry in result.entries:
        shown = BibliographyEntry(numbers=[numbers[place] for place in entry.places])
        if style in _STYLES_WITH_KEYS:
            shown.key = entry.key
        entries.append(shown)
    return BibliographyOutput(
        style=style,
        bibliography=result.text,
        count=len(entries),
        duplicates=len(works) - len(entries),
        entries=entries,
        hints=_hints(works, numbers, left_out, of_session=bool(sessionId)) or None,
    )


def _hints(
    works: Sequence[Work], numbers: Sequence[int], left_out: int, *, of_session: bool
) -> list[str]:
    """Return hints to complete the bibliography."""
    if not works and not left_out:
        return ["The session has no sources: give its sessionId to the tools that search and read."]
    hints = []
    if left_out:
        hints.append(
            f"{left_out} sources were found and not read, so they are not cited: read them with "
            "scrape_page and this sessionId, or set include_found."
        )
    unknown = [
        number
        for number, work in zip(numbers, works, strict=True)
        if not work.authors and not work.issued
    ]
    if not unknown:
        return hints
    listed = ", ".join(map(str, unknown[:_MOST_NUMBERS]))
    if len(unknown) > _MOST_NUMBERS:
        listed += ", ..."
    how = "and citation_style csl-json, give its cslJson"
    if of_session:
        how = "with this sessionId"
    hints.append(
        f"Neither author nor date is known of {listed}: read the page with scrape_page {how}, "
        "then call again."
    )
    return hints
