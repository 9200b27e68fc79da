"""A session -> the whole of it as data: steps, numbered sources with their citations, what went
wrong.

The same session gives the same data, whenever it is asked for. Every text is free of invisible
characters and of the delimiters of chats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import Any

from webquarry.evidence.models import AnswerPart
from webquarry.evidence.page.people import Name
from webquarry.evidence.page.titles import title_from_url
from webquarry.evidence.styles.apa import format_apa
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.keys import build_keys
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_url
from webquarry.read.text.characters import clean
from webquarry.sessions.advice import repeated_errors
from webquarry.sessions.models import RecordedSource, Session, Step
from webquarry.sessions.references import work_of_source
from webquarry.tools.research._links import LinkState
from webquarry.tools.research._session import FullStep, NumberedSource, in_full


class ExportedSource(NumberedSource):
    __doc__ = (
        "A source: how to cite it (`citation` in APA, `reference` as CSL-JSON), and which "
        "steps and tools found it."
    )

    steps: list[int]
    tools: list[str]
    citation: str
    reference: dict[str, Any]
    link: LinkState | None = None


class ErrorCount(AnswerPart):
    """A kind of error: how often, of which tools, and, where it came back, what to do about it."""

    kind: str
    count: int
    tools: list[str]
    advice: str | None = None


def exported_steps(session: Session) -> list[FullStep]:
    return [_step(step) for step in session.steps]


def _step(step: Step) -> FullStep:
    shown = in_full(step)
    shown.text = clean_text(shown.text)
    if shown.reasoning:
        shown.reasoning = clean_text(shown.reasoning)
    else:
        shown.reasoning = None
    if shown.knowledge_gap:
        shown.knowledge_gap = clean_text(shown.knowledge_gap)
    else:
        shown.knowledge_gap = None
    if shown.branch_id:
        shown.branch_id = clean_line(shown.branch_id)
    else:
        shown.branch_id = None
    if shown.rejected_approaches:
        shown.rejected_approaches = [clean_text(one) for one in shown.rejected_approaches]
    return shown


def works_of(session: Session) -> list[Work]:
    """What the sources are cited as, by number."""
    return [clean_work(work_of_source(one.source)) for one in session.sources]


def clean_work(work: Work) -> Work:
    """The work with texts that may stand in an answer."""
    texts: dict[str, Any] = {
        name: clean_line(value) for name, value in vars(work).items() if isinstance(value, str)
    }
    names = [Name(*map(clean_line, astuple(name))) for name in work.authors]
    authors = tuple(name for name in names if name.written)
    title = texts["title"] or clean_line(title_from_url(work.url or work.location))
    return replace(work, **texts | {"title": title, "url": clean_url(work.url), "authors": authors})


def exported_sources(
    session: Session, works: Sequence[Work], links: Sequence[LinkState] | None
) -> list[ExportedSource]:
    states = links if links is not None else [None] * len(works)
    parts = zip(session.sources, works, build_keys(works), states, strict=True)
    return [_source(recorded, work, key, state) for recorded, work, key, state in parts]


def _source(
    recorded: RecordedSource, work: Work, key: str, link: LinkState | None
) -> ExportedSource:
    source = recorded.source
    return ExportedSource(
        number=recorded.number,
        url=clean_url(source.url),
        title=clean_line(source.title or work.title),
        published_at=source.published,
        provider=source.provider,
        read=source.was_read or None,
        steps=list(recorded.steps),
        tools=list(recorded.tools),
        citation=format_apa(work),
        reference=to_csl(work, key),
        link=link,
    )


def exported_errors(session: Session) -> list[ErrorCount]:
    """Every kind of error, the most frequent first; a kind that came back has advice."""
    advice = {pattern.kind: pattern.advice for pattern in repeated_errors(session.errors)}
    return [
        ErrorCount(
            kind=kind,
            count=count,
            tools=list(dict.fromkeys(error.tool for error in session.errors if error.kind == kind)),
            advice=advice.get(kind),
        )
        for kind, count in Counter(error.kind for error in session.errors).most_common()
    ]


def clean_text(text: str) -> str:
    """A text of several lines, as it may stand in an answer."""
    return clean(text).text.strip()
