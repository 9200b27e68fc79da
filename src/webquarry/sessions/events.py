"""Events of a research session, one per entry of its journal, and the session built from them.

begun    the first step
step     a further step
sources  sources that a tool found for a step
error    a tool that failed
quotes   quotes that were compared with sources
read     a part of a page that was returned, by a hash of the request
used     the session was used and nothing was added

Events of unknown kinds and unknown fields are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace as replace_struct

from webquarry._search.identity import identity
from webquarry._search.text import plain, shorten_text
from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.sessions.models import (
    KeptQuote,
    ReadPart,
    RecordedError,
    RecordedSource,
    ResearchSession,
    Source,
    Step,
    StepDraft,
)
from webquarry.store.journals import Journal

T = TypeVar("T")

_MAX_TITLE = 1000
_MAX_MESSAGE = 300
_MAX_QUOTE = 10_000  # characters
_MAX_REFERENCE = 20_000  # bytes of CSL-JSON; a thousand authors need less


class Event(msgspec.Struct, omit_defaults=True, kw_only=True):
    """An entry of a journal; each kind uses some of the fields."""

    event: str
    at: float = 0.0
    tool: str = ""
    of: int = 0  # number of the step
    step: StepDraft | int | None = None
    sources: list[Source] = []
    quotes: list[KeptQuote] = []
    kind: str = ""
    message: str = ""
    part: str = ""
    digest: str = ""
    tokens: int = 0


_decoder = msgspec.json.Decoder(Event)


def write_event(event: str, now: datetime, **fields: Any) -> bytes:
    """Serialize an event; fields with default values are left out."""
    value = msgspec.to_builtins(Event(event=event, at=now.timestamp(), **fields))
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def describe_error(failure: BaseException) -> dict[str, str]:
    """Return the kind and message of an error; of an unexpected one only its class."""
    if isinstance(failure, WebquarryError):
        message = shorten_text(redact(plain(str(failure))), _MAX_MESSAGE)
        return {"kind": failure.kind, "message": message}
    return {"kind": "internal", "message": type(failure).__name__}


def prepare_source(source: Source) -> Source:
    """Return the source without secrets in its URL, with bounded title and reference."""
    reference = {name: value for name, value in (source.csl or {}).items() if name != "abstract"}
    if len(json.dumps(reference, default=str)) > _MAX_REFERENCE:
        reference = {}
    return replace_struct(
        source,
        url=redact(source.url.strip()),
        title=shorten_text(plain(source.title), _MAX_TITLE),
        csl=reference or None,
    )


def prepare_quote(quote: KeptQuote, now: datetime) -> KeptQuote:
    """Return the quote without secrets in its URL, with bounded texts."""
    return replace_struct(
        quote,
        text=shorten_text(quote.text, _MAX_QUOTE),
        url=redact(quote.url.strip()),
        title=shorten_text(plain(quote.title), _MAX_TITLE),
        matched=tuple(shorten_text(words, _MAX_QUOTE) for words in quote.matched),
        checked_at=quote.checked_at or f"{now:%Y-%m-%dT%H:%M:%SZ}",
    )


def build_session(journal: Journal) -> ResearchSession:
    """Build a session from its journal; raises an exception if an entry is not valid."""
    builder = _SessionBuilder()
    for entry in journal.entries:
        event = _decoder.decode(entry)
        add = _ADD_EVENT.get(event.event)
        if add is not None:
            add(builder, event, datetime.fromtimestamp(event.at, UTC))
    return ResearchSession(
        id=journal.id,
        goal=builder.goal,
        summary=builder.summary,
        estimate=builder.estimate,
        finished=journal.finished,
        began_at=datetime.fromtimestamp(journal.created_at, UTC),
        touched_at=datetime.fromtimestamp(journal.touched_at, UTC),
        steps=tuple(builder.steps),
        sources=tuple(builder.sources),
        errors=tuple(builder.errors),
        quotes=tuple(builder.quotes),
        reads=builder.reads,
        places=builder.places,
        version=len(journal.entries),
    )


class _SessionBuilder:
    """A session while events are added to it."""

    def __init__(self) -> None:
        self.goal = ""
        self.summary = ""
        self.estimate: int | None = None
        self.steps: list[Step] = []
        self.sources: list[RecordedSource] = []
        self.errors: list[RecordedError] = []
        self.quotes: list[KeptQuote] = []
        self.reads: dict[str, ReadPart] = {}
        self.places: dict[str, int] = {}  # index in `sources` by page
        self._quoted: dict[str, list[KeptQuote]] = {}  # by page

    def add_step(self, event: Event, at: datetime) -> None:
        """Add a step; one that it revises is superseded."""
        draft = event.step
        if not isinstance(draft, StepDraft):
            raise TypeError("a step without fields")
        self.goal = draft.goal or self.goal
        self.summary = draft.summary or self.summary
        self.estimate = draft.estimate or self.estimate
        number = len(self.steps) + 1
        if draft.revises and draft.revises < number:
            place = draft.revises - 1
            self.steps[place] = replace(self.steps[place], superseded_by=number)
        step = Step(
            number=number,
            text=draft.text,
            at=at,
            reasoning=draft.reasoning,
            confidence=draft.confidence,
            rejected=draft.rejected,
            gap=draft.gap,
            revises=draft.revises,
            branch_from=draft.branch_from,
            branch_id=draft.branch_id,
        )
        self.steps.append(step)

    def add_sources(self, event: Event, at: datetime) -> None:
        """Add sources to their step."""
        numbers = [self._add_source(source, event, at) for source in event.sources]
        step = self.steps[event.of - 1]
        self.steps[event.of - 1] = replace(step, sources=_unique(*step.sources, *numbers))

    def add_quotes(self, event: Event, at: datetime) -> None:
        """Add quotes. A page with a quote that was found becomes a source."""
        for quote in event.quotes:
            self.quotes.append(quote)
            if not quote.url:
                continue
            page = identity(quote.url)
            self._quoted.setdefault(page, []).append(quote)
            if page in self.places:
                self._attach_quotes(page)
            elif quote.is_found:
                found = Event(
                    event="sources",
                    tool=event.tool,
                    of=event.of,
                    sources=[Source(quote.url, quote.title)],
                )
                self.add_sources(found, at)

    def add_read(self, event: Event, at: datetime) -> None:
        """Add a part of a page that was returned; the latest replaces earlier ones."""
        step = event.step
        if not isinstance(step, int):
            raise TypeError("a read part without a step")
        self.reads[event.part] = ReadPart(event.digest, step, event.tokens)

    def add_error(self, event: Event, at: datetime) -> None:
        self.errors.append(RecordedError(event.kind, event.tool, event.of, event.message, at))

    def _add_source(self, source: Source, event: Event, at: datetime) -> int:
        """Return the number of a source: that of the same page, or a new one."""
        page = identity(source.url)
        place = self.places.setdefault(page, len(self.sources))
        if place == len(self.sources):
            recorded = RecordedSource(place + 1, source, (event.of,), (event.tool,), at)
            self.sources.append(recorded)
            self._attach_quotes(page)
            return place + 1
        known = self.sources[place]
        self.sources[place] = replace(
            known,
            source=known.source.merge(source),
            steps=_unique(*known.steps, event.of),
            tools=_unique(*known.tools, event.tool),
        )
        return place + 1

    def _attach_quotes(self, page: str) -> None:
        quotes = self._quoted.get(page)
        if quotes:
            place = self.places[page]
            self.sources[place] = replace(self.sources[place], quotes=tuple(quotes))


_ADD_EVENT: dict[str, Callable[[_SessionBuilder, Event, datetime], None]] = {
    "begun": _SessionBuilder.add_step,
    "step": _SessionBuilder.add_step,
    "sources": _SessionBuilder.add_sources,
    "error": _SessionBuilder.add_error,
    "quotes": _SessionBuilder.add_quotes,
    "read": _SessionBuilder.add_read,
}


def _unique(*values: T) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))
