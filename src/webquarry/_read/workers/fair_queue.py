"""Whose turn it is: jobs of several callers, and as many places as there are cores.

A caller has no more than the places there are. Beyond them there are as many again, for callers who
have none, so that nobody waits for the hostile pages of somebody else; a job that takes long gives
its place to the next and goes on in one of those. The last of them is never taken by a caller who
has another. Those who wait take turns, caller by caller, each in the order in which they came. A
caller's large jobs are done one at a time: one takes up to thirty times its size in memory, and
those that wait have nothing but their bytes. A job that no call waits for begins when nobody else
waits and a core is free, one at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from itertools import chain


@dataclass(eq=False)
class Place:
    """One job's place, from asking for it until it is left."""

    caller: str
    is_large: bool = False
    ahead: bool = False
    behind: bool = False
    is_slow: bool = False
    given: asyncio.Future[None] | None = field(default=None, repr=False)


class FairQueue:
    """Gives places to jobs, for one event loop."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.most = 2 * size
        self._taken: set[Place] = set()
        self._held: dict[str, int] = {}  # places, by who has them
        self._large: set[str] = set()
        self._waiting: dict[str, deque[Place]] = {}  # in the order of the next turns

    def enter_at_once(self, place: Place) -> bool:
        """Take a place, if none has to be waited for: whether it is taken."""
        if self._waiting or not self._may_begin(place):
            return False
        self._take(place)
        return True

    async def enter(self, place: Place) -> None:
        """Wait for a place, and take it."""
        if self.enter_at_once(place):
            return
        place.given = asyncio.get_running_loop().create_future()
        line = self._waiting.setdefault(place.caller, deque())
        if place.ahead:
            line.appendleft(place)
        else:
            line.append(place)
        self._give_places()
        if place in self._taken:
            return
        try:
            await place.given
        except asyncio.CancelledError:
            if place in self._taken:  # it was given, and called off before it knew
                self.leave(place)
            else:
                self._stop_waiting(place)
            raise

    def leave(self, place: Place) -> None:
        """Give the place up, to those that wait."""
        self._taken.discard(place)
        held = self._held.pop(place.caller) - 1
        if held:
            self._held[place.caller] = held
        if place.is_large:
            self._large.discard(place.caller)
        if self._waiting:
            self._give_places()

    def mark_slow(self, place: Place) -> None:
        """The job of this place takes long: the next need not wait for it."""
        place.is_slow = True
        self._give_places()

    def count_places(self, caller: str) -> int:
        """How many places a caller has."""
        return self._held.get(caller, 0)

    def _may_begin(self, place: Place) -> bool:
        """Whether this job may begin now."""
        if place.behind:
            return self._is_quiet()
        if place.is_large and place.caller in self._large:
            return False
        free = self.most - len(self._taken)
        if place.caller not in self._held:
            return free > 0
        slow = sum(taken.is_slow for taken in self._taken)
        quick_of_caller = 0
        for taken in self._taken:
            if taken.caller == place.caller and not taken.is_slow:
                quick_of_caller += 1
        has_room = len(self._taken) - slow < self.size
        return has_room and quick_of_caller < self.size and free > 1

    def _is_quiet(self) -> bool:
        """Whether there is time for a job that no call waits for."""
        if len(self._taken) >= self.size or any(taken.behind for taken in self._taken):
            return False
        waiting = chain.from_iterable(self._waiting.values())
        return all(place.behind for place in waiting)

    def _take(self, place: Place) -> None:
        self._taken.add(place)
        self._held[place.caller] = self._held.get(place.caller, 0) + 1
        if place.is_large:
            self._large.add(place.caller)

    def _give_places(self) -> None:
        """Let in whoever may begin, caller by caller."""
        if not self._waiting:
            return
        found = self._find_next()
        while found is not None:
            self._stop_waiting(found)
            if found.caller in self._waiting:  # the next turn is another caller's
                self._waiting[found.caller] = self._waiting.pop(found.caller)
            self._take(found)
            assert found.given is not None
            found.given.set_result(None)
            found = self._find_next()

    def _find_next(self) -> Place | None:
        """The first that may begin: a small job passes large ones that wait."""
        for line in self._waiting.values():
            for place in line:
                if place.given is not None and place.given.done():
                    continue  # called off, and still to be told
                if self._may_begin(place):
                    return place
                if not place.is_large and not place.behind:
                    break  # nor may those after it
        return None

    def _stop_waiting(self, place: Place) -> None:
        line = self._waiting.get(place.caller)
        if line is None:
            return
        if place in line:
            line.remove(place)
        if not line:
            del self._waiting[place.caller]
