"""The entries of a session's journal: events as JSON in and out, and the session that they come to.

    begun    the first step, too, so that no session is ever without one
    step     a further step
    sources  what a tool found, and the step it was found for
    error    a tool that failed, by kind
    quotes   what was compared with sources, and how it stands there
    read     a part of a page that was given, by a hash of what was asked for
    used     somebody worked with the session and had nothing to add

An event of a kind that this release does not know is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from webquarry._search.identity import identity
from webquarry._search.replies.text import plain, shorten_text
from webquarry.errors import RecordsFailure, WebquarryError
from webquarry.secret import redact
from webquarry.sessions.models import (
    KeptQuote,
    ReadPart,
    RecordedError,
    RecordedSource,
    ResearchSession,
    Step,
    StepDraft,
)
from webquarry.sessions.source import Source
from webquarry.store.journals import Journal

T = TypeVar("T")

_LONGEST_TITLE = 1000
_LONGEST_MESSAGE = 300
_LONGEST_QUOTE = 10_000  # characters
_LONGEST_REFERENCE = 20_000  # bytes of CSL-JSON; one with a thousand authors is still shorter
_EMPTY = (None, "", (), False)  # values of fields that say nothing


def write_begun(draft: StepDraft, now: datetime) -> bytes:
    """The entry that a journal begins with."""
    fields = _nonempty_fields(draft)
    return _write_event("begun", now, step=fields)


def write_step(draft: StepDraft, now: datetime) -> bytes:
    """A further step."""
    fields = _nonempty_fields(draft)
    return _write_event("step", now, step=fields)


def write_sources(tool: str, step: int, sources: Sequence[Source], now: datetime) -> bytes:
    """What a tool found, and the step it was found for."""
    fields = [_nonempty_fields(source) for source in sources]
    return _write_event("sources", now, tool=tool, of=step, sources=fields)


def write_error(tool: str, step: int, failure: BaseException, now: datetime) -> bytes:
    """An error by its kind; of one that nobody foresaw, nothing but its class."""
    if isinstance(failure, WebquarryError):
        kind = failure.kind
        text = redact(plain(str(failure)))
        message = shorten_text(text, _LONGEST_MESSAGE)
    else:
        kind = "internal"
        message = type(failure).__name__
    return _write_event(
        "error",
        now,
        tool=tool,
        of=step,
        kind=kind,
        message=message,
    )


def write_quotes(tool: str, step: int, quotes: Sequence[KeptQuote], now: datetime) -> bytes:
    """Quotes that were checked, and the step they were checked in."""
    fields = [_nonempty_fields(quote) for quote in quotes]
    return _write_event("quotes", now, tool=tool, of=step, quotes=fields)


def write_read(part: str, read: ReadPart, now: datetime) -> bytes:
    """A part of a page was given."""
    return _write_event("read", now, part=part, **asdict(read))


def write_used(now: datetime) -> bytes:
    """Somebody worked with the session and had nothing to add."""
    return _write_event("used", now)


def prepare_source(source: Source) -> Source:
    """The source as it may be kept: no secret in its address, no endless title, no abstract in its
    reference.
    """
    reference: dict[str, Any] | None = dict(source.csl or {})
    if reference:
        reference.pop("abstract", None)
        length = len(json.dumps(reference, default=str))
        if length > _LONGEST_REFERENCE:
            reference = None
    title = plain(source.title)
    return replace(
        source,
        url=redact(source.url.strip()),
        title=shorten_text(title, _LONGEST_TITLE),
        csl=reference or None,
    )


def prepare_quote(quote: KeptQuote, now: datetime) -> KeptQuote:
    """The quote as it may be kept: no secret in its address, and of a bounded length."""
    return replace(
        quote,
        text=shorten_text(quote.text, _LONGEST_QUOTE),
        url=redact(quote.url.strip()),
        title=shorten_text(plain(quote.title), _LONGEST_TITLE),
        matched=tuple(shorten_text(words, _LONGEST_QUOTE) for words in quote.matched),
        checked_at=quote.checked_at or f"{now:%Y-%m-%dT%H:%M:%SZ}",
    )


def replay_journal(journal: Journal) -> ResearchSession:
    """The session that the entries of a journal come to."""
    builder = _SessionBuilder()
    for entry in journal.entries:
        try:
            event = json.loads(entry)
            add = _ADD_EVENT.get(event["event"])
            if add is not None:
                add(builder, event, datetime.fromtimestamp(event["at"], UTC))
        except (ValueError, LookupError, TypeError, OverflowError, OSError) as failure:
            raise RecordsFailure(
                f"The research session {journal.id} holds an entry that is not one of ours.",
                reason="damaged",
                retryable=False,
                suggested_action="Begin a new session: sequential_search with stepNumber 1 and "
                "no sessionId.",
            ) from failure
    return ResearchSession(
        id=journal.id,
        goal=builder.goal,
        summary=builder.summary,
        estimate=builder.estimate,
        finished=journal.finished,
        began_at=datetime.fromtimestamp(journal.created_at, UTC),
        touched_at=datetime.fromtimestamp(journal.touched_at, UTC),
        steps=tuple(builder.steps),
        sources=builder.build_sources(),
        errors=tuple(builder.errors),
        quotes=tuple(builder.quotes),
        reads=builder.reads,
        version=len(journal.entries),
    )


class _SessionBuilder:
    """A session while its events are added, one by one."""

    def __init__(self) -> None:
        self.goal = ""
        self.summary = ""
        self.estimate: int | None = None
        self.steps: list[Step] = []
        self.sources: list[RecordedSource] = []
        self.errors: list[RecordedError] = []
        self.quotes: list[KeptQuote] = []
        self.reads: dict[str, ReadPart] = {}
        self._places: dict[str, int] = {}  # where in `sources` a page is

    def add_step(self, event: Mapping[str, Any], at: datetime) -> None:
        """Add the first or a further step; a step that it revises is superseded."""
        draft = StepDraft(**_select_fields(event["step"], StepDraft))
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
            rejected=tuple(draft.rejected),
            gap=draft.gap,
            revises=draft.revises,
            branch_from=draft.branch_from,
            branch_id=draft.branch_id,
        )
        self.steps.append(step)

    def add_sources(self, event: Mapping[str, Any], at: datetime) -> None:
        """Add what a tool found, under the step it was found for."""
        place = int(event["of"]) - 1
        numbers = []
        for fields in event["sources"]:
            source = Source(**_select_fields(fields, Source))
            number = self._add_source(source, event, at)
            numbers.append(number)
        step = self.steps[place]
        all_numbers = _unique(*step.sources, *numbers)
        self.steps[place] = replace(step, sources=all_numbers)

    def add_quotes(self, event: Mapping[str, Any], at: datetime) -> None:
        """Add quotes that were checked. One that stands in a page which is no source yet
        makes it one.
        """
        for fields in event["quotes"]:
            known = _select_fields(fields, KeptQuote)
            known["spans"] = tuple(map(tuple, known.get("spans", ())))
            known["matched"] = tuple(known.get("matched", ()))
            quote = KeptQuote(**known)
            self.quotes.append(quote)
            if quote.is_found and identity(quote.url) not in self._places:
                found = {"url": quote.url, "title": quote.title}
                self.add_sources({**event, "sources": [found]}, at)

    def build_sources(self) -> tuple[RecordedSource, ...]:
        """The sources, each with the quotes that were compared with it."""
        quotes: dict[int, list[KeptQuote]] = {}
        for quote in self.quotes:
            if not quote.url:
                continue
            place = self._places.get(identity(quote.url))
            if place is not None:
                quotes.setdefault(place, []).append(quote)
        for place, own in quotes.items():
            self.sources[place] = replace(self.sources[place], quotes=tuple(own))
        return tuple(self.sources)

    def add_read(self, event: Mapping[str, Any], at: datetime) -> None:
        """Add that a part of a page was given; the latest counts."""
        digest = str(event["digest"])
        step = int(event["step"])
        tokens = int(event["tokens"])
        self.reads[str(event["part"])] = ReadPart(digest, step, tokens)

    def add_error(self, event: Mapping[str, Any], at: datetime) -> None:
        """Add that a tool failed."""
        error = RecordedError(
            kind=event["kind"],
            tool=event["tool"],
            step=int(event["of"]),
            message=event["message"],
            at=at,
        )
        self.errors.append(error)

    def _add_source(self, source: Source, event: Mapping[str, Any], at: datetime) -> int:
        """The source's number: a new one, or that of the same page, which may have become better
        known.
        """
        step = int(event["of"])
        tool = str(event["tool"])
        page = identity(source.url)
        place = self._places.setdefault(page, len(self.sources))
        number = place + 1
        if number > len(self.sources):
            recorded = RecordedSource(number, source, (step,), (tool,), at)
            self.sources.append(recorded)
            return number
        known = self.sources[place]
        self.sources[place] = replace(
            known,
            source=known.source.merge(source),
            steps=_unique(*known.steps, step),
            tools=_unique(*known.tools, tool),
        )
        return number


_ADD_EVENT: dict[str, Callable[[_SessionBuilder, Mapping[str, Any], datetime], None]] = {
    "begun": _SessionBuilder.add_step,
    "step": _SessionBuilder.add_step,
    "sources": _SessionBuilder.add_sources,
    "error": _SessionBuilder.add_error,
    "quotes": _SessionBuilder.add_quotes,
    "read": _SessionBuilder.add_read,
}


def _unique(*values: T) -> tuple[T, ...]:
    """The values in their order, each once."""
    return tuple(dict.fromkeys(values))


def _write_event(event: str, now: datetime, **fields: Any) -> bytes:
    """An entry of a journal: an event as JSON."""
    entry = {"event": event, "at": now.timestamp(), **fields}
    text = json.dumps(entry, ensure_ascii=False)
    return text.encode("utf-8", "replace")


def _nonempty_fields(value: StepDraft | Source | KeptQuote) -> dict[str, Any]:
    """The fields that say something."""
    fields = asdict(value)
    return {name: one for name, one in fields.items() if one not in _EMPTY}


def _select_fields(
    fields: Mapping[str, Any], kind: type[StepDraft] | type[Source] | type[KeptQuote]
) -> dict[str, Any]:
    """A newer release may have written more fields than this one knows."""
    known = kind.__dataclass_fields__
    return {name: value for name, value in fields.items() if name in known}
