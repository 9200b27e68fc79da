"""Check whether URLs still lead to their pages.

Many servers refuse HEAD, so the beginning of each page is fetched, with the guard, robots.txt and
pacing. A page that says it is missing is gone, whatever its status.
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
# They redirect by design.
_RESOLVERS = frozenset({"doi.org", "dx.doi.org", "hdl.handle.net", "w3id.org", "purl.org"})
_FRONT_PATHS = ("", "/")
_FRONT_PAGE = "It leads to the front page of a site, which may mean that the page is gone."
_LATE = "The time for the call was over before its turn, or before it answered."

State = Literal["ok", "moved", "gone", "blocked", "unreachable", "unchecked"]


class LinkState(AnswerPart, kw_only=True):
    """Whether a URL still leads to its page, and where to or why not."""

    state: State
    new_url: str | None = None
    reason: str | None = None


async def check_links(
    client: Client, runner: JobRunner, clock: Clock, urls: Sequence[str], deadline: float
) -> list[LinkState]:
    """Return the state of each URL in order; `unchecked` after the deadline, which is in monotonic
    time.
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

    workers = [asyncio.create_task(work()) for _ in urls[:_AT_ONCE]]
    try:
        if workers:
            note(f"checking {len(urls)} links")
            runner.prepare()
            await asyncio.wait(workers, timeout=max(0.0, deadline - clock.monotonic()))
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return states


async def _check_link(client: Client, runner: JobRunner, url: str) -> LinkState:
    """Return whether a page exists, and whether it has moved."""
    if MASK in url:
        return LinkState(state="unchecked", reason="Its address held a secret, which was not kept.")
    try:
        reply = await client.peek(url, _BYTES)
        await runner.run(FetchedPage(url, reply).to_job(judge_reply))
    except WebquarryError as error:
        state: State = "unreachable"
        if isinstance(error, NotFound):
            state = "gone"
        elif (
            isinstance(error, Refused | RobotsRefused | SiteRefused) or error.kind == "rate_limited"
        ):
            state = "blocked"
        return LinkState(state=state, reason=clean_line(redact(error.sentence)))
    except Exception as error:  # an unexpected page does not fail the others
        log.error("a link could not be checked", exc_info=error)
        reason = f"Checking it failed: {type(error).__name__}."
        return LinkState(state="unreachable", reason=reason)

    before, after = urlsplit(url), urlsplit(reply.url)
    if identity(url) == identity(reply.url) or before.hostname in _RESOLVERS:
        return LinkState(state="ok")
    is_front_page = after.path in _FRONT_PATHS and not after.query
    note_on_move = _FRONT_PAGE if is_front_page and before.path not in _FRONT_PATHS else None
    return LinkState(state="moved", new_url=clean_url(redact(reply.url)), reason=note_on_move)
