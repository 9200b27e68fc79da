"""Record the sources, quotes and errors of a tool call in a research session.

The session is read before the call, so that an unknown session costs nothing. If the result cannot
be recorded, the answer is returned all the same: the failure is logged and reported in
`webquarry/session` of its `_meta`.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from webquarry.errors import WebquarryError

if TYPE_CHECKING:  # most tool calls have no session
    from webquarry.sessions.models import KeptQuote, Source
    from webquarry.sessions.sessions import Sessions

log = logging.getLogger(__name__)


class RecordableAnswer(Protocol):
    """The parts of an answer that are recorded."""

    def sources(self) -> Sequence[Source]:
        """Return the sources to record."""

    def quotes_to_keep(self) -> Sequence[KeptQuote]:
        """Return the quotes to record."""

    def failures(self) -> Sequence[WebquarryError]:
        """Return the errors of providers and pages that did not fail the call."""

    def add_meta(self, **meta: Any) -> Any:
        """Add fields to the `_meta` of the answer."""


A = TypeVar("A", bound=RecordableAnswer)


async def record_call(
    sessions: Sessions, session_id: str, tool: str, call: Callable[[], Awaitable[A]]
) -> A:
    """Return the answer of the call, after recording it."""
    session = await sessions.read(session_id)
    try:
        answer = await call()
    except Exception as error:
        try:
            await sessions.record_error(session, tool, error)
        except WebquarryError as failure:
            log.warning("an error of %s was not recorded: %s", tool, failure)
        raise
    meta: dict[str, Any] = {"sessionId": session_id, "stepNumber": session.current.number}
    try:
        meta["recorded"] = await sessions.record(session, tool, answer.sources())
        quotes = answer.quotes_to_keep()
        if quotes:
            session = await sessions.read(session_id)
            meta["recordedQuotes"] = await sessions.record_quotes(session, tool, quotes)
        for partial in answer.failures():
            await sessions.record_error(session, tool, partial)
    except WebquarryError as failure:
        log.warning("the sources of %s were not recorded: %s", tool, failure)
        meta |= {"recorded": 0, "error": failure.as_dict()}
    answer.add_meta(session=meta)
    return answer
