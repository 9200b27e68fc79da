"""One page in a browser: a context of its own, scripts run, then the tree as the browser sees it.

Ready is a page when its virtual time is up, in which timers cost nothing and which waits for
requests, and nothing has moved for a moment after that; at the latest when the time for one page is
over, and then it is said that it had not settled.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from webquarry._read.browser.browser import Browser
from webquarry._read.browser.pipe import CommandRefused
from webquarry._read.browser.requests import BrowserAnswer, PageRequests
from webquarry._read.browser.styles import STYLES
from webquarry.errors import NetworkFailure, TooComplex
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.secret import redact

log = logging.getLogger(__name__)

_VIRTUAL_MILLISECONDS = 8_000
_STARVATION = 1_000
_QUIET_SECONDS = 0.06
_LONG_QUIET_SECONDS = 0.25  # where something runs that virtual time does not wait for
_POLL_SECONDS = 0.03
_MOST_QUIET_SECONDS = 3.0
_READ_SECONDS = 4.0  # for reading the tree, after the time of the page is over
_BUSY_SECONDS = 1.0
_WIDTH, _HEIGHT = 1280, 6000  # tall: what comes when it is scrolled to comes at once
# What the page's own code cannot see or change: it runs in a world beside it.
# What a click opens is opened, and what fades in is there.
_UNFOLD = (
    "for (const d of document.querySelectorAll('details:not([open])')) d.open = true;"
    "for (const a of document.getAnimations()) try { a.finish() } catch (e) {}"
)
_MEASURE = (
    "(document.body ? document.body.textContent.length : 0) + ' ' + document.readyState"
    " + ' ' + document.getElementsByTagName('*').length"
)
_COUNT_BESIDE = "document.getAnimations().length + frames.length"


@dataclass(frozen=True)
class RenderedPage:
    """What became of a page when its scripts had run."""

    reply: Reply  # the document that the browser ended at; its body is the packed tree
    is_settled: bool
    is_whole: bool  # no budget was used up
    refused_frames: int  # that robots.txt does not allow


class PageRender:
    """One page on its way; used once."""

    def __init__(
        self,
        browser: Browser,
        client: Client,
        url: str,
        first: Reply | None,
        seconds: float,
        *,
        in_order: bool = False,
    ) -> None:
        self.context = ""
        self.session = ""
        self.url = url
        self._browser = browser
        self._pipe = browser.pipe
        self._target = ""
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._first = first
        self._requests = PageRequests(client, url, first, self._get_seconds, in_order=in_order)
        self._has_navigated = asyncio.Event()
        self._has_expired = asyncio.Event()
        self._world: int | None = None

    async def run(self, user_agent: str) -> RenderedPage:
        """Render it. Raises what kept the page itself from coming, TooComplex for one that takes
        too much, and BrowserGone where the browser ended.
        """
        try:
            await self._open(user_agent)
            is_settled = await self._load()
            tree = await self._read_tree()
        finally:
            self._dispose()
        document = self._requests.document
        if document is None:
            raise self._requests.failure or _explain_nothing(self.url)
        reply = Reply(document.url, document.status, document.headers, tree, document.fetched_at)
        requests = self._requests
        return RenderedPage(reply, is_settled, not requests.is_over_budget, requests.refused_frames)

    def on_event(self, method: str, parameters: dict[str, Any]) -> None:
        if method == "Page.frameNavigated":
            self._take_navigation(parameters["frame"])
        elif method == "Page.frameAttached":
            self._browser.add_frame(self, parameters["frameId"])
        elif method == "Emulation.virtualTimeBudgetExpired":
            self._has_expired.set()
        elif method == "Page.javascriptDialogOpening":
            leaves = parameters.get("type") == "beforeunload"
            answer = {"accept": leaves}
            self._pipe.tell("Page.handleJavaScriptDialog", answer, self.session)
        elif method == "Inspector.targetCrashed":
            error = TooComplex(
                f"{redact(self.url)} takes more memory than a page may: the browser ended it."
            )
            self._pipe.fail_session(self.session, error)
            self._requests.failure = error
            self._has_navigated.set()
            self._has_expired.set()

    async def answer_request(self, event: dict[str, Any]) -> BrowserAnswer:
        is_document = event.get("resourceType") == "Document"
        is_main = is_document and event.get("frameId") == self._target
        return await self._requests.answer(event, is_main=is_main)

    def _get_seconds(self) -> float:
        return self._end - time.monotonic()

    async def _command(
        self, method: str, parameters: dict[str, Any] | None = None, *, seconds: float | None = None
    ) -> dict[str, Any]:
        """A command to the page, within the time that it has left."""
        if seconds is None:
            seconds = max(_BUSY_SECONDS, self._get_seconds())
        return await self._pipe.command(method, parameters, self.session, seconds=seconds)

    async def _open(self, user_agent: str) -> None:
        pipe = self._pipe
        created = await pipe.command("Target.createBrowserContext", {"disposeOnDetach": True})
        self.context = created["browserContextId"]
        target = {"url": "about:blank", "browserContextId": self.context}
        deny = {"behavior": "deny", "browserContextId": self.context}
        pipe.tell("Browser.setDownloadBehavior", deny)  # before whatever is told later
        opened = await pipe.command("Target.createTarget", target)
        self._target = opened["targetId"]
        attach = {"targetId": self._target, "flatten": True}
        attached = await pipe.command("Target.attachToTarget", attach)
        self.session = attached["sessionId"]
        self._browser.add_page(self, self._target)
        screen = {"width": _WIDTH, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        await asyncio.gather(
            self._command("Page.enable"),
            self._command("Emulation.setUserAgentOverride", {"userAgent": user_agent}),
            self._command("Emulation.setDeviceMetricsOverride", screen),
            self._command(
                "Emulation.setVirtualTimePolicy",
                {"policy": "pause", "initialVirtualTime": self._choose_moment()},
            ),
        )

    def _choose_moment(self) -> float:
        """The time that the page's clock starts at: the same whenever the same recording is
        replayed.
        """
        if self._first is None:
            return datetime.now(UTC).timestamp()
        try:
            return parsedate_to_datetime(self._first.headers.get("date", "")).timestamp()
        except (ValueError, TypeError, OverflowError):
            day = self._first.fetched_at.replace(hour=12, minute=0, second=0, microsecond=0)
            return day.timestamp()

    async def _load(self) -> bool:
        """Go there and wait until the page is ready; whether it has settled."""
        navigated = await self._command("Page.navigate", {"url": self.url})
        if navigated.get("errorText"):
            raise self._requests.failure or _explain_nothing(self.url)
        try:
            async with asyncio.timeout_at(asyncio.get_running_loop().time() + self._get_seconds()):
                await self._has_navigated.wait()
                self._raise_failure()
                await self._run_virtual_time()
                self._raise_failure()
                return await self._wait_for_quiet()
        except TimeoutError:
            self._raise_failure()
            return False
        except TooComplex:  # a command that a busy page did not answer
            self._raise_failure()
            return False

    def _raise_failure(self) -> None:
        failure = self._requests.failure
        if failure is not None:
            raise failure

    async def _run_virtual_time(self) -> None:
        policy = {
            "policy": "pauseIfNetworkFetchesPending",
            "budget": _VIRTUAL_MILLISECONDS,
            "maxVirtualTimeTaskStarvationCount": _STARVATION,
        }
        self._has_expired.clear()
        await self._command("Emulation.setVirtualTimePolicy", policy)
        await self._has_expired.wait()

    async def _wait_for_quiet(self) -> bool:
        """Wait until nothing is asked for and the text stays as it is; whether that came true."""
        await self._command("Emulation.setVirtualTimePolicy", {"policy": "advance"})
        begun = last_change = time.monotonic()
        last = ""
        quiet = _QUIET_SECONDS
        if self._browser.has_workers(self) or await self._evaluate(_COUNT_BESIDE):
            quiet = _LONG_QUIET_SECONDS
        while True:
            size = await self._measure()
            now = time.monotonic()
            if size != last or self._requests.pending:
                last_change = now
                last = size
            if now - last_change >= quiet:
                return True
            if now - begun >= _MOST_QUIET_SECONDS and not self._requests.pending:
                return False  # it moves on, such as a clock
            await asyncio.sleep(_POLL_SECONDS)

    async def _measure(self) -> str:
        """How much is on the page, by code that the page cannot reach."""
        return str(await self._evaluate(_MEASURE))

    async def _evaluate(self, expression: str) -> Any:
        """The value of an expression in a world beside the page's, made anew after a navigation."""
        for _ in range(2):
            if self._world is None:
                world = {"frameId": self._target, "worldName": "webquarry"}
                made = await self._command("Page.createIsolatedWorld", world)
                self._world = made["executionContextId"]
            parameters = {"expression": expression, "contextId": self._world}
            try:
                answer = await self._command("Runtime.evaluate", parameters)
            except CommandRefused:
                self._world = None
                continue
            return answer["result"].get("value")
        return None

    async def _read_tree(self) -> bytes:
        """The tree with the styles that the browser computed; scripts that do not end are ended
        first.
        """
        if self._get_seconds() < _READ_SECONDS:
            self._end = time.monotonic() + _READ_SECONDS
        try:
            stop = {"policy": "pause"}
            await self._command("Emulation.setVirtualTimePolicy", stop, seconds=_BUSY_SECONDS)
            await self._evaluate(_UNFOLD)
        except (TooComplex, CommandRefused):
            await self._command("Runtime.terminateExecution", seconds=_BUSY_SECONDS)
        parameters = {"computedStyles": list(STYLES), "includeDOMRects": False}
        try:
            return await self._pipe.command_raw(
                "DOMSnapshot.captureSnapshot",
                parameters,
                self.session,
                seconds=max(_READ_SECONDS, self._get_seconds()),
            )
        except TooComplex as error:
            raise TooComplex(
                f"The scripts of {redact(self.url)} took more than {self._seconds:g} s, and its "
                "text could not be read."
            ) from error

    def _take_navigation(self, frame: dict[str, Any]) -> None:
        """The page itself has come, or has gone on to another one: its time starts anew."""
        if frame["id"] != self._target or frame.get("url", "about:blank") == "about:blank":
            return
        self._world = None
        self._has_navigated.set()

    def _dispose(self) -> None:
        """Close the context with all that is in it; nobody waits for that."""
        self._browser.remove_page(self)
        if self.context:
            context = {"browserContextId": self.context}
            self._pipe.tell("Target.disposeBrowserContext", context)


def _explain_nothing(url: str) -> NetworkFailure:
    """The error about an address at which the browser found nothing."""
    return NetworkFailure(f"The browser got no page from {redact(url)}", retryable=False)
