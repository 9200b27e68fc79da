"""A family of members asked for the same thing (patents, papers): who they are, one turn of one,
and one request of one.

    turn = await family.turn(member, lambda seconds: ..., count=len, seconds=20)     # never raises what a member does
    turn.value, turn.attempt, turn.error

A turn is that of `Asker`. One that minds haste is asked one call at a time (`Pace`); one that asked
to be left alone after an answer (`Member.rest_after`) is, as far as the time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

import httpx2

from webquarry.clock import Clock
from webquarry.errors import RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.search.routing import unknown
from webquarry.search.services.asker import Asker, Turn, Work
from webquarry.search.services.breakers import Breakers
from webquarry.search.services.pace import Pace
from webquarry.search.services.service import Member
from webquarry.settings import Settings

__all__ = ["Family", "Turn"]

M = TypeVar("M", bound=Member)
T = TypeVar("T")


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
        board: Breakers | None = None,
    ) -> None:
        self._package, self._kind, self._group = package, kind, group
        self._client, self._settings, self._environ, self._clock = client, settings, environ, clock
        self._pace = Pace(clock)
        self._asker = Asker(settings, clock, board)
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
        return [member for member in self.members() if self._asker.is_healthy(member)]

    async def turn(
        self, member: M, work: Work[T], *, seconds: float, count: Callable[[T], int]
    ) -> Turn[T]:
        """Let a member work for at most so many seconds; `count` says how many results a value
        holds.
        """

        async def explained(seconds: float) -> T:
            try:
                return await work(seconds)
            except WebquarryError as error:
                member.explain(error)
                raise

        await self._asker.learn([member.name])
        return await self._asker.turn(member, explained, seconds=seconds, count=count)

    async def send(self, member: Member, request: httpx2.Request, seconds: float) -> Reply:
        """One request of a member, after its pause; what its reply says of haste holds for the next
        one.
        """
        end = self._clock.monotonic() + seconds
        async with self._pace.turn(member):
            await self._wait_until_welcome(member, end)
            reply = await self._client.send(
                request, timeout_seconds=max(0.001, end - self._clock.monotonic())
            )
        if rest := member.rest_after(reply):
            self._not_before[member.name] = self._clock.monotonic() + rest
        return reply

    async def probe(self, member: Member, seconds: float) -> None:
        """Ask a member the cheapest question there is; what is wrong with it is raised."""
        try:
            member.parse_probe(await self.send(member, member.build_probe(), seconds))
        except WebquarryError as error:
            member.explain(error)
            raise

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
