"""A running browser: one context for each page, and the routing of paused requests to pages.

Requests are paused for the whole browser, those of frames, popups, workers and service workers
included. Their page is identified by the frame, or by the context of the worker.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from webquarry._read.browser.pipe import BrowserGone, CommandRefused, Event, Pipe
from webquarry._read.browser.process import BrowserProcess
from webquarry._read.browser.requests import fail_request

if TYPE_CHECKING:
    from webquarry._read.browser.page import PageRender

log = logging.getLogger(__name__)

_WINDOWS = frozenset({"page", "tab", "webview"})


class Browser:
    """A browser process with its pipe."""

    def __init__(self, process: BrowserProcess) -> None:
        self.process = process
        self.pipe = Pipe(process.commands, process.replies, self._on_event, process.forget_pipes)
        self.version = ""
        self.started_pages = 0
        self._pages: dict[str, PageRender] = {}  # by context
        self._frames: dict[str, PageRender] = {}  # by frame or target
        self._sessions: dict[str, PageRender] = {}
        self._with_workers: set[str] = set()  # contexts
        self._closed: set[str] = set()  # targets opened by pages
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_gone(self) -> bool:
        return self.pipe.is_closed

    async def prepare(self) -> None:
        """Pause all requests from now on."""
        version = await self.pipe.command("Browser.getVersion")
        await self.pipe.command("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        await self.pipe.command("Target.setDiscoverTargets", {"discover": True})
        self.version = str(version.get("product", ""))

    def add_page(self, page: PageRender, target: str) -> None:
        """Route the events and requests of a context to its page."""
        self._pages[page.context] = page
        self._frames[target] = page
        self._sessions[page.session] = page

    def add_frame(self, page: PageRender, frame: str) -> None:
        self._frames[frame] = page

    def remove_page(self, page: PageRender) -> None:
        self._pages.pop(page.context, None)
        self._with_workers.discard(page.context)
        self._sessions.pop(page.session, None)
        for frame in [name for name, owner in self._frames.items() if owner is page]:
            del self._frames[frame]

    def has_workers(self, page: PageRender) -> bool:
        """Return whether the page has started workers or frames with targets of their own."""
        return page.context in self._with_workers

    async def aclose(self) -> None:
        """Cancel open requests and end the process."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.pipe.close()
        await self.process.aclose()

    def _on_event(self, event: Event) -> None:
        method, parameters = event["method"], event.get("params", {})
        if method == "Fetch.requestPaused":
            task = asyncio.ensure_future(self._answer(parameters))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif method == "Target.targetCreated":
            self._add_target(parameters["targetInfo"])
        elif page := self._sessions.get(event.get("sessionId", "")):
            page.on_event(method, parameters)

    def _add_target(self, target: dict[str, Any]) -> None:
        """Close a window that a page has opened; assign a worker to the page of its context."""
        page = self._pages.get(target.get("browserContextId", ""))
        identity = target["targetId"]
        if page is None or identity in self._frames:
            return
        if target["type"] in _WINDOWS:
            self._closed.add(identity)
            self.pipe.notify("Target.closeTarget", {"targetId": identity})
        else:
            self._frames[identity] = page
            self._with_workers.add(page.context)

    async def _answer(self, event: dict[str, Any]) -> None:
        page = self._find_page(event)
        method, parameters = fail_request(event)
        if page is not None:
            method, parameters = await page.answer_request(event)
        try:
            await self.pipe.command(method, parameters)
        except CommandRefused:  # such as invalid headers, or the request was cancelled
            self.pipe.notify(*fail_request(event))
        except BrowserGone:
            log.debug("the browser ended while a request was answered")

    def _find_page(self, event: dict[str, Any]) -> PageRender | None:
        """Return the page of a paused request; None if unknown, as for a closed window."""
        frame = event.get("frameId", "")
        page = self._frames.get(frame)
        if page is None and len(self._pages) == 1 and frame not in self._closed:
            page = next(iter(self._pages.values()))
        return page
