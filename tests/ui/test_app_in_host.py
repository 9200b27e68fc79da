"""The page as an app in a client's frame, in a real browser: a host that answers as the protocol
says, and one whose every answer comes from an enemy. The views are those of a real toolkit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, expect, sync_playwright
from scripts.painted.browser import find_chromium
from scripts.screenshots import PAGE, call_tool, fill, make_environ

from tests.ui.test_page_in_chromium import BAD_URLS, HOSTILE, fetch_axe, make_hostile
from webquarry.views.app import load_app

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed"),
]
HOST = "http://host.example/"
HOST_PAGE = Path(__file__).with_name("host.html")
ALL: dict[str, Any] = {
    "openLinks": {},
    "downloadFile": {},
    "serverTools": {},
    "serverResources": {},
}
INLINE = {
    "theme": "light",
    "displayMode": "inline",
    "availableDisplayModes": ["inline", "fullscreen"],
}
GOAL = "How is tidal power kept for slack water?"


@dataclass
class Records:
    """A session in the records of a folder, and what `show_research` says of it."""

    environ: dict[str, str]
    session: str

    def show(self, **arguments: str) -> dict[str, Any]:
        """The result of the tool as a host hands it to its app."""
        shown = call_tool(self.environ, "show_research", **arguments)
        return {"content": [{"type": "text", "text": "text"}], "structuredContent": shown}


@dataclass
class FramedApp:
    """The app in its frame, and what was said."""

    page: Page
    frame: Frame
    requests: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def heard(self, method: str) -> list[Any]:
        """The params of what the app said by this name."""
        messages = self.page.evaluate("heard")
        return [one["params"] for one in messages if one.get("method") == method]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    environ = make_environ(tmp_path_factory.mktemp("records"))
    return Records(environ, fill(environ))


def answer_hostile(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """What an enemy would have the server say."""
    if method != "resources/read":
        return {"result": {}}
    view = params["uri"].removeprefix("research://view/").partition("?")[0]
    return {"result": {"contents": [{"text": json.dumps(make_hostile(view))}]}}


def open_app(
    browser: Browser,
    result: dict[str, Any] | None,
    answer: Any = answer_hostile,
    can: dict[str, Any] = ALL,
    theme: str = "light",
    width: int = 800,
    **plan: Any,
) -> FramedApp:
    """A host with the app in it."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(15_000)
    page = context.new_page()
    app = FramedApp(page, page.main_frame)
    page.on("request", lambda request: app.requests.append(request.url))
    page.on("pageerror", lambda error: app.troubles.append(str(error)))
    page.on("dialog", lambda dialog: app.troubles.append(dialog.message))
    page.on("console", lambda said: note_error(app, said.type, said.text))
    html = HOST_PAGE.read_text("utf-8").replace('width="800"', f'width="{width - 20}"')
    page.route(HOST, lambda route: route.fulfill(body=html, content_type="text/html"))
    page.expose_function("answer", answer)
    page.goto(HOST)
    plan = {"result": result, "can": can, "context": {**INLINE, "theme": theme}, **plan}
    page.evaluate("([html, plan]) => setUp(html, plan)", [load_app(), plan])
    page.frame_locator("iframe").locator("#main").wait_for()
    app.frame = page.frames[-1]
    return app


def note_error(app: FramedApp, kind: str, text: str) -> None:
    if kind == "error":
        app.troubles.append(text)


def read_by(records: Records) -> Any:
    """A host that reads resources: what the session holds, without a server."""

    def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "tools/call":
            shown = call_tool(records.environ, params["name"], **params["arguments"])
            return {"result": {"content": [], "structuredContent": shown}}
        if method == "resources/read" and params["uri"].startswith("research://view/session?"):
            return {"error": {"code": -32002, "message": "There is no such session."}}
        return {"result": {}}

    return answer


def hostile_result(view: str) -> dict[str, Any]:
    """The result of the tool, if everything in it came from an enemy."""
    if view == "session":
        names = ("id", "goal", "summary", "status", "beganAt", "touchedAt")
        sources = make_hostile("sources")["sources"]
        numbers = dict.fromkeys(("quoted", "read", "found", "steps", "calls", "kept", "usd"), 1)
        data = {**dict.fromkeys(names, HOSTILE), **numbers, "sources": sources}
    else:
        data = make_hostile(view)
    shown = {"view": view, view: data, "resource": f"research://view/{view}?id=x&url=x"}
    return {"content": [{"type": "text", "text": HOSTILE}], "structuredContent": shown}


