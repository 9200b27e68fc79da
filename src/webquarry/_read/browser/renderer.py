"""Renders pages in a browser that is started for the first page and ended after an idle time.

Several pages are rendered concurrently, each in its own context. A browser that crashes is
replaced, and its pages are rendered once more.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any

from webquarry._read.browser.chromium import (
    INSTALL_ADVICE,
    BrowserProcess,
    choose_isolation,
    find_program,
)
from webquarry._read.browser.page import PageRender, RenderedPage
from webquarry._read.browser.pipe import BrowserGone, CommandRefused, Event, Pipe
from webquarry._read.browser.requests import PageRequests, fail_request
from webquarry.errors import ScriptPage, TooComplex, Unreadable
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)

_MAX_PAGES = 100  # then the browser is replaced
_WATCH_SECONDS = 0.2
_START_SECONDS = 20.0
_TRIES = 2
_WINDOWS = frozenset({"page", "tab", "webview"})


class Browser:
    """A browser process with its pipe; routes paused requests and events to its pages.

    Requests are paused for the whole browser, those of frames, popups, workers and service workers
    included. Their page is identified by the frame, or by the context of the worker.
    """

    def __init__(self, process: BrowserProcess) -> None:
        self.process = process
        self.pipe = Pipe(self._on_event)
        self.version = ""
        self.pages: list[PageRender] = []
        self.started_pages = 0
        self.users = 0  # callers that need it open
        self.end_timer: asyncio.TimerHandle | None = None  # while it has no users
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self, max_memory: int) -> None:
        """Pause all requests from now on, and limit the memory in bytes."""
        await self.pipe.connect(self.process.commands, self.process.replies)
        version = await self.pipe.command("Browser.getVersion")
        await self.pipe.command("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        await self.pipe.command("Target.setDiscoverTargets", {"discover": True})
        self.version = str(version.get("product", ""))
        self._start_task(self._watch_memory(max_memory))

    async def aclose(self) -> None:
        """Cancel open requests and kill the process."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.pipe.close()
        await asyncio.to_thread(self.process.kill)

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch_memory(self, max_bytes: int) -> None:
        while not self.pipe.is_closed:
            if self.pages:
                await asyncio.to_thread(self.process.limit_memory, max_bytes)
            await asyncio.sleep(_WATCH_SECONDS)

    def _on_event(self, event: Event) -> None:
        method, parameters = event["method"], event.get("params", {})
        if method == "Fetch.requestPaused":
            self._start_task(self._answer_request(parameters))
        elif method == "Target.targetCreated":
            self._add_target(parameters["targetInfo"])
        elif session := event.get("sessionId"):
            for page in self.pages:
                if page.session == session:
                    page.on_event(method, parameters)

    def _add_target(self, target: dict[str, Any]) -> None:
        """Close a window that a page has opened; assign a worker to the page of its context."""
        context, identity = target.get("browserContextId"), target["targetId"]
        for page in self.pages:
            if not page.target or page.context != context or identity in page.frames:
                continue
            if target["type"] in _WINDOWS:
                self.pipe.notify("Target.closeTarget", {"targetId": identity})
            else:
                page.frames.add(identity)
                page.has_workers = True

    async def _answer_request(self, event: dict[str, Any]) -> None:
        """Make a paused request of a page; it fails if its page is unknown."""
        frame = event.get("frameId", "")
        owners = [page for page in self.pages if frame in page.frames]
        if not owners and len(self.pages) == 1:
            owners = self.pages
        method, parameters = fail_request(event)
        for page in owners[:1]:
            is_main = event.get("resourceType") == "Document" and frame == page.target
            method, parameters = await page.requests.answer(event, is_main=is_main)
        try:
            await self.pipe.command(method, parameters)
        except CommandRefused:  # such as invalid headers, or the request was cancelled
            self.pipe.notify(*fail_request(event))
        except BrowserGone:
            log.debug("the browser ended while a request was answered")


