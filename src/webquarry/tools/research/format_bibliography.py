"""The `format_bibliography` tool: the sources of a session, or given ones, as one bibliography.
Nothing is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from webquarry.errors import BadInput
from webquarry.evidence.models import TRUST, AnswerPart
from webquarry.evidence.styles.bibliography import Style, build_bibliography
from webquarry.evidence.styles.work import Work
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._export import clean_work, works_of
from webquarry.tools.research._parse_source import work_of_given

_MOST = 2000  # sources, as many as a session holds
_SHOWN = 20  # numbers in a hint


class BibliographyEntry(AnswerPart):
    __doc__ = (
        "An entry, in the order of the text: the sources it stands for, by number, and its "
        "key where the style has keys."
    )

    numbers: list[int]
    key: str | None = None


class BibliographyOutput(Answer):
    """The bibliography as a text that may be written to a file."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    style: Style
    bibliography: str
    count: int
    duplicates: int
    entries: list[BibliographyEntry]
    hints: list[str] | None = None
    trust: str = TRUST

    may_be_large: ClassVar[bool] = True

    def how_to_read_on(self) -> str:
        return "Call format_bibliography with some of the sources at a time."


@tool(open_world=False, recorded=False)
async def format_bibliography(
    kit: Toolkit,
    style: Style = "apa",
    sessionId: str | None = None,
    sources: Annotated[
        list[str | dict[str, Any]] | None,
        Field(
            description="If no session: URLs, DOIs, CSL-JSON items or {url, title, authors, "
            "published}."
        ),
    ] = None,
) -> BibliographyOutput:
    """Make a bibliography: de-duplicated, sorted, keys unique."""
    if bool(sessionId) == (sources is not None):
        raise BadInput(
            "Both sessionId and sources were given."
            if sessionId
            else "Neither sessionId nor sources was given.",
            suggested_action="Give the sessionId of a research session, or a list of sources, "
            "and not both.",
        )
    if sessionId:
        session = await kit.sessions.read(sessionId)
        await kit.sessions.touch(session)
        return _answer(works_of(session), style, of_session=True)
    return _answer(_works(sources or []), style, of_session=False)


def _works(sources: Sequence[str | dict[str, Any]]) -> list[Work]:
    if not sources or len(sources) > _MOST:
        raise BadInput(
            f"The list holds {len(sources)} sources; 1 to {_MOST} can be formatted.",
            suggested_action="Give sources, or a part of them at a time.",
        )
    return [clean_work(work_of_given(source, number)) for number, source in enumerate(sources, 1)]


def _answer(works: Sequence[Work], style: Style, *, of_session: bool) -> BibliographyOutput:
    made = build_bibliography(works, style)
    keyed = style in ("bibtex", "csl-json")
    return BibliographyOutput(
        style=style,
        bibliography=made.text,
        count=len(made.entries),
        duplicates=len(works) - len(made.entries),
        entries=[
            BibliographyEntry(
                numbers=[place + 1 for place in entry.places], key=entry.key if keyed else None
            )
            for entry in made.entries
        ],
        hints=_hints(works, of_session) or None,
    )


def _hints(works: Sequence[Work], of_session: bool) -> list[str]:
    """What would make the bibliography better."""
    if not works:
        return ["The session has no sources: give its sessionId to the tools that search and read."]
    unknown = [
        number for number, work in enumerate(works, 1) if not work.authors and not work.issued
    ]
    if not unknown:
        return []
    shown = ", ".join(map(str, unknown[:_SHOWN])) + (", ..." if len(unknown) > _SHOWN else "")
    how = "and give its citation.formatted.cslJson"
    if of_session:
        how = "with this sessionId"
    return [
        f"Neither author nor date is known of {shown}: read the page with scrape_page {how}, "
        "then call again."
    ]
