"""The entries of a session's journal: events as JSON in and out, and the session that they come to.

    begun    the first step, too, so that no session is ever without one
    step     a further step
    sources  what a tool found, and the step it was found for
    error    a tool that failed, by kind
    used     somebody worked with the session and had nothing to add

An event of a kind that this release does not know is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from webquarry.errors import RecordsFailure, WebquarryError
from webquarry.records.base import Journal
from webquarry.search.identity import identity
from webquarry.search.replies.text import plain, shorten_text
from webquarry.secret import redact
from webquarry.sessions.models import Draft, RecordedError, RecordedSource, Session, Source, Step

_LONGEST_TITLE = 1000
_LONGEST_MESSAGE = 300
_LONGEST_REFERENCE = (
    20_000  # bytes of CSL-JSON; a reference with a thousand authors is still shorter
)


def begun(draft: Draft, now: datetime) -> bytes:
    return _written("begun", now, step=_fields(draft))


def step(draft: Draft, now: datetime) -> bytes:
    return _written("step", now, step=_fields(draft))


def sources(tool: str, step: int, found: Sequence[Source], now: datetime) -> bytes:
    return _written("sources", now, tool=tool, of=step, sources=[_fields(one) for one in found])


def error(tool: str, step: int, failure: BaseException, now: datetime) -> bytes:
    known = isinstance(failure, WebquarryError)
    if isinstance(failure, WebquarryError):
        kind = failure.kind
    else:
        kind = "internal"
    if known:
        message = shorten_text(redact(plain(str(failure))), _LONGEST_MESSAGE)
    else:
        message = type(failure).__name__
    return _written("error", now, tool=tool, of=step, kind=kind, message=message)


def used(now: datetime) -> bytes:
    return _written("used", now)


def keepable(source: Source) -> Source:
    """The source as it may be kept: no secret in its address, no endless title, no abstract in its
    reference.
    """
    csl = {name: value for name, value in (source.csl or {}).items() if name != "abstract"}
    small = len(json.dumps(csl, default=str)) <= _LONGEST_REFERENCE
    title = shorten_text(plain(source.title), _LONGEST_TITLE)
    return replace(
        source, url=redact(source.url.strip()), title=title, csl=csl if csl and small else None
    )


def replayed(journal: Journal) -> Session:
    """The session that the entries of a journal come to."""
    telling = _Telling()
    for entry in journal.entries:
        try:
            event = json.loads(entry)
            tell = _TELL.get(event["event"])
            if tell is not None:
                tell(telling, event, datetime.fromtimestamp(event["at"], UTC))
        except (ValueError, LookupError, TypeError) as failure:
            raise RecordsFailure(
                f"The research session {journal.id} holds an entry that is not one of ours.",
                retryable=False,
                suggested_action="Begin a new session: sequential_search with stepNumber 1 and "
                "no sessionId.",
            ) from failure
    return Session(
        id=journal.id,
        goal=telling.goal,
        summary=telling.summary,
        estimate=telling.estimate,
        finished=journal.finished,
        began_at=datetime.fromtimestamp(journal.created_at, UTC),
        touched_at=datetime.fromtimestamp(journal.touched_at, UTC),
        steps=tuple(telling.steps),
        sources=tuple(telling.sources),
        errors=tuple(telling.errors),
        version=len(journal.entries),
    )


class _Telling:
    """A session while its events are told, one by one."""

    def __init__(self) -> None:
        self.goal = self.summary = ""
        self.estimate: int | None = None
        self.steps: list[Step] = []
        self.sources: list[RecordedSource] = []
        self.errors: list[RecordedError] = []
        self._places: dict[str, int] = {}  # where in `sources` a page is

    def step(self, event: Mapping[str, Any], at: datetime) -> None:
        draft = Draft(**_known(event["step"], Draft))
        self.goal, self.summary = draft.goal or self.goal, draft.summary or self.summary
        self.estimate = draft.estimate or self.estimate
        number = len(self.steps) + 1
        if draft.revises and draft.revises < number:
            self.steps[draft.revises - 1] = replace(
                self.steps[draft.revises - 1], superseded_by=number
            )
        self.steps.append(
            Step(
                number,
                draft.text,
                at,
                draft.reasoning,
                draft.confidence,
                tuple(draft.rejected),
                draft.gap,
                draft.revises,
                None,
                draft.branch_from,
                draft.branch_id,
            )
        )

    def found(self, event: Mapping[str, Any], at: datetime) -> None:
        place = int(event["of"]) - 1
        numbers = [
            self._number(Source(**_known(one, Source)), event, at) for one in event["sources"]
        ]
        step = self.steps[place]
        self.steps[place] = replace(step, sources=tuple(dict.fromkeys([*step.sources, *numbers])))

    def failed(self, event: Mapping[str, Any], at: datetime) -> None:
        self.errors.append(
            RecordedError(event["kind"], event["tool"], int(event["of"]), event["message"], at)
        )

    def _number(self, source: Source, event: Mapping[str, Any], at: datetime) -> int:
        """The source's number: a new one, or that of the same page, which may have become better
        known.
        """
        of, tool, page = int(event["of"]), str(event["tool"]), identity(source.url)
        place = self._places.setdefault(page, len(self.sources))
        if place == len(self.sources):
            self.sources.append(RecordedSource(place + 1, source, (of,), (tool,), at))
        else:
            known = self.sources[place]
            self.sources[place] = replace(
                known,
                source=_richer(known.source, source),
                steps=tuple(dict.fromkeys([*known.steps, of])),
                tools=tuple(dict.fromkeys([*known.tools, tool])),
            )
        return place + 1


_TELL: dict[str, Callable[[_Telling, Mapping[str, Any], datetime], None]] = {
    "begun": _Telling.step,
    "step": _Telling.step,
    "sources": _Telling.found,
    "error": _Telling.failed,
}


def _richer(known: Source, new: Source) -> Source:
    """Both together: the page itself, once read, counts for more than what a search said of it."""
    if new.csl and not known.tells_more_than(new):
        first, second = (new, known)
    else:
        first, second = (known, new)
    return Source(
        url=known.url,
        title=first.title or second.title,
        published=first.published or second.published,
        provider=known.provider or new.provider,
        csl=first.csl or second.csl,
    )


def _written(event: str, now: datetime, **fields: Any) -> bytes:
    return json.dumps({"event": event, "at": now.timestamp(), **fields}, ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def _fields(value: Draft | Source) -> dict[str, Any]:
    """The fields that say something."""
    return {name: one for name, one in asdict(value).items() if one not in (None, "", (), False)}


def _known(fields: Mapping[str, Any], kind: type[Draft] | type[Source]) -> dict[str, Any]:
    """A newer release may have written more fields than this one knows."""
    return {name: value for name, value in fields.items() if name in kind.__dataclass_fields__}
