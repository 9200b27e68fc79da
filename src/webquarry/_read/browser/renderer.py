"""The browser of a process: started at the first page, warm for the next ones, gone after a rest.

An address comes in, with the page as it has arrived; out comes the page as it is when its scripts
have run. Several pages are rendered at once, each in a context of its own. A browser that a page
brought down is replaced, and the pages that were in it are rendered once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from functools import cached_property

from webquarry._read.browser.program import INSTALL_ADVICE, Program, find_program
from webquarry.errors import ScriptPage, TooComplex, Unreadable
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.settings import Settings

if os.name == "posix":
    from webquarry._read.browser.browser import Browser
    from webquarry._read.browser.isolation import choose_isolation
    from webquarry._read.browser.memory import find_largest_page
    from webquarry._read.browser.page import PageRender, RenderedPage
    from webquarry._read.browser.pipe import BrowserGone, CommandRefused
    from webquarry._read.browser.process import BrowserProcess

log = logging.getLogger(__name__)

_MOST_PAGES = 100  # then the browser is replaced
_WATCH_SECONDS = 0.2
_START_SECONDS = 20.0
_DATA_BYTES = 1 << 30  # that one process may take for its data
_TRIES = 2


class PageRenderer:
    """Renders pages for the tasks of one event loop."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._places = asyncio.Semaphore(settings.render_pages)
        self._starting = asyncio.Lock()
        self._browser: Browser | None = None
        self._active: dict[Browser, int] = {}  # pages in each browser that is not closed
        self._watch: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None

    @cached_property
    def program(self) -> Program | None:
        """The browser that is used; None where there is none, or where none is wanted."""
        if os.name != "posix" or not self._settings.render:
            return None
        return find_program(self._settings)

    def require_program(self, url: str, error: ScriptPage | None = None) -> Program:
        """The browser, or the error that says how to get one."""
        if self.program is not None:
            return self.program
        if error is None:
            error = ScriptPage(f"{redact(url)} is to be read in a browser, and there is none.")
        error.suggested_action = (
            f"{INSTALL_ADVICE}, or choose another source, a feed or an API of this page."
        )
        if not self._settings.render:
            error.suggested_action = "Unset WEBQUARRY_RENDER, or choose another source."
        raise error

    async def render(
        self, url: str, first: Reply | None, most_seconds: float | None = None
    ) -> RenderedPage:
        """The page at an address with its scripts run; `first` is what has arrived from there.
        Raises ScriptPage without a browser, TooComplex for a page that takes too much, and what
        kept the page itself from coming.
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
                    log.debug("a page was not rendered: %s", error)
                finally:
                    self._leave_browser(browser)
        raise TooComplex(f"{redact(url)} brings down the browser that runs its scripts.")

    async def start(self) -> str:
        """Start the browser, if it does not run yet; its name and version. Raises Unreadable where
        it does not start.
        """
        self.require_program("A page")
        browser = await self._enter_browser()
        self._leave_browser(browser)
        return browser.version

    async def aclose(self) -> None:
        """End every browser."""
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
        """A browser for one page more."""
        async with self._starting:
            browser = self._browser
            if browser is not None and (browser.is_gone or browser.pages_begun >= _MOST_PAGES):
                self._retire(browser)
                browser = None
            if browser is None:
                browser = self._browser = await self._start_browser()
                self._active[browser] = 0
        browser.pages_begun += 1
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
        """No further page goes there; it ends with its last one."""
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
        """End the largest page while a browser takes more than it may."""
        most = self._settings.render_memory_mb * 1_000_000
        while any(self._active.values()):
            for browser in list(self._active):
                if not browser.is_gone:
                    await self._limit_memory(browser, most)
            await asyncio.sleep(_WATCH_SECONDS)

    async def _limit_memory(self, browser: Browser, most: int) -> None:
        processes = await asyncio.to_thread(browser.process.list_processes)
        is_too_large, page = find_largest_page(processes, most)
        if not is_too_large:
            return
        log.info("a page took too much memory, and was ended")
        with contextlib.suppress(ProcessLookupError):
            os.kill(page or browser.process.pid, signal.SIGKILL)