class PageRenderer:
    """Renders pages for the tasks of one event loop."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._places = asyncio.Semaphore(settings.render_pages)
        self._starting = asyncio.Lock()
        self._browser: Browser | None = None  # for the next page
        self._open: set[Browser] = set()
        self._closing: set[asyncio.Task[None]] = set()

    @cached_property
    def program(self) -> str | None:
        """The browser executable; None if there is none, or rendering is disabled."""
        return find_program(self._settings) if self._settings.render else None

    def require_program(self, error: ScriptPage) -> str:
        """Return the browser executable; without one, raise the error with what to do."""
        if self.program is not None:
            return self.program
        error.suggested_action = "Unset WEBQUARRY_RENDER, or choose another source."
        if self._settings.render:
            error.suggested_action = (
                f"{INSTALL_ADVICE}, or choose another source, a feed or an API of this page."
            )
        raise error

    async def render(
        self, url: str, first: Reply | None, most_seconds: float | None = None
    ) -> RenderedPage:
        """Run the scripts of the page at a URL; `first` is the page as it was fetched.

        Raises ScriptPage without a browser, TooComplex for a page that exceeds time or memory, and
        the error of the request for the page itself.
        """
        settings = self._settings
        missing = ScriptPage(f"{redact(url)} requires a browser, and none is installed.")
        program = self.require_program(missing)
        seconds = min(settings.render_seconds, most_seconds or settings.render_seconds)
        in_order = bool(settings.record or settings.replay)
        async with self._places:
            for _ in range(_TRIES):
                async with self._use_browser(program) as browser:
                    note("running the scripts of the page")
                    requests = PageRequests(self._client, url, first, seconds, in_order=in_order)
                    page = PageRender(browser.pipe, requests, url, first, seconds)
                    browser.started_pages += 1
                    browser.pages.append(page)
                    try:
                        return await page.run(settings.user_agent)
                    except (BrowserGone, CommandRefused) as error:
                        log.debug("rendering failed: %s", error)
                    finally:
                        browser.pages.remove(page)
        raise TooComplex(f"{redact(url)} crashes the browser.")

    async def start(self) -> str:
        """Start the browser unless it is running, and return its name and version.

        Raises Unreadable if it does not start.
        """
        program = self.require_program(ScriptPage("No browser is installed."))
        async with self._use_browser(program) as browser:
            return browser.version

    async def aclose(self) -> None:
        """End all browsers."""
        for browser in list(self._open):
            self._end(browser)
        await asyncio.gather(*self._closing, return_exceptions=True)

    @asynccontextmanager
    async def _use_browser(self, program: str) -> AsyncIterator[Browser]:
        """Keep a browser open; an unused one ends after the idle time, a replaced one at once."""
        async with self._starting:
            browser = self._browser
            if browser is None or browser.pipe.is_closed or browser.started_pages >= _MAX_PAGES:
                if browser is not None and not browser.users:
                    self._end(browser)
                browser = self._browser = await self._start_browser(program)
            browser.users += 1
            if browser.end_timer is not None:
                browser.end_timer.cancel()
        try:
            yield browser
        finally:
            browser.users -= 1
            if not browser.users:
                is_replaced = browser is not self._browser or browser.pipe.is_closed
                seconds = 0 if is_replaced else self._settings.render_idle_seconds
                loop = asyncio.get_running_loop()
                browser.end_timer = loop.call_later(seconds, self._end, browser)

    def _end(self, browser: Browser) -> None:
        if browser not in self._open:
            return
        self._open.discard(browser)
        if browser is self._browser:
            self._browser = None
        task = asyncio.ensure_future(browser.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _start_browser(self, program: str) -> Browser:
        browser = Browser(await asyncio.to_thread(self._start_process, program))
        self._open.add(browser)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await browser.open(self._settings.render_memory_mb * 1_000_000)
        except (BrowserGone, CommandRefused, TooComplex, TimeoutError) as error:
            raise Unreadable(
                f"The browser {program} did not start.",
                suggested_action="Run `webquarry doctor`. Where the system allows no sandbox for "
                "ordinary users, allow user namespaces; WEBQUARRY_BROWSER_SANDBOX=0 only in a "
                "container of its own.",
            ) from error
        finally:
            if not browser.version:
                self._end(browser)
        return browser

    def _start_process(self, program: str) -> BrowserProcess:
        isolation = choose_isolation(sandbox=self._settings.browser_sandbox)
        return BrowserProcess(program, isolation)
