"""A family of members asked for the same thing (patents, papers): who they are, how they are doing, and one turn of one.

    turn = await family.turn(member, lambda seconds: ..., count=len, seconds=20)     # never raises what a member does
    turn.value, turn.attempt, turn.error

A member that keeps failing rests (`Breaker`) for all calls of the process, and of all servers that share a board; one that
minds haste is asked one call at a time (`Pace`); one that asked to be left alone after an answer (`Member.rest_after`) is,
as far as the time allows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import httpx2

from webquarry.clock import Clock
from webquarry.errors import NetworkFailure, ProviderFailure, RateLimited, WebquarryError
from webquarry.meter import span
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.registry import members_of
from webquarry.search.board import BreakerBoard, LocalBoard
from webquarry.search.breaker import Breaker
from webquarry.search.member import Member
from webquarry.search.models import Attempt
from webquarry.search.pace import Pace
from webquarry.search.routing import unknown
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

M = TypeVar("M", bound=Member)
T = TypeVar("T")


@dataclass(frozen=True)
class Turn(Generic[T]):
    """What one member's turn came to: a value, or the error that stands for why there is none."""

    attempt: Attempt
    value: T | None = None
    error: WebquarryError | None = None


class Family(Generic[M]):
    """The members of one folder. One for the process."""

    def __init__(
        self,
        package: str,
        kind: type[M],
        client: Client,
        settings: Settings,
        environ: Mapping[str, str],
        clock: Clock,
        group: str | None = None,
        board: BreakerBoard | None = None,
    ) -> None:
        self._package, self._kind, self._group = package, kind, group
        self._client, self._settings, self._environ, self._clock = client, settings, environ, clock
        self._pace = Pace(clock)
        self._board = board or LocalBoard(settings, clock)
        self._not_before: dict[str, float] = {}

    @cached_property
    def _members(self) -> dict[str, M]:
        kinds = members_of(self._package, self._kind, group=self._group)
        made = [kind.configure(self._settings, self._environ, self._clock) for kind in kinds]
        return {member.name: member for member in sorted(made, key=lambda member: member.name)}

    def members(self) -> list[M]:
        """Every member, configured or not, sorted by name."""
        return list(self._members.values())

    def configured(self) -> list[M]:
        """Those that can be asked at all."""
        return [member for member in self.members() if member.configured]

    def member(self, name: str) -> M:
        """One by its name; a name that nobody has is BadInput."""
        wanted = name.strip().lower()
        found = next((one for one in self.members() if wanted in (one.name, *one.aliases)), None)
        if found is None:
            raise unknown(wanted, self._members)
        return found

    def healthy(self) -> list[M]:
        """The members that could be asked now: configured, and not resting after failures."""
        return [member for member in self.configured() if self._board.breaker(member.name).state != "open"]

    async def turn(
        self,
        member: M,
        work: Callable[[float], Awaitable[T]],
        *,
        seconds: float,
        count: Callable[[T], int],
    ) -> Turn[T]:
        """Let a member work for at most so many seconds; `count` says how many results a value holds."""
        await self._board.learn([member.name])
        breaker = self._board.breaker(member.name)
        if not breaker.admit():
            return _skipped(member, self._resting(member, breaker))
        note(f"asking {member.label}")
        started = self._clock.monotonic()
        try:
            with span("provider", provider=member.name) as end:
                value, error = await self._worked(member, work, seconds)
                end(error.kind if error else "ok")
        except BaseException:  # the caller has left
            breaker.gave_up()
            raise
        took = self._clock.monotonic() - started
        if error is not None:
            member.explain(error)
            breaker.failed(error)
            await self._board.tell(member.name)
            return Turn(Attempt(member.name, error.kind, reason_of(member, error), took), error=error)
        assert value is not None
        breaker.succeeded()
        return Turn(_answered(member, count(value), took), value)

    async def send(self, member: Member, request: httpx2.Request, seconds: float) -> Reply:
        """One request of a member, after its pause; what its reply says of haste holds for the next one."""
        end = self._clock.monotonic() + seconds
        async with self._pace.turn(member):
            await self._wait_until_welcome(member, end)
            reply = await self._client.send(request, timeout_seconds=max(0.001, end - self._clock.monotonic()))
        if rest := member.rest_after(reply):
            self._not_before[member.name] = self._clock.monotonic() + rest
        return reply

    async def _wait_until_welcome(self, member: Member, end: float) -> None:
        now = self._clock.monotonic()
        wait = self._not_before.get(member.name, now) - now
        if wait <= 0:
            return
        if now + wait >= end:
            raise RateLimited(
                f"{member.label} asked to be left alone for {wait:.0f} more seconds.",
                retry_after_seconds=round(wait, 1),
            )
        await self._clock.sleep(wait)

    async def _worked(
        self, member: M, work: Callable[[float], Awaitable[T]], seconds: float
    ) -> tuple[T | None, WebquarryError | None]:
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                return await work(seconds), None
        except TimeoutError:
            if not scope.expired():
                raise
            return None, NetworkFailure(f"{member.label} was cut short after {seconds:.3g} s.")
        except WebquarryError as error:
            return None, error
        except Exception as error:  # a member from another package may do anything
            log.warning("%s failed in a way of its own", member.name, exc_info=True)
            return None, ProviderFailure(f"{member.label} failed: {type(error).__name__}.", provider=member.name)

    def _resting(self, member: M, breaker: Breaker) -> WebquarryError:
        """The error of asking a member that rests: of the kind that made it rest."""
        left = breaker.rest_left
        when = f"for {left:.0f} more seconds" if left >= 1 else "until a test of it has ended"
        return breaker.cause(
            f"{member.label} failed before and is left alone {when}.",
            retryable=True,
            retry_after_seconds=round(left, 1),
            suggested_action=f"Wait {max(1, round(left))} seconds and try again, or name another provider.",
            provider=member.name,
        )


def reason_of(member: Member, error: WebquarryError) -> str:
    """Why it failed, in short; the whole instructions for a missing key belong to the error."""
    if error.kind == "auth" and member.missing:
        return f"{' and '.join(member.missing)} {'was' if len(member.missing) == 1 else 'were'} not found."
    return redact(error.message)


def _skipped(member: Member, error: WebquarryError) -> Turn[T]:
    return Turn(Attempt(member.name, "skipped", error.message, 0.0), error=error)


def _answered(member: Member, count: int, seconds: float) -> Attempt:
    if not count:
        return Attempt(member.name, "empty", "It found nothing.", seconds)
    return Attempt(member.name, "ok", f"{count} result{'s' * (count > 1)}.", seconds)
