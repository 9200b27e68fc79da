"""One page in a browser context: load it, run its scripts, capture the DOM with computed styles.

A page is ready when its budget of virtual time has expired (timers fire at once, requests are
awaited) and nothing has changed for a moment after that. When the timeout of a page expires first,
it is captured as unsettled.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from webquarry._read.browser.pipe import CommandRefused, Pipe
from webquarry._read.browser.requests import PageRequests
from webquarry._read.browser.snapshot import STYLES
from webquarry.errors import NetworkFailure, TooComplex, WebquarryError
from webquarry.net.models import Reply
from webquarry.secret import redact

log = logging.getLogger(__name__)

_VIRTUAL_TIME = {
    "policy": "pauseIfNetworkFetchesPending",
    "budget": 8_000,  # milliseconds
    "maxVirtualTimeTaskStarvationCount": 1_000,
}
_QUIET_SECONDS = 0.06
_LONG_QUIET_SECONDS = 0.25  # with workers, frames or animations, which virtual time ignores
_POLL_SECONDS = 0.03
_MAX_QUIET_SECONDS = 3.0
_CAPTURE_SECONDS = 4.0  # to capture the DOM, after the timeout of the page
_BUSY_SECONDS = 1.0
_WIDTH, _HEIGHT = 1280, 6000  # tall, so that content loaded on scrolling is loaded at once
# These run in an isolated world, which the scripts of the page cannot access.
_UNFOLD = (
    "for (const d of document.querySelectorAll('details:not([open])')) d.open = true;"
    "for (const a of document.getAnimations()) try { a.finish() } catch (e) {}"
)
_MEASURE = (
    "(document.body ? document.body.textContent.length : 0) + ' ' + document.readyState"
    " + ' ' + document.getElementsByTagName('*').length"
)
_CAPTURE = "DOMSnapshot.captureSnapshot"
_COUNT_OTHERS = "document.getAnimations().length + frames.length"


@dataclass(frozen=True)
class RenderedPage:
    """A page after its scripts have run."""

    reply: Reply  # of the last document; its body is the DOM snapshot as JSON
    is_settled: bool
    is_whole: bool  # no budget was exceeded
    blocked_frames: int  # by robots.txt


class PageRender:
    """Renders one page; used once."""

    def __init__(
        self, pipe: Pipe, requests: PageRequests, url: str, first: Reply | None, seconds: float
    ) -> None:
        self.requests = requests
        self.context = ""
        self.session = ""
        self.target = ""  # also the name of the main frame
        self.frames: set[str] = set()  # also targets of workers
        self.has_workers = False  # or frames with targets of their own
        self.url = url
        self._pipe = pipe
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._first = first
        self._has_navigated = asyncio.Event()
        self._has_expired = asyncio.Event()
        self._world: int | None = None

    async def run(self, user_agent: str) -> RenderedPage:
        """Render the page.

        Raises the error of the request for the page itself, TooComplex for a page that exceeds
        time or memory, and BrowserGone if the browser ends.
        """
        try:
            await self._open(user_agent)
            is_settled = await self._load()
            snapshot = await self._capture()
        finally:
            if self.context:
                context = {"browserContextId": self.context}
                self._pipe.notify("Target.disposeBrowserContext", context)
        requests, document = self.requests, self.requests.document
        if document is None:
            raise self._build_failure()
        head = (document.url, document.status, document.headers)
        reply = Reply(*head, snapshot, document.fetched_at)
        return RenderedPage(reply, is_settled, not requests.is_over_budget, requests.blocked_frames)

    def on_event(self, method: str, parameters: dict[str, Any]) -> None:
        """Handle an event of the page."""
        if method == "Page.frameNavigated":
            frame = parameters["frame"]
            if frame["id"] == self.target and frame.get("url", "about:blank") != "about:blank":
                self._world = None  # it belongs to the previous document
                self._has_navigated.set()
        elif method == "Page.frameAttached":
            self.frames.add(parameters["frameId"])
        elif method == "Emulation.virtualTimeBudgetExpired":
            self._has_expired.set()
        elif method == "Page.javascriptDialogOpening":
            answer = {"accept": parameters.get("type") == "beforeunload"}
            self._pipe.notify("Page.handleJavaScriptDialog", answer, self.session)
        elif method == "Inspector.targetCrashed":
            error = TooComplex(f"{redact(self.url)} uses too much memory: its process was killed.")
            self._pipe.fail_commands(error, self.session)
            self.requests.failure = error
            self._has_navigated.set()
            self._has_expired.set()

    async def _command(
        self, method: str, parameters: dict[str, Any] | None = None, *, seconds: float | None = None
    ) -> Any:
        """Send a command to the page; by default within the time left."""
        if seconds is None:
            seconds = max(_BUSY_SECONDS, self._end - time.monotonic())
        return await self._pipe.command(method, parameters, self.session, seconds=seconds)

    async def _open(self, user_agent: str) -> None:
        pipe = self._pipe
        created = await pipe.command("Target.createBrowserContext", {"disposeOnDetach": True})
        self.context = created["browserContextId"]
        target = {"url": "about:blank", "browserContextId": self.context}
        deny = {"behavior": "deny", "browserContextId": self.context}
        pipe.notify("Browser.setDownloadBehavior", deny)
        opened = await pipe.command("Target.createTarget", target)
        self.target = opened["targetId"]
        self.frames.add(self.target)
        attach = {"targetId": self.target, "flatten": True}
        attached = await pipe.command("Target.attachToTarget", attach)
        self.session = attached["sessionId"]
        screen = {"width": _WIDTH, "height": _HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        await asyncio.gather(
            self._command("Page.enable"),
            self._command("Emulation.setUserAgentOverride", {"userAgent": user_agent}),
            self._command("Emulation.setDeviceMetricsOverride", screen),
            self._command(
                "Emulation.setVirtualTimePolicy",
                {"policy": "pause", "initialVirtualTime": self._choose_time()},
            ),
        )

    def _choose_time(self) -> float:
        """Return the initial time of the page's clock, the same for every replay."""
        if self._first is None:
            return datetime.now(UTC).timestamp()
        try:
            return parsedate_to_datetime(self._first.headers.get("date", "")).timestamp()
        except (ValueError, TypeError, OverflowError):
            day = self._first.fetched_at.replace(hour=12, minute=0, second=0, microsecond=0)
            return day.timestamp()

    async def _load(self) -> bool:
        """Navigate and wait until the page is ready; returns whether it has settled."""
        navigated = await self._command("Page.navigate", {"url": self.url})
        if navigated.get("errorText"):
            raise self._build_failure()
        try:
            async with asyncio.timeout(self._end - time.monotonic()):
                await self._has_navigated.wait()
                self._raise_failure()
                await self._command("Emulation.setVirtualTimePolicy", _VIRTUAL_TIME)
                await self._has_expired.wait()
                self._raise_failure()
                return await self._wait_for_quiet()
        except (TimeoutError, TooComplex):  # or a busy page did not answer a command
            self._raise_failure()
            return False

    def _raise_failure(self) -> None:
        if self.requests.failure is not None:
            raise self.requests.failure

    def _build_failure(self) -> WebquarryError:
        """Return the reason why there is no page."""
        message = f"The browser got no page from {redact(self.url)}"
        return self.requests.failure or NetworkFailure(message, retryable=False)

    async def _wait_for_quiet(self) -> bool:
        """Wait until no request is pending and the page does not change; returns whether it has
        settled.
        """
        await self._command("Emulation.setVirtualTimePolicy", {"policy": "advance"})
        started = last_change = time.monotonic()
        last = ""
        quiet = _QUIET_SECONDS
        if self.has_workers or await self._evaluate(_COUNT_OTHERS):
            quiet = _LONG_QUIET_SECONDS
        while True:
            size = str(await self._evaluate(_MEASURE))
            now = time.monotonic()
            if size != last or self.requests.pending:
                last_change = now
                last = size
            if now - last_change >= quiet:
                return True
            if now - started >= _MAX_QUIET_SECONDS and not self.requests.pending:
                return False  # it keeps changing, such as a clock
            await asyncio.sleep(_POLL_SECONDS)

    async def _evaluate(self, expression: str) -> Any:
        """Return the value of an expression in an isolated world of the current document."""
        for _ in range(2):
            if self._world is None:
                world = {"frameId": self.target, "worldName": "webquarry"}
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

    async def _capture(self) -> bytes:
        """Capture the DOM with computed styles; a script that is still running is terminated."""
        self._end = max(self._end, time.monotonic() + _CAPTURE_SECONDS)
        try:
            stop = {"policy": "pause"}
            await self._command("Emulation.setVirtualTimePolicy", stop, seconds=_BUSY_SECONDS)
            await self._evaluate(_UNFOLD)
        except (TooComplex, CommandRefused):
            await self._command("Runtime.terminateExecution", seconds=_BUSY_SECONDS)
        parameters = {"computedStyles": list(STYLES), "includeDOMRects": False}
        seconds = max(_CAPTURE_SECONDS, self._end - time.monotonic())
        try:
            snapshot: bytes = await self._pipe.command(
                _CAPTURE, parameters, self.session, seconds=seconds, is_raw=True
            )
            return snapshot
        except TooComplex as error:
            raise TooComplex(
                f"Timed out after {self._seconds:g} s running the scripts of {redact(self.url)}."
            ) from error
