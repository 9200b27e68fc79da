"""The page in a real browser, over the recorded web: what is shown, what stays text, and what it
never does. Calls are made by other processes, as clients make them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright
from scripts.painted.browser import find_chromium
from scripts.screenshots import call_tool, fill, list_views, make_environ, serve_page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed"),
]
AXE = "axe-core@4.14.0"
TITLES = {
    "now": "Now",
    "search": "Search and read",
    "sources": "Sources",
    "page": "Storing the tide: how a battery fills the gap at slack water | Tidelines",
    "sessions": "Sessions",
    "session": "How is tidal power kept for slack water?",
    "bill": "Bill",
    "health": "Health",
}


@dataclass
class Stage:
    """A browser before the page of a server with one session."""

    browser: Browser
    address: str
    environ: dict[str, str]
    session: str
    requests: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def open(self, fragment: str = "", **options: Any) -> Page:
        """A new window with the page; what it asks for and complains of is noted."""
        context = self.browser.new_context(reduced_motion="reduce", **options)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda said: self._note(said.type, said.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog {dialog.message}"))
        page.goto(self.address)
        expect(page.locator("#state")).to_have_text("live")
        if fragment:
            page.evaluate("hash => { location.hash = hash }", fragment)
        return page

    def _note(self, kind: str, text: str) -> None:
        if kind == "error":
            self.troubles.append(text)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    environ = make_environ(tmp_path_factory.mktemp("records"))
    session = fill(environ)
    chromium = find_chromium()
    with serve_page(environ) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield Stage(browser, address, environ, session)
        browser.close()


@pytest.fixture
def stage(served: Stage) -> Iterator[Stage]:
    served.requests.clear()
    served.troubles.clear()
    yield served
    for context in served.browser.contexts:
        context.close()


def test_every_view_is_shown_without_an_error_or_an_outside_request(stage: Stage) -> None:
    page = stage.open()
    for name, fragment in list_views(stage.session).items():
        page.evaluate("hash => { location.hash = hash }", fragment)
        expect(page.locator("h1")).to_have_text(TITLES[name])
        expect(page.locator("main [role=alert]")).to_have_count(0)
    own = stage.address.partition("/ui")[0]

    assert [url for url in stage.requests if not url.startswith((own, "data:"))] == []
    assert stage.troubles == []


def test_the_token_leaves_the_address_and_is_sent_as_a_header_alone(stage: Stage) -> None:
    page = stage.open()
    token = stage.address.partition("#t=")[2]

    assert token not in page.url
    assert [url for url in stage.requests if token in url.partition("#")[0]] == []
    assert page.context.cookies() == []
    page.reload()
    expect(page.locator("#state")).to_have_text("live")


def test_a_call_made_in_another_process_appears(stage: Stage) -> None:
    page = stage.open("#/now")

    call_tool(stage.environ, "web_search", query="flow battery")

    row = page.locator("#calls li").filter(has_text="flow battery").first
    expect(row).to_contain_text("web_search")
    row.locator("summary").click()
    expect(row.get_by_text("Who was asked")).to_be_visible()
    expect(row).to_contain_text("brave")


def test_every_quote_opens_marked_at_its_words(stage: Stage) -> None:
    page = stage.open(f"#/sources?session={stage.session}")
    links = page.get_by_role("link", name="see it in the text")
    expect(links.first).to_be_visible()
    targets = [link.get_attribute("href") for link in links.all()]
    found = []
    for target in targets:
        page.evaluate("hash => { location.hash = hash }", target)
        marked = page.locator("mark.on").first
        expect(marked).to_be_in_viewport()
        expect(marked).to_be_focused()
        found.append("".join(page.locator("mark.on").all_inner_texts()))
        page.evaluate("location.hash = '#/sessions'")
        expect(page.locator("h1")).to_have_text("Sessions")

    assert sorted(found) == sorted(
        [
            "Tidal turbines stand still four times a day",
            "That used to be the moment when the diesel came on",
            "a tank of vanadium salts now keeps the lights on",
        ]
    )


def test_a_deletion_can_be_undone(stage: Stage) -> None:
    page = stage.open(f"#/sessions?id={stage.session}")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("is deleted for good in a few seconds")).to_be_visible()
    expect(page.get_by_role("link", name=TITLES["session"])).to_have_count(0)

    page.get_by_role("button", name="Undo").click()

    expect(page.get_by_role("link", name=TITLES["session"])).to_be_visible()


def test_page_without_a_token_shows_an_action(stage: Stage) -> None:
    page = stage.browser.new_page()
    page.goto(stage.address.partition("#")[0])

    expect(page.get_by_role("alert")).to_contain_text("webquarry ui")
    page.get_by_label("Token").fill(stage.address.partition("#t=")[2])
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("live")


def test_the_keyboard_alone_reaches_everything(stage: Stage) -> None:
    page = stage.open()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    for title in ("Now", "Search and read", "Sources", "Page", "Sessions", "Bill", "Health"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name=title, exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Sessions")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(TITLES["session"])


HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>${alert(3)} \u202e]]>'
BAD_URLS = [
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    'https://a.org/"onclick=alert(1)',
]


def make_hostile(view: str) -> dict[str, Any]:
    """What a view would get if everything in it came from an enemy."""
    sources = [
        {"url": url, "title": HOSTILE, "host": HOSTILE, "type": HOSTILE, "stage": "quoted", "reputation": HOSTILE,
         "basis": HOSTILE, "published": HOSTILE, "tools": [HOSTILE], "steps": [1], "number": 1, "citation": HOSTILE,
         "textHash": HOSTILE, "quotes": [{"quote": HOSTILE, "tier": HOSTILE, "found": True, "url": url, "id": HOSTILE}]}
        for url in BAD_URLS
    ]  # fmt: skip
    step = {
        "stepNumber": 1,
        "text": HOSTILE,
        "at": HOSTILE,
        "reasoning": HOSTILE,
        "branchId": HOSTILE,
        "sources": [1],
    }
    line = {"name": HOSTILE, "calls": 2, "kept": 1, "failed": 0, "usd": 1.5}
    health = {
        "name": HOSTILE,
        "label": HOSTILE,
        "state": HOSTILE,
        "detail": HOSTILE,
        "cure": HOSTILE,
    }
    answers: dict[str, dict[str, Any]] = {
        "calls": {"enabled": True, "calls": [{"id": 1, "tool": HOSTILE, "arguments": {"query": HOSTILE}, "at": 1.0, "outcome": HOSTILE,
                  "seconds": 1, "receipt": HOSTILE, "message": HOSTILE, "session": HOSTILE, "sources": sources,
                  "providers": {"attempts": [{"provider": HOSTILE, "outcome": HOSTILE, "reason": HOSTILE}]}}]},
        "sources": {"sources": sources},
        "page": {"url": BAD_URLS[0], "title": HOSTILE, "kept": True, "host": "", "readAt": HOSTILE, "textHash": HOSTILE, "characters": 5,
                 "quotes": [{"id": "q", "quote": HOSTILE, "tier": HOSTILE, "spans": [[0, 5]], "state": "here", "reason": HOSTILE, "matched": []}],
                 "pieces": [{"text": HOSTILE, "marks": [0]}, {"text": HOSTILE, "level": 1}]},
        "sessions": {"sessions": [{"id": HOSTILE, "goal": HOSTILE, "status": HOSTILE, "steps": 1, "found": 1, "read": 1, "quoted": 1}]},
        "session": {"id": "x", "goal": HOSTILE, "status": HOSTILE, "summary": HOSTILE, "beganAt": HOSTILE, "steps": [step], "sources": sources,
                    "errors": [{"kind": HOSTILE, "count": 1, "tools": [HOSTILE], "advice": HOSTILE}],
                    "unplaced": [{"quote": HOSTILE, "tier": HOSTILE, "reason": HOSTILE}], "calls": 1, "kept": 0, "usd": 0},
        "bill": {"limits": {}, "total": line, "days": [line, line], "tool": [line], "provider": [line], "model": [line]},
        "health": {"ok": False, "version": HOSTILE, "advice": HOSTILE, "parts": [health], "providers": [health]},
    }  # fmt: skip
    return answers[view]


@pytest.mark.parametrize(
    "view", ["now", "sources", "page", "sessions", "session", "bill", "health"]
)
def test_hostile_text_stays_text(stage: Stage, view: str) -> None:
    def answer(route: Route) -> None:
        name = route.request.url.partition("view=")[2].partition("&")[0]
        route.fulfill(json=make_hostile(name))

    context = stage.browser.new_context()
    page = context.new_page()
    page.on("dialog", lambda dialog: stage.troubles.append(dialog.message))
    page.on("pageerror", lambda error: stage.troubles.append(str(error)))
    page.route("**/ui/data*", answer)
    page.goto(stage.address)
    fragment = {"session": "#/sessions?id=x", "page": "#/page?url=x&quote=q"}.get(view, f"#/{view}")
    page.evaluate("hash => { location.hash = hash }", fragment)

    expect(
        page.locator("main").get_by_text("<img src=x").filter(visible=True).first
    ).to_be_visible()
    # in one step, because the list is rendered again while it is polled
    page.locator("#calls summary").evaluate_all("calls => calls.forEach(call => call.click())")
    assert page.locator("main img, main script").count() == 0
    assert page.locator("[onclick], [onerror]").count() == 0
    addresses = page.locator("main a").evaluate_all(
        "links => links.map(link => link.getAttribute('href'))"
    )
    assert [one for one in addresses if not one.startswith(("#", "https://a.org/", "blob:"))] == []
    assert "\u202e" not in page.locator("main").inner_text()
    assert stage.troubles == []


def test_text_cannot_become_markup_even_if_the_page_tried(stage: Stage) -> None:
    page = stage.open()
    attempt = "() => { try { document.body.innerHTML = '<b>x</b>'; return 'done' } catch (error) { return error.name } }"

    assert page.evaluate(attempt) == "TypeError"


def test_a_page_of_another_site_can_neither_frame_nor_read_it(stage: Stage) -> None:
    own, _, token = stage.address.partition("#t=")
    page = stage.browser.new_page()
    page.route(
        "http://evil.example/",
        lambda route: route.fulfill(
            body=f"<iframe src='{own}'></iframe>", content_type="text/html"
        ),
    )
    page.goto("http://evil.example/")
    read = """async ([url, token]) => {
      try { await fetch(url, {headers: {Authorization: 'Bearer ' + token}}); return 'read' } catch (error) { return error.name }
    }"""

    assert page.evaluate(read, [f"{own}/data?view=calls", token]) == "TypeError"
    (frame,) = page.frames[1:]
    assert frame.locator("nav").count() == 0


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    return fetch_axe(tmp_path_factory.mktemp("axe"))


def fetch_axe(folder: Path) -> str:
    """The script of axe-core, from npm or where AXE names it."""
    given = os.environ.get("AXE")
    if given:
        return Path(given).read_text("utf-8")
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    subprocess.run(["npm", "pack", AXE, "--silent"], cwd=folder, check=True, timeout=120)
    (archive,) = folder.glob("*.tgz")
    shutil.unpack_archive(archive, folder, filter="data")
    return (folder / "package" / "axe.min.js").read_text("utf-8")


@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 390)])
def test_axe_finds_no_fault_in_any_view(stage: Stage, axe: str, theme: Any, width: int) -> None:
    page = stage.open(viewport={"width": width, "height": 800}, color_scheme=theme)
    faults = []
    for name, fragment in list_views(stage.session).items():
        page.evaluate("hash => { location.hash = hash }", fragment)
        expect(page.locator("h1")).to_have_text(TITLES[name])
        if name == "now":
            page.locator("#calls summary").first.click()
        page.evaluate(axe + ";0")
        found = page.evaluate("axe.run().then(result => result.violations)")
        faults += [(name, one["id"], one["nodes"][0]["html"][:200]) for one in found]
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name} is wider than the screen"

    assert faults == []


def test_the_report_is_read_without_scripts(stage: Stage, tmp_path: Path) -> None:
    answer = call_tool(stage.environ, "research_export", sessionId=stage.session, format="html")
    file = tmp_path / "report.html"
    file.write_text(answer["content"], "utf-8")
    context = stage.browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.on("request", lambda request: stage.requests.append(request.url))
    page.goto(file.as_uri())

    expect(page.locator("mark").first).to_have_text("Tidal turbines stand still four times a day")
    assert stage.requests == [file.as_uri()]
    data = json.loads(page.locator("script[type='application/ld+json']").text_content() or "")
    assert data["@type"] == "Report"
    assert len(data["hasPart"]) == 3