def test_a_session_is_shown_in_short_without_an_outside_request(
    browser: Browser, records: Records
) -> None:
    app = open_app(browser, records.show(sessionId=records.session), read_by(records))

    expect(app.frame.locator("h1")).to_have_text(GOAL)
    expect(app.frame.locator(".rows > li")).to_have_count(5)
    expect(app.frame.get_by_role("button", name="Show all")).to_be_visible()
    assert [url for url in app.requests if url != HOST] == []
    assert app.troubles == []
    assert [one["method"] for one in app.page.evaluate("heard")][:2] == [
        "ui/initialize",
        "ui/notifications/initialized",
    ]


def test_server_error_is_shown_with_an_action(browser: Browser, records: Records) -> None:
    app = open_app(browser, records.show(sessionId=records.session), read_by(records))
    app.frame.get_by_role("button", name="Show all").click()

    expect(app.frame.get_by_role("alert")).to_contain_text("There is no such session.")
    expect(app.frame.get_by_role("alert")).to_contain_text("webquarry ui")
    assert app.heard("ui/request-display-mode") == [{"mode": "fullscreen"}]


def test_without_resources_the_words_around_the_quotes_are_shown(
    browser: Browser, records: Records
) -> None:
    result = records.show(url=PAGE, sessionId=records.session)
    app = open_app(browser, result, can={}, follows=True)

    marks = app.frame.locator("mark")
    expect(marks.first).to_have_text("Tidal turbines stand still four times a day")
    expect(marks.first).to_be_in_viewport()
    assert app.frame.evaluate("document.activeElement === document.body")  # nobody asked for focus
    assert app.frame.locator("main a[href^=http]").count() == 0  # nothing opens links here
    assert app.heard("resources/read") == []


def test_links_to_the_web_are_opened_by_the_host(browser: Browser, records: Records) -> None:
    app = open_app(browser, records.show(sessionId=records.session), read_by(records))

    app.frame.get_by_role("link", name="live page").first.click()

    expect(app.frame.locator("h1")).to_have_text(GOAL)
    assert app.heard("ui/open-link") == [{"url": PAGE}]
    assert app.page.url == HOST


def test_messages_of_other_senders_are_ignored(browser: Browser, records: Records) -> None:
    app = open_app(browser, None)
    forged = json.dumps(
        {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": records.show()}
    )
    app.frame.evaluate(f"postMessage({forged}, '*')")
    app.page.evaluate("send({method: 'ui/notifications/tool-cancelled', params: {}})")

    expect(app.frame.locator("main")).to_contain_text("cancelled")


@pytest.mark.parametrize("view", ["session", "page", "bill"])
def test_hostile_text_stays_text_in_the_app(browser: Browser, view: str) -> None:
    app = open_app(browser, hostile_result(view))
    main = app.frame.locator("main")
    expect(main.get_by_text("<img src=x").filter(visible=True).first).to_be_visible()
    for place in ("Sources", "Sessions", "Bill"):
        app.frame.get_by_role("link", name=place, exact=True).click()
        expect(main.get_by_text("<img src=x").filter(visible=True).first).to_be_visible()

    assert main.locator("img, script").count() == 0
    assert app.frame.locator("[onclick], [onerror]").count() == 0
    addresses = main.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert [one for one in addresses if not one.startswith(("#", "https://a.org/"))] == []
    assert "\u202e" not in main.inner_text()
    assert app.troubles == []
    assert [url for url in app.requests if url != HOST] == []
    assert BAD_URLS[0] not in addresses


def test_text_cannot_become_markup_in_a_hosts_frame_either(browser: Browser) -> None:
    app = open_app(browser, None)
    attempt = "() => { try { document.body.innerHTML = '<b>x</b>'; return 'done' } catch (error) { return error.name } }"
    fetched = "fetch('http://evil.example/').then(() => 'done', error => error.name)"

    assert app.frame.evaluate(attempt) == "TypeError"
    assert app.frame.evaluate(fetched) == "TypeError"


@pytest.mark.parametrize(("theme", "width"), [("light", 800), ("dark", 390)])
@pytest.mark.parametrize("view", ["session", "page", "bill"])
def test_axe_finds_no_fault_in_the_app(
    browser: Browser, records: Records, axe: str, theme: str, width: int, view: str
) -> None:
    arguments = {"session": {"sessionId": records.session}, "page": {"url": PAGE}, "bill": {}}
    app = open_app(
        browser, records.show(**arguments[view]), can={"openLinks": {}}, theme=theme, width=width
    )
    expect(app.frame.locator("h1")).to_be_visible()
    app.frame.evaluate(axe + ";0")
    found = app.frame.evaluate("axe.run().then(result => result.violations)")

    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert app.frame.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fetch_axe(tmp_path_factory.mktemp("axe"))
