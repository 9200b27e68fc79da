"""A call of a tool for a research session -> its answer, with what came of it recorded there.

The session is looked for before anything is spent. The sources of the answer, wherever it came
from, or the kind of the error are recorded with the session's current step, and so are the kinds of
what an answer had to do without. An answer is not lost to a record that cannot be written: that is
logged, and stands beside the answer as `webquarry/session`.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from webquarry.errors import RecordsFailure, WebquarryError

if TYPE_CHECKING:  # a tool may be called without any session
    from webquarry.sessions.models import KeptQuote
    from webquarry.sessions.sessions import Sessions
    from webquarry.sessions.source import Source

log = logging.getLogger(__name__)


class RecordableAnswer(Protocol):
    """What is recorded of an answer, and where it is said that it was."""

    def sources(self) -> Sequence[Source]:
        """What a session keeps of the answer."""

    def quotes_to_keep(self) -> Sequence[KeptQuote]:
        """The quotes that were checked for it."""

    def failures(self) -> Sequence[WebquarryError]:
        """What went wrong on the way to it."""

    def add_meta(self, **meta: Any) -> Any:
        """Put something beside the answer."""


A = TypeVar("A", bound=RecordableAnswer)


async def record_call(
    sessions: Sessions, session_id: str, tool: str, call: Callable[[], Awaitable[A]]
) -> A:
    """The answer that the call of a tool gives, recorded in the session."""
    session = await sessions.read(session_id)
    try:
        answer = await call()
    except Exception as error:
        try:
            await sessions.record_error(session, tool, error)
        except WebquarryError as failure:
            log.log(
                _choose_level(sessions, failure),
                "an error of %s was not recorded in its research session: %s",
                tool,
                failure,
            )
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
        sessions.said_reason = None
    except WebquarryError as failure:
        log.log(
            _choose_level(sessions, failure),
            "the sources of %s were not recorded in the research session: %s",
            tool,
            failure,
        )
        meta |= {"recorded": 0, "error": failure.as_dict()}
    answer.add_meta(session=meta)
    return answer


def _choose_level(sessions: Sessions, failure: WebquarryError) -> int:
    """Records that are in trouble are in trouble for every call: that is said once."""
    if not isinstance(failure, RecordsFailure):
        return logging.WARNING
    is_new = failure.reason != sessions.said_reason
    sessions.said_reason = failure.reason
    return logging.WARNING if is_new else logging.INFO
