"""robots.txt (RFC 9309): may this page be fetched?

One file per origin, read once for everybody who waits for it and kept for an hour. No file (4xx)
allows everything; a file that the server fails to give (5xx, a broken answer) allows nothing, for a
minute. A host that cannot be reached at all is a NetworkFailure, not a refusal. In a replay, where
nobody is asked anything, an unrecorded file allows all.
"""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx2
from protego import Protego

from webquarry.clock import Clock
from webquarry.errors import (
    BadSetting,
    NetworkFailure,
    NotRecorded,
    Refused,
    RobotsRefused,
    WebquarryError,
)
from webquarry.net.guard.plain_url import name_origin
from webquarry.net.http.failures import is_unreachable
from webquarry.net.models import Reply

LARGEST = 500 * 1024  # bytes that are read of one file, as the RFC asks at least
MOST_REDIRECTS = 5
_KEPT_SECONDS = 3600.0
_REFUSAL_KEPT_SECONDS = 60.0  # a server that is ill may be well soon
_MOST_ORIGINS = 1000
_MOST_CHARACTERS = 4 * 1024 * 1024  # of all files kept; parsed they take several times that
_AGENT_LINE = re.compile(r"\s*user[-\s]*agent(?:\s*:|\s)\s*(.*)", re.IGNORECASE | re.DOTALL)
_PRODUCT = re.compile(r"[a-z_-]+", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """What one robots.txt says."""

    rules: Protego | None = None  # None: there are no rules
    refusal: str | None = None  # why nothing at all may be fetched
    failure: WebquarryError | None = None  # why nothing can be said
    size: int = 0


class Robots:
    """Knows the rules of the origins asked lately. `fetch` fetches a robots.txt, redirects and
    all.
    """

    def __init__(
        self, user_agent: str, clock: Clock, fetch: Callable[[httpx2.URL], Awaitable[Reply]]
    ) -> None:
        self._agent = parse_product_token(user_agent)
        self._clock = clock
        self._fetch = fetch
        self._kept: dict[str, tuple[float, Verdict]] = {}  # until when, and what; the oldest first
        self._under_way: dict[str, asyncio.Task[Verdict]] = {}

    async def check(self, url: httpx2.URL) -> None:
        """Raise RobotsRefused if this page may not be fetched."""
        origin = name_origin(url)
        until, verdict = self._kept.get(origin, (0.0, None))
        if verdict is None or self._clock.monotonic() >= until:
            verdict = await self._ask_for_verdict(origin)
        if verdict.failure is not None:
            failure = copy.copy(verdict.failure)  # several tasks may raise it at once
            raise failure from verdict.failure
        if verdict.refusal is not None:
            raise RobotsRefused(
                f"The robots.txt of {origin} {verdict.refusal}, which counts as not allowed."
            )
        if verdict.rules is not None and not verdict.rules.can_fetch(str(url), self._agent):
            raise RobotsRefused(
                f"The robots.txt of {origin} does not allow {self._agent} to fetch this page."
            )

    async def aclose(self) -> None:
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_for_verdict(self, origin: str) -> Verdict:
        task = self._under_way.get(origin)
        if task is None:
            task = asyncio.create_task(self._fetch_verdict(origin))
            self._under_way[origin] = task
            task.add_done_callback(lambda _: self._under_way.pop(origin, None))
        # Unlike awaiting the task itself, giving up here leaves it to the others.
        await asyncio.wait({task})
        if task.cancelled():
            raise NetworkFailure(
                f"The client was closed while the robots.txt of {origin} was read",
                retryable=False,
                suggested_action="Call again.",
            )
        return task.result()

    async def _fetch_verdict(self, origin: str) -> Verdict:
        try:
            reply = await self._fetch(httpx2.URL(f"{origin}/robots.txt"))
        except NotRecorded:
            return Verdict()
        except (Refused, BadSetting) as error:
            return Verdict(failure=error)
        except WebquarryError as error:
            if isinstance(error, NetworkFailure) and is_unreachable(error):
                return Verdict(failure=error)
            verdict = Verdict(refusal=f"could not be read ({error.message[:200]})")
        else:
            verdict = judge(reply, self._agent)
        self._keep(origin, verdict)
        return verdict

    def _keep(self, origin: str, verdict: Verdict) -> None:
        seconds = _KEPT_SECONDS
        if verdict.refusal is not None:
            seconds = _REFUSAL_KEPT_SECONDS
        self._kept.pop(origin, None)
        self._kept[origin] = (self._clock.monotonic() + seconds, verdict)
        characters = sum(kept.size for _, kept in self._kept.values())
        while len(self._kept) > _MOST_ORIGINS or characters > _MOST_CHARACTERS:
            oldest = next(iter(self._kept))
            _, forgotten = self._kept.pop(oldest)
            characters -= forgotten.size


def judge(reply: Reply, agent: str) -> Verdict:
    """What a reply to a request for robots.txt means. A last redirect that is not followed is as
    good as no file.
    """
    if 200 <= reply.status < 300:
        body = reply.body
        if len(body) >= LARGEST:
            # A rule that was cut in the middle would say something else.
            body = body[: body.rfind(b"\n") + 1]
        text = _merge_other_agents(body.decode("utf-8-sig", "replace"), agent)
        return Verdict(rules=Protego.parse(text), size=len(text))
    if 300 <= reply.status < 500:
        return Verdict()
    return Verdict(refusal=f"could not be read (the server answered {reply.status})")


def parse_product_token(user_agent: str) -> str:
    """The name we are called by in robots.txt: the first word of the User-Agent, without its
    version.
    """
    found = _PRODUCT.match(user_agent.strip())
    if found:
        return found[0].lower()
    return "webquarry"


def _merge_other_agents(text: str, agent: str) -> str:
    """The same file with all the robots that are not us under one name.

    Every rule of a group is stored once per robot that the group names, so a file with thousands of
    both would fill the memory. It also settles who is meant: the whole product token, whatever
    version is written after it.
    """
    lines: list[str] = []
    for line in text.splitlines():
        found = _AGENT_LINE.fullmatch(line.partition("#")[0])
        if found is None:
            lines.append(line)
            continue
        name = found[1].strip()
        product = _PRODUCT.match(name)
        if name == "*":
            lines.append("User-agent: *")
        elif product is not None and product[0].lower() == agent:
            lines.append(f"User-agent: {agent}")
        else:
            lines.append("User-agent: somebody-else")
    return "\n".join(lines)
