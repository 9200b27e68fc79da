"""robots.txt (RFC 9309).

One file per origin is fetched once for all waiting tasks and cached for an hour. A missing file
(4xx) allows everything; a file that the server fails to deliver (5xx, an invalid response) allows
nothing for a minute. An unreachable host is a `NetworkFailure`, not a refusal. In a replay, a file
that was not recorded allows everything.
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
from webquarry.net.failures import is_unreachable
from webquarry.net.models import Reply

MAX_BYTES = 500 * 1024  # of one file, the minimum that the RFC requires
MAX_REDIRECTS = 5
_CACHE_SECONDS = 3600.0
_FAILURE_CACHE_SECONDS = 60.0
_MAX_ORIGINS = 300
_AGENT_LINE = re.compile(r"\s*user[-\s]*agent(?:\s*:|\s)\s*(.*)", re.IGNORECASE | re.DOTALL)
_PRODUCT = re.compile(r"[a-z_-]+", re.IGNORECASE)


@dataclass(frozen=True)
class RobotsPolicy:
    """Result of fetching one robots.txt. The default allows everything."""

    rules: Protego | None = None
    refusal: str | None = None  # why everything is disallowed
    failure: WebquarryError | None = None  # why the file could not be requested; not cached


class Robots:
    """Cache of robots.txt files. `fetch` fetches a URL, following redirects."""

    def __init__(
        self, user_agent: str, clock: Clock, fetch: Callable[[httpx2.URL], Awaitable[Reply]]
    ) -> None:
        self._agent = parse_product_token(user_agent)
        self._clock = clock
        self._fetch = fetch
        self._cache: dict[str, tuple[float, RobotsPolicy]] = {}  # expiry and policy, oldest first
        self._running: dict[str, asyncio.Task[RobotsPolicy]] = {}

    async def check(self, url: httpx2.URL) -> None:
        """Raise `RobotsRefused` if this page may not be fetched."""
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        expiry, policy = self._cache.get(origin, (0.0, None))
        if policy is None or self._clock.monotonic() >= expiry:
            policy = await self._share_fetch(origin)
        if policy.failure is not None:
            failure = copy.copy(policy.failure)  # several tasks may raise it at once
            raise failure from policy.failure
        if policy.refusal is not None:
            raise RobotsRefused(
                f"The robots.txt of {origin} {policy.refusal}, which counts as not allowed."
            )
        if policy.rules is not None and not policy.rules.can_fetch(str(url), self._agent):
            raise RobotsRefused(
                f"The robots.txt of {origin} does not allow {self._agent} to fetch this page."
            )

    async def aclose(self) -> None:
        """Cancel running fetches."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _share_fetch(self, origin: str) -> RobotsPolicy:
        """Wait for the running fetch of an origin, or start one."""
        task = self._running.get(origin)
        if task is None:
            task = asyncio.create_task(self._fetch_policy(origin))
            self._running[origin] = task
            task.add_done_callback(lambda _: self._running.pop(origin, None))
        await asyncio.wait({task})  # unlike `await task`, does not cancel it for the other waiters
        if task.cancelled():
            raise NetworkFailure(
                f"The client was closed while the robots.txt of {origin} was read",
                retryable=False,
                suggested_action="Call again.",
            )
        return task.result()

    async def _fetch_policy(self, origin: str) -> RobotsPolicy:
        try:
            reply = await self._fetch(httpx2.URL(f"{origin}/robots.txt"))
        except NotRecorded:
            return RobotsPolicy()
        except (Refused, BadSetting) as error:
            return RobotsPolicy(failure=error)
        except WebquarryError as error:
            if isinstance(error, NetworkFailure) and is_unreachable(error):
                return RobotsPolicy(failure=error)
            policy = RobotsPolicy(refusal=f"could not be read ({error.message[:200]})")
        else:
            policy = read_policy(reply, self._agent)
        self._store(origin, policy)
        return policy

    def _store(self, origin: str, policy: RobotsPolicy) -> None:
        seconds = _CACHE_SECONDS if policy.refusal is None else _FAILURE_CACHE_SECONDS
        self._cache.pop(origin, None)
        self._cache[origin] = (self._clock.monotonic() + seconds, policy)
        if len(self._cache) > _MAX_ORIGINS:
            del self._cache[next(iter(self._cache))]  # the oldest


def read_policy(reply: Reply, agent: str) -> RobotsPolicy:
    """Parse the reply to a request for robots.txt; a redirect counts as a missing file."""
    if 200 <= reply.status < 300:
        body = reply.body
        if len(body) >= MAX_BYTES:
            body = body[: body.rfind(b"\n") + 1]  # a truncated rule could mean something else
        text = _merge_other_agents(body.decode("utf-8-sig", "replace"), agent)
        return RobotsPolicy(rules=Protego.parse(text))
    if 300 <= reply.status < 500:
        return RobotsPolicy()
    return RobotsPolicy(refusal=f"could not be read (the server answered {reply.status})")


def parse_product_token(user_agent: str) -> str:
    """Return the product token of a User-Agent: its first word without the version."""
    found = _PRODUCT.match(user_agent.strip())
    return found[0].lower() if found else "webquarry"


def _merge_other_agents(text: str, agent: str) -> str:
    """Replace the names of all other agents by one.

    Protego stores every rule of a group once per agent of the group, so a file with thousands of
    both would fill the memory. This also defines the match: the whole product token, whatever
    version follows.
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
            lines.append("User-agent: other-agent")
    return "\n".join(lines)
