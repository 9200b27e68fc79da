"""Renders pages in a browser that is started for the first page and ended after an idle time.

Several pages are rendered concurrently, each in its own context. A browser that crashes is
replaced, and its pages are rendered once more.
"""

from __future__ import annotations

import asyncio
import logging
import os
from functools import cached_property

from webquarry._read.browser.launch import (
    INSTALL_ADVICE,
    Program,
    choose_isolation,
    find_program,
)
from webquarry.errors import ScriptPage, TooComplex, Unreadable
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.settings import Settings

if os.name == "posix":
    from webquarry._read.browser.browser import Browser
    from webquarry._read.browser.page import PageRender, RenderedPage
    from webquarry._read.browser.pipe import BrowserGone, CommandRefused
    from webquarry._read.browser.process import BrowserProcess

log = logging.getLogger(__name__)

_MAX_PAGES = 100  # then the browser is replaced
_WATCH_SECONDS = 0.2
_START_SECONDS = 20.0
_DATA_BYTES = 1 << 30  # data segment of one process
_TRIES = 2


class PageRenderer:
    """Renders pages for the tasks of one event loop."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._places = asyncio.Semaphore(settings.render_pages)
        self._starting = asyncio.Lock()
        self._browser: Browser | None = None
        self._active: dict[Browser, int] = {}  # number of pages of each open browser
        self._watch: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None

    @cached_property
    def program(self) -> Program | None:
        """The browser executable; None if there is none, or rendering is disabled."""
        if os.name != "posix" or not self._settings.render:
            return None
        return find_program(self._settings)

    def require_program(self, url: str, error: ScriptPage | None = None) -> Program:
        """Return the browser executable; raises an error that says how to install one."""
        if self.program is not None:
            return self.program
        if error is None:
            error = ScriptPage(f"{redact(url)} requires a browser, and none is installed.")
        error.suggested_action = (
            f"{INSTALL_ADVICE}, or choose another source, a feed or an API of this page."
        )
        if not self._settings.render:
            error.suggested_action = "Unset WEBQUARRY_RENDER, or choose another source."
        raise error

    async def render(
        self, url: str, first: Reply | None, most_seconds: float | None = None
    ) -> RenderedPage:
        """Run the scripts of the page at a URL; `first` is the page as it was fetched.

        Raises ScriptPage without a browser, TooComplex for a page that exceeds time or memory, and
        the error of the request for the page itself.
        """
        self.require_program(url)
        seconds = self._settings.render_seconds
        if most_seconds is not None:
            seconds = min(seconds, most_seconds)
        async with self._places:
            for _ in range(_TRIES):
                browser = await self._enter_browser()
                try:
                    note("running the scripts of the page")
                    render = PageRender(
                        browser,
                        self._client,
                        url,
                        first,
                        seconds,
                        in_order=bool(self._settings.record or self._settings.replay),
                    )
                    return await render.run(self._settings.user_agent)
                except (BrowserGone, CommandRefused) as error:
                    log.debug("rendering failed: %s", error)
                finally:
                    self._leave_browser(browser)
        raise TooComplex(f"{redact(url)} crashes the browser.")

    async def start(self) -> str:
        """Start the browser unless it is running, and return its name and version.

        Raises Unreadable if it does not start.
        """
        self.require_program("A page")
        browser = await self._enter_browser()
        self._leave_browser(browser)
        return browser.version

    async def aclose(self) -> None:
        """End all browsers."""
        if self._idle is not None:
            self._idle.cancel()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        self._browser = None
        for browser in list(self._active):
            self._close(browser)
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _enter_browser(self) -> Browser:
        """Return a browser for one more page; `_leave_browser` must follow."""
        async with self._starting:
            browser = self._browser
            if browser is not None and (browser.is_gone or browser.started_pages >= _MAX_PAGES):
                self._retire(browser)
                browser = None
            if browser is None:
                browser = self._browser = await self._start_browser()
                self._active[browser] = 0
        browser.started_pages += 1
        self._active[browser] += 1
        if self._idle is not None:
            self._idle.cancel()
        if self._watch is None or self._watch.done():
            self._watch = asyncio.create_task(self._watch_memory())
        return browser

    def _leave_browser(self, browser: Browser) -> None:
        if browser not in self._active:
            return
        self._active[browser] -= 1
        if browser.is_gone and browser is self._browser:
            self._retire(browser)
        if self._active.get(browser) == 0 and browser is not self._browser:
            self._close(browser)
        if not any(self._active.values()):
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._settings.render_idle_seconds, self._end_idle)

    def _retire(self, browser: Browser) -> None:
        """Use a browser for no further pages; it ends with its last page."""
        self._browser = None
        if not self._active.get(browser):
            self._close(browser)

    def _end_idle(self) -> None:
        if self._browser is not None and not self._active.get(self._browser):
            self._retire(self._browser)

    def _close(self, browser: Browser) -> None:
        self._active.pop(browser, None)
        task = asyncio.ensure_future(browser.aclose())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _start_browser(self) -> Browser:
        program = self.program
        assert program is not None
        isolation = await asyncio.to_thread(
            choose_isolation, sandbox=self._settings.browser_sandbox
        )
        process = await asyncio.to_thread(BrowserProcess, program, isolation, _DATA_BYTES)
        browser = Browser(process)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await browser.prepare()
        except (BrowserGone, CommandRefused, TooComplex, TimeoutError) as error:
            await browser.aclose()
            raise Unreadable(
                f"The browser {program.path} did not start.",
                suggested_action="Run `webquarry doctor`. Where the system allows no sandbox for "
                "ordinary users, allow user namespaces; WEBQUARRY_BROWSER_SANDBOX=0 only in a "
                "container of its own.",
            ) from error
        except BaseException:
            browser.process.kill()
            await browser.aclose()
            raise
        return browser

    async def _watch_memory(self) -> None:
        """Kill the largest page while a browser uses more memory than allowed."""
        limit = self._settings.render_memory_mb * 1_000_000
        while any(self._active.values()):
            for browser in list(self._active):
                if not browser.is_gone:
                    await asyncio.to_thread(browser.process.limit_memory, limit)
            await asyncio.sleep(_WATCH_SECONDS)
