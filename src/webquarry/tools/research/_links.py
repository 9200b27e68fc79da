"""Addresses -> whether each still leads to its page. Asked as a reader would, within the time of
the call.

HEAD is refused by too many servers, so the beginning of each page is fetched, by the same client as
everything else: guard, robots.txt and the pace of each host hold. A page that says it is missing is
gone, whatever its status says.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from typing import Literal
from urllib.parse import urlsplit

from webquarry.errors import NotFound, Refused, RobotsRefused, SiteRefused, WebquarryError
from webquarry.evidence.models import AnswerPart
from webquarry.net.models import Reply
from webquarry.pages.clean import clean_line, clean_url
from webquarry.progress import note
from webquarry.read.reader import raw_reply
from webquarry.search.identity import identity
from webquarry.secret import MASK, redact
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

_AT_ONCE = 8
_BYTES = 128 * 1024  # enough to tell a page from a captcha or a "not found"
_RESERVE, _MOST_RESERVE = (
    0.1,
    5.0,
)  # of the time of a call, and at most so many seconds, to put the answer together
_RESOLVERS = frozenset(
    {"doi.org", "dx.doi.org", "hdl.handle.net", "w3id.org", "purl.org"}
)  # they lead on by design

State = Literal["ok", "moved", "gone", "blocked", "unreachable", "unchecked"]


class LinkState(AnswerPart):
    """Whether an address still leads to its page, and where to or why not."""

    state: State
    new_url: str | None = None
    reason: str | None = None


async def check_links(kit: Toolkit, tool: str, urls: Sequence[str]) -> list[LinkState]:
    """The state of each address, in their order; what the time did not suffice for is unchecked."""
    seconds = kit.settings.seconds_for(tool)
    ends = kit.clock.monotonic() + seconds - min(_MOST_RESERVE, _RESERVE * seconds)
    late = LinkState(
        state="unchecked",
        reason="The time for the call was over before its turn, or before it answered.",
    )
    states = [late] * len(urls)
    waiting = iter(list(enumerate(urls)))
    done = 0

    async def work(waiting: Iterator[tuple[int, str]]) -> None:
        nonlocal done
        for place, url in waiting:
            states[place] = await _state(kit, url)
            done += 1
            note(f"{done} of {len(urls)} links checked")

    workers = [asyncio.create_task(work(waiting)) for _ in range(min(_AT_ONCE, len(urls)))]
    try:
        if workers:
            note(f"checking {len(urls)} links")
            await asyncio.wait(workers, timeout=max(0.0, ends - kit.clock.monotonic()))
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return states


async def _state(kit: Toolkit, url: str) -> LinkState:
    if MASK in url:
        return LinkState(state="unchecked", reason="Its address held a secret, which was not kept.")
    try:
        reply = await kit.client.peek(url, _BYTES)
        await asyncio.to_thread(raw_reply, url, reply)
    except WebquarryError as error:
        return LinkState(state=_named(error), reason=clean_line(redact(error.message)))
    except Exception as error:  # one page that nobody foresaw does not take the others with it
        log.error("a link could not be checked", exc_info=error)
        return LinkState(state="unreachable", reason=f"Checking it failed: {type(error).__name__}.")
    return _arrived(url, reply)


def _named(error: WebquarryError) -> State:
    if isinstance(error, NotFound):
        return "gone"
    refused = (
        isinstance(error, Refused | RobotsRefused | SiteRefused) or error.kind == "rate_limited"
    )
    if refused:
        return "blocked"
    return "unreachable"


def _arrived(url: str, reply: Reply) -> LinkState:
    """A page is there; whether it is where it was."""
    before, after = urlsplit(url), urlsplit(reply.url)
    if identity(url) == identity(reply.url) or before.hostname in _RESOLVERS:
        return LinkState(state="ok")
    front = after.path in ("", "/") and not after.query and before.path not in ("", "/")
    return LinkState(
        state="moved",
        new_url=clean_url(redact(reply.url)),
        reason="It leads to the front page of a site, which may mean that the page is gone."
        if front
        else None,
    )
