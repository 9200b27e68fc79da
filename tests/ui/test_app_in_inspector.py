"""The page as an app in the Inspector's Apps tab, in a real browser, before our real server on the
recorded web. INSPECTOR may name a folder in which its packages are kept.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, Request, expect, sync_playwright
from scripts.inspector import open_app, start_inspector
from scripts.painted.browser import find_chromium
from scripts.screenshots import PAGE, QUOTES, fill, make_environ

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]
GOAL = "How is tidal power kept for slack water?"


@dataclass
class Stage:
    """A browser before the Inspector, and what the frame of the app asked for and complained of."""

    browser: Browser
    address: str
    session: str
    page: Page | None = None
    requests: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def open(self, **arguments: str) -> Frame:
        """The frame of the app for a call of the tool."""
        context = self.browser.new_context(viewport={"width": 1300, "height": 1000})
        context.set_default_timeout(30_000)
        self.page = context.new_page()
        self.page.on("request", self._note_request)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        return open_app(self.page, self.address, arguments)

    def _note_request(self, request: Request) -> None:
        """What the Inspector itself asks for is none of ours."""
        if request.frame.parent_frame is not None:
            self.requests.append(request.url)


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_environ(tmp_path_factory.mktemp("records"))


@pytest.fixture(scope="module")
def session(environ: dict[str, str]) -> str:
    return fill(environ)


@pytest.fixture(scope="module", params=["legacy", "modern"])
def stage(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    environ: dict[str, str],
    session: str,
) -> Iterator[Stage]:
    given = os.environ.get("INSPECTOR")
    work = Path(given) if given else tmp_path_factory.getbasetemp() / "inspector"
    with (
        start_inspector(work, environ, request.param) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield Stage(browser, address, session)
        browser.close()


def test_a_session_is_shown_in_the_apps_tab_and_its_quotes_are_marked_in_the_stored_text(
    stage: Stage,
) -> None:
    app = stage.open(sessionId=stage.session)
    expect(app.locator("h1")).to_have_text(GOAL)
    expect(app.locator(".rows > li").first).to_contain_text("quoted")

    for quote, marked in zip(
        QUOTES, [*QUOTES[:2], "a tank of vanadium salts now keeps the lights on"], strict=True
    ):
        line = app.locator("blockquote").filter(has_text=quote)
        line.get_by_role("link", name="see it in the text").click()
        expect(app.locator("mark.on")).to_have_text(marked)
        expect(app.locator("mark.on")).to_be_in_viewport()
        app.get_by_role("button", name="Back").click()
        expect(app.locator("h1")).to_have_text(GOAL)

    own = [url for url in stage.requests if not url.startswith(("http://127.0.0.1:", "about:"))]
    assert own == []
    assert stage.troubles == []


def test_a_page_and_the_bill_are_shown(stage: Stage) -> None:
    app = stage.open(url=PAGE)
    expect(app.locator("h1")).to_contain_text("Storing the tide")
    expect(app.locator("#text")).to_contain_text("This year there is no smoke")
    expect(app.locator("mark").first).to_have_text(QUOTES[0])

    app.get_by_role("link", name="Bill").click()

    expect(app.locator("h1")).to_have_text("Bill")
    expect(app.get_by_role("table", name="By tool")).to_contain_text("check_quotes")


def test_text_cannot_become_markup_there_either(stage: Stage) -> None:
    app = stage.open()
    attempt = "() => { try { document.body.innerHTML = '<b>x</b>'; return 'done' } catch (error) { return error.name } }"
    expect(app.locator("h1")).to_have_text("Bill")

    assert app.evaluate(attempt) == "TypeError"
