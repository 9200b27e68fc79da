"""A running browser: contexts for pages, every paused request led to the page that made it.

Requests are paused for the whole browser at once: those of frames, popups, workers and service
workers too. Whose one is, is told by its frame, or by the worker's context.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Protocol

from webquarry._read.browser.pipe import BrowserGone, CommandRefused, Event, Pipe
from webquarry._read.browser.process import BrowserProcess
from webquarry._read.browser.requests import BrowserAnswer, fail_request

log = logging.getLogger(__name__)

_WINDOWS = frozenset({"page", "tab", "webview"})


class PageEvents(Protocol):
    """Who hears what happens in one context."""

    context: str
    session: str

    def on_event(self, method: str, parameters: dict[str, Any]) -> None:
        """An event of the page."""

    async def answer_request(self, event: dict[str, Any]) -> BrowserAnswer:
        """The answer to a paused request of the page."""


class Browser:
    """One process and its pipe."""

    def __init__(self, process: BrowserProcess) -> None:
        self.process = process
        self.pipe = Pipe(process.commands, process.answers, self._on_event, process.forget_pipes)
        self.version = ""
        self.pages_begun = 0
        self._pages: dict[str, PageEvents] = {}  # by context
        self._frames: dict[str, PageEvents] = {}  # by frame or target
        self._sessions: dict[str, PageEvents] = {}
        self._with_workers: set[str] = set()  # contexts
        self._closed: set[str] = set()  # targets that pages have opened
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_gone(self) -> bool:
        return self.pipe.is_closed

    async def prepare(self) -> None:
        """Pause every request from now on."""
        version = await self.pipe.command("Browser.getVersion")
        await self.pipe.command("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        await self.pipe.command("Target.setDiscoverTargets", {"discover": True})
        self.version = str(version.get("product", ""))

    def add_page(self, page: PageEvents, target: str) -> None:
        """Lead what happens in a context to its page."""
        self._pages[page.context] = page
        self._frames[target] = page
        self._sessions[page.session] = page

    def add_frame(self, page: PageEvents, frame: str) -> None:
        self._frames[frame] = page

    def remove_page(self, page: PageEvents) -> None:
        self._pages.pop(page.context, None)
        self._with_workers.discard(page.context)
        self._sessions.pop(page.session, None)
        for frame in [name for name, owner in self._frames.items() if owner is page]:
            del self._frames[frame]

    def has_workers(self, page: PageEvents) -> bool:
        """Whether the page has begun anything beside itself: workers, or frames of their own."""
        return page.context in self._with_workers

    async def aclose(self) -> None:
        """End it and all that is asked of it."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.pipe.close()
        await self.process.aclose()

    def _on_event(self, event: Event) -> None:
        method, parameters = event["method"], event.get("params", {})
        if method == "Fetch.requestPaused":
            self._start(self._answer(parameters))
        elif method == "Target.targetCreated":
            self._take_target(parameters["targetInfo"])
        elif "sessionId" in event:
            page = self._sessions.get(event["sessionId"])
            if page is not None:
                page.on_event(method, parameters)

    def _take_target(self, target: dict[str, Any]) -> None:
        """A page that a page has opened is closed; workers belong to their context's page."""
        page = self._pages.get(target.get("browserContextId", ""))
        identity = target["targetId"]
        if page is None or identity in self._frames:
            return
        if target["type"] in _WINDOWS:
            self._closed.add(identity)
            self.pipe.tell("Target.closeTarget", {"targetId": identity})
        else:
            self._frames[identity] = page
            self._with_workers.add(page.context)

    async def _answer(self, event: dict[str, Any]) -> None:
        page = self._find_page(event)
        answer = fail_request(event)
        if page is not None:
            answer = await page.answer_request(event)
        try:
            await self.pipe.command(answer.method, answer.parameters)
        except CommandRefused:  # such as headers that the browser does not take, or it is too late
            failed = fail_request(event)
            self.pipe.tell(failed.method, failed.parameters)
        except BrowserGone:
            log.debug("the browser ended while a request was answered")

    def _find_page(self, event: dict[str, Any]) -> PageEvents | None:
        """Whose request it is; None where nobody can tell, as of a page that was opened."""
        frame = event.get("frameId", "")
        page = self._frames.get(frame)
        if page is None and len(self._pages) == 1 and frame not in self._closed:
            page = next(iter(self._pages.values()))
        return page

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
