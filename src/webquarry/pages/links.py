"""Addresses -> whether each still leads to its page. Asked as a reader would, within the time of
the call.

HEAD is refused by too many servers, so the beginning of each page is fetched, by the same client as
everything else: guard, robots.txt and the pace of each host hold. A page that says it is missing is
gone, whatever its status says.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Literal
from urllib.parse import urlsplit

from webquarry._read.reader import FetchedPage, judge_reply
from webquarry._read.workers.job import JobRunner
from webquarry._search.identity import identity
from webquarry.clock import Clock
from webquarry.errors import NotFound, Refused, RobotsRefused, SiteRefused, WebquarryError
from webquarry.evidence.models import AnswerPart
from webquarry.net.client import Client
from webquarry.pages.clean import clean_line, clean_url
from webquarry.progress import note
from webquarry.secret import MASK, redact

log = logging.getLogger(__name__)

_AT_ONCE = 8
_BYTES = 128 * 1024  # enough to tell a page from a captcha or a "not found"
# They lead on by design.
_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "hdl.handle.net", "w3id.org", "purl.org"})
_FRONT_PATHS = ("", "/")
_FRONT_PAGE = "It leads to the front page of a site, which may mean that the page is gone."
_LATE = "The time for the call was over before its turn, or before it answered."

State = Literal["ok", "moved", "gone", "blocked", "unreachable", "unchecked"]


class LinkState(AnswerPart, kw_only=True):
    """Whether an address still leads to its page, and where to or why not."""

    state: State
    new_url: str | None = None
    reason: str | None = None


async def check_links(
    client: Client, runner: JobRunner, clock: Clock, urls: Sequence[str], deadline: float
) -> list[LinkState]:
    """The state of each address, in their order; what the time did not suffice for is unchecked.
    The deadline is on the clock's monotonic scale.
    """
    states = [LinkState(state="unchecked", reason=_LATE)] * len(urls)
    waiting = iter(list(enumerate(urls)))
    done = 0

    async def work() -> None:
        nonlocal done
        for place, url in waiting:
            states[place] = await _check_link(client, runner, url)
            done += 1
            note(f"{done} of {len(urls)} links checked")

    at_once = min(_AT_ONCE, len(urls))
    workers = [asyncio.create_task(work()) for _ in range(at_once)]
    try:
        if workers:
            note(f"checking {len(urls)} links")
            runner.prepare()
            seconds_left = deadline - clock.monotonic()
            await asyncio.wait(workers, timeout=max(0.0, seconds_left))
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return states


async def _check_link(client: Client, runner: JobRunner, url: str) -> LinkState:
    """Whether a page is there, and whether it is where it was."""
    if MASK in url:
        return LinkState(state="unchecked", reason="Its address held a secret, which was not kept.")
    try:
        reply = await client.peek(url, _BYTES)
        await runner.run(FetchedPage(url, reply).to_job(judge_reply))
    except WebquarryError as error:
        reason = clean_line(redact(error.sentence))
        is_refusal = isinstance(error, Refused | RobotsRefused | SiteRefused)
        state: State = "unreachable"
        if isinstance(error, NotFound):
            state = "gone"
        elif is_refusal or error.kind == "rate_limited":
            state = "blocked"
        return LinkState(state=state, reason=reason)
    except Exception as error:  # one page that nobody foresaw does not take the others with it
        log.error("a link could not be checked", exc_info=error)
        reason = f"Checking it failed: {type(error).__name__}."
        return LinkState(state="unreachable", reason=reason)

    before = urlsplit(url)
    after = urlsplit(reply.url)
    is_same_page = identity(url) == identity(reply.url)
    if is_same_page or before.hostname in _RESOLVERS:
        return LinkState(state="ok")
    was_front_page = before.path in _FRONT_PATHS
    is_front_page = after.path in _FRONT_PATHS and not after.query
    note_on_move = None
    if is_front_page and not was_front_page:
        note_on_move = _FRONT_PAGE
    new_url = clean_url(redact(reply.url))
    return LinkState(state="moved", new_url=new_url, reason=note_on_move)
