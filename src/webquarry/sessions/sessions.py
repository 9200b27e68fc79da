"""Research sessions on top of journals: start, continue and read one, and record findings of tools.

    session = await sessions.begin(StepDraft(1, "Which sources exist?", goal="..."))
    session, step = await sessions.add_step(session.id, StepDraft(2, "..."))
    await sessions.record(session, "web_search", sources)

A session belongs to the current caller; those of other callers and expired ones are not found.
Several processes may write to one session: a step whose session has changed meanwhile is checked
again; sources are always added.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec

from webquarry._search.identity import identity
from webquarry._search.text import plain, shorten_text
from webquarry.caller import caller
from webquarry.clock import Clock
from webquarry.errors import NotFound, RecordsFailure, TooLarge
from webquarry.sessions import events, rules
from webquarry.sessions.models import KeptQuote, ResearchSession, Source, Step, StepDraft
from webquarry.settings import Settings
from webquarry.store.journals import JournalExists, JournalMoved, Journals

MOST_SOURCES = 2_000
MOST_ERRORS = 500
MOST_QUOTES = 2_000
_TOUCHES = 24  # of a session that is only read, in its idle time
_TOUCH_SECONDS = 3600  # between two of them, at most
_NAMESPACE = uuid.UUID("6f1c9a52-0d0e-5a5e-9a3b-6c1f6f0f7a11")


class Sessions:
    """The research sessions of the current caller."""

    def __init__(
        self, journals: Journals, clock: Clock, settings: Settings, *, repeatable: bool = False
    ) -> None:
        """With `repeatable`, ids are computed from the first step, for replays."""
        self._journals = journals
        self._clock = clock
        self._idle = settings.session_idle_seconds
        self._most = settings.session_most
        self._most_steps = settings.session_most_steps
        self._repeatable = repeatable

    async def begin(self, draft: StepDraft) -> ResearchSession:
        """Start a session with its first step."""
        draft = rules.clean_draft(draft)
        rules.check_first(draft)
        now = self._clock.now()
        entry = events.write_event("begun", now, step=draft)
        for id in self._ids(entry):
            try:
                await self._journals.begin(
                    caller(),
                    id,
                    entry,
                    now.timestamp(),
                    most=self._most,
                    idle_seconds=self._idle,
                )
            except JournalExists:
                continue
            if draft.finished or self._most_steps == 1:
                used = events.write_event("used", now)
                await self._journals.append(caller(), id, used, now.timestamp(), finished=True)
            return await self.read(id)
        raise AssertionError("ids never end")

    async def read(self, id: str) -> ResearchSession:
        """Return a session. Raises `NotFound` if this caller has none of that id."""
        try:
            id = str(uuid.UUID(id))
        except ValueError:
            raise self._not_found(id) from None
        now = self._clock.now().timestamp()
        journal = await self._journals.read(caller(), id, now, idle_seconds=self._idle)
        if journal is None:
            raise self._not_found(id)
        try:
            return events.build_session(journal)
        except (msgspec.MsgspecError, ValueError, LookupError, TypeError, OSError) as failure:
            raise RecordsFailure(
                f"The research session {id} has an entry that is not valid.",
                reason="damaged",
                retryable=False,
                suggested_action="Start a new session: sequential_search with stepNumber 1 and "
                "no sessionId.",
            ) from failure

    async def list(self) -> list[tuple[str, bool]]:
        """Return the ids of the caller's sessions, the last used first, and whether they are
        finished.
        """
        now = self._clock.now().timestamp()
        journals = await self._journals.list(caller(), now, idle_seconds=self._idle)
        return [(journal.id, journal.finished) for journal in journals]

    def ends_at(self, session: ResearchSession) -> datetime:
        """Return when a session expires if it is not used."""
        return session.touched_at + timedelta(seconds=self._idle)

    async def add_step(self, id: str, draft: StepDraft) -> tuple[ResearchSession, Step]:
        """Add a step; return the session and the step. A step sent twice is recorded once."""
        draft = rules.clean_draft(draft)
        while True:
            session = await self.read(id)
            recorded = rules.find_recorded(draft, session)
            if recorded is not None:
                return session, recorded
            now = self._clock.now()
            due = rules.number_step(draft, session, self._most_steps)
            is_full = due.number >= self._most_steps  # finished sessions are deleted first
            try:
                await self._journals.append(
                    caller(),
                    session.id,
                    events.write_event("step", now, step=due),
                    now.timestamp(),
                    after=session.version,
                    finished=draft.finished or is_full,
                )
            except JournalMoved:
                continue
            except KeyError:
                raise self._not_found(id) from None
            session = await self.read(session.id)
            return session, session.steps[due.number - 1]

    async def record(
        self, session: ResearchSession, tool: str, found: Iterable[Source], step: int | None = None
    ) -> int:
        """Record sources with a step, by default the current one; return how many are new or
        better known.
        """
        number = step or session.current.number
        recorded_step = session.step(number)
        recorded = session.sources_of(recorded_step) if recorded_step else ()
        known = {identity(one.source.url): one.source for one in recorded}
        new: dict[str, Source] = {}  # others, and those with more details
        for source in [events.prepare_source(one) for one in found if one.url.strip()]:
            page = identity(source.url)
            before = new.get(page) or known.get(page)
            if before is None or source.tells_more_than(before):
                new[page] = source
        added = new.keys() - session.places.keys()
        if len(session.sources) + len(added) > MOST_SOURCES:
            raise TooLarge(
                f"The research session has the maximum of {MOST_SOURCES} sources; these were not "
                "recorded.",
                suggested_action="Start a new session for further sources.",
            )
        if new:
            await self._append(
                session.id, "sources", tool=tool, of=number, sources=list(new.values())
            )
        else:
            await self.touch(session)
        return len(new)

    async def record_quotes(
        self, session: ResearchSession, tool: str, checked: Iterable[KeptQuote]
    ) -> int:
        """Record quotes that were checked; return how many are new."""
        now = self._clock.now()
        known = {_identify_quote(quote) for quote in session.quotes}
        prepared = [events.prepare_quote(quote, now) for quote in checked]
        unique = {_identify_quote(quote): quote for quote in prepared}
        new = [quote for key, quote in unique.items() if key not in known]
        if len(known) + len(new) > MOST_QUOTES:
            raise TooLarge(
                f"The research session has the maximum of {MOST_QUOTES} quotes; these were not "
                "recorded.",
                suggested_action="Start a new session for further quotes.",
            )
        if new:
            await self._append(
                session.id, "quotes", tool=tool, of=session.current.number, quotes=new
            )
        return len(new)

    async def record_read(
        self, session: ResearchSession, part: str, digest: str, tokens: int
    ) -> None:
        """Record that a part of a page was returned, unless that is known."""
        known = session.reads.get(part)
        if len(session.reads) >= MOST_SOURCES or (known is not None and known.digest == digest):
            return
        step = session.current.number
        await self._append(session.id, "read", part=part, digest=digest, step=step, tokens=tokens)

    async def record_error(
        self, session: ResearchSession, tool: str, failure: BaseException, step: int | None = None
    ) -> None:
        """Record that a tool failed, up to a maximum of errors."""
        if len(session.errors) >= MOST_ERRORS:
            return
        fields = events.describe_error(failure)
        await self._append(
            session.id, "error", tool=tool, of=step or session.current.number, **fields
        )

    async def touch(self, session: ResearchSession) -> None:
        """Restart the idle time of a session, now and then."""
        now = self._clock.now()
        pause = timedelta(seconds=min(self._idle / _TOUCHES, _TOUCH_SECONDS))
        if now - session.touched_at > pause:
            await self._append(session.id, "used")

    async def delete(self, id: str) -> None:
        """Delete a session; raises `NotFound` if this caller has none of that id."""
        session = await self.read(id)
        if not await self._journals.delete(caller(), session.id):
            raise self._not_found(id)

    async def _append(self, id: str, event: str, **fields: Any) -> None:
        now = self._clock.now()
        entry = events.write_event(event, now, **fields)
        try:
            await self._journals.append(caller(), id, entry, now.timestamp())
        except KeyError:
            raise self._not_found(id) from None

    def _ids(self, entry: bytes) -> Iterator[str]:
        """Yield candidate ids for a session that starts with this entry, which are the same for
        the same entry if sessions are repeatable.
        """
        if not self._repeatable:
            while True:
                yield str(uuid.uuid4())
        number = 0
        while True:
            yield str(uuid.uuid5(_NAMESPACE, f"{number} {caller()} {entry.decode()}"))
            number += 1

    def _not_found(self, id: str) -> NotFound:
        return NotFound(
            f"There is no research session {shorten_text(plain(id), 60)!r}.",
            suggested_action=f"Sessions end {_say_time(self._idle)} after they were last used, "
            f"and when there are {self._most} the one idle longest ends, finished ones first. "
            "Leave sessionId out, or begin a new session: sequential_search with stepNumber 1 and "
            "no sessionId.",
        )


def _identify_quote(quote: KeptQuote) -> tuple[str, ...]:
    """Return the fields by which quotes are distinguished."""
    return quote.text, quote.url, quote.text_hash, quote.tier


def _say_time(seconds: float) -> str:
    """Return a duration as text."""
    units = (("days", 86_400), ("hours", 3_600), ("seconds", 1))
    unit, length = next((one for one in units if seconds >= 2 * one[1]), units[-1])
    return f"{seconds / length:.3g} {unit}"
