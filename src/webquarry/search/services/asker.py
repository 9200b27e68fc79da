"""One turn of one member, whatever it is asked for: work in, what came of it out, and never what
the member raises.

    turn = await asker.turn(member, lambda seconds: ..., seconds=20, count=len)
    turn.value, turn.attempt, turn.error

A member that keeps failing rests (`Breaker`) for all calls of the process, and of all servers that
share a board. Who is asked, in which order or at once, is for `Turns` (web search) and for the
finders of each `Family` to say.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from webquarry.clock import Clock
from webquarry.errors import NetworkFailure, ProviderFailure, WebquarryError
from webquarry.meter import span
from webquarry.net.http.status import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.search.models import Attempt
from webquarry.search.services.breaker import TRIPPING, Breaker
from webquarry.search.services.breakers import Breakers, LocalBreakers
from webquarry.search.services.service import Member
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[float], Awaitable[T]]  # with the seconds that it may take


@dataclass(frozen=True)
class Turn(Generic[T]):
    """What one member's turn came to: a value, or the error that stands for why there is none."""

    attempt: Attempt
    value: T | None = None
    error: WebquarryError | None = None


class Asker:
    """Knows how the members have been doing. One for the process and each family."""

    def __init__(self, settings: Settings, clock: Clock, board: Breakers | None = None) -> None:
        self._clock = clock
        self._board = board or LocalBreakers(settings, clock)

    async def learn(self, names: Sequence[str]) -> None:
        """Take over what other servers have found out about these members."""
        await self._board.learn(names)

    def state(self, member: Member) -> str:
        """closed (asked as usual), open (resting) or half-open."""
        return self._board.breaker(member.name).state

    def is_healthy(self, member: Member) -> bool:
        """Whether it could be asked now: configured, and not resting after failures."""
        return member.configured and self.state(member) != "open"

    async def turn(
        self,
        member: Member,
        work: Work[T],
        *,
        seconds: float,
        count: Callable[[T], int],
        late: Callable[[float], T] | None = None,
        why_nothing: Callable[[T], str] | None = None,
    ) -> Turn[T]:
        """Let a member work for at most so many seconds; `count` says how many results a value
        holds.

        `late` gives what is there when the time is over, or raises why that is nothing;
        `why_nothing` tells of a value without results. The errors of the work are explained by
        whoever gave it.
        """
        breaker = self._board.breaker(member.name)
        if seconds <= 0:
            return _skipped(
                member, NetworkFailure("No time was left to ask it.", provider=member.name)
            )
        if not breaker.admit():
            return _skipped(member, _resting(member, breaker))
        note(f"asking {member.label}")
        started = self._clock.monotonic()
        try:
            with span("provider", provider=member.name) as end:
                done = await _worked(member, work, seconds, late)
                if isinstance(done, WebquarryError):
                    outcome, reason = (done.kind, _reason(member, done))
                else:
                    outcome, reason = _told(
                        count(done), why_nothing(done) if why_nothing else "It found nothing."
                    )
                end(outcome)
        except BaseException:  # the caller has left
            breaker.release()
            raise
        attempt = Attempt(member.name, outcome, reason, self._clock.monotonic() - started)
        if isinstance(done, WebquarryError):
            breaker.record_failure(done)
            await self._board.tell(member.name)
            return Turn(attempt, error=done)
        breaker.record_success()
        return Turn(attempt, done)


@contextmanager
def heeding(reply: Reply) -> Iterator[None]:
    """For parsing a reply: an error learns from it how long to leave the member alone."""
    try:
        yield
    except WebquarryError as error:
        if error.retry_after_seconds is None and error.kind in TRIPPING:
            error.retry_after_seconds = retry_after_seconds(reply.headers, reply.fetched_at)
        raise


async def _worked(
    member: Member, work: Work[T], seconds: float, late: Callable[[float], T] | None
) -> T | WebquarryError:
    """What the work gave, or what went wrong."""
    scope = asyncio.timeout(seconds)
    try:
        try:
            async with scope:
                return await work(seconds)
        except TimeoutError:
            if not scope.expired():  # one of the member's own
                raise
            if late is not None:
                return late(seconds)
            return NetworkFailure(
                f"{member.label} was cut short after {seconds:.3g} s.", provider=member.name
            )
    except WebquarryError as error:
        return error
    except Exception as error:  # a member from another package may do anything
        log.warning("%s failed in a way of its own", member.name, exc_info=True)
        return ProviderFailure(
            f"{member.label} failed: {type(error).__name__}.", provider=member.name
        )


def _reason(member: Member, error: WebquarryError) -> str:
    """Why it failed, in short; the whole instructions for a missing key belong to the error."""
    if error.kind == "auth" and member.missing:
        return f"{' and '.join(member.missing)} {'was' if len(member.missing) == 1 else 'were'} not found."
    return redact(error.message)


def _resting(member: Member, breaker: Breaker) -> WebquarryError:
    """The error of asking a member that rests: of the kind that made it rest."""
    left = breaker.rest_left
    when = "until a test of it has ended"
    if left >= 1:
        when = f"for {left:.0f} more seconds"
    return breaker.cause(
        f"{member.label} failed before and is left alone {when}.",
        retryable=True,
        retry_after_seconds=round(left, 1),
        suggested_action=f"Wait {max(1, round(left))} seconds and try again, or name another "
        "provider.",
        provider=member.name,
    )


def _skipped(member: Member, error: WebquarryError) -> Turn[T]:
    return Turn(Attempt(member.name, "skipped", error.message, 0.0), error=error)


def _told(count: int, why_nothing: str) -> tuple[str, str]:
    """The outcome of an answer, and the words for it."""
    if count:
        return ("ok", f"{count} result{'s' * (count > 1)}.")
    return ("empty", why_nothing)
