"""Pictures of every view of the page, light and dark, wide and narrow, on the recorded web, and of
the app in the Inspector.

    python scripts/screenshots.py FOLDER

Needs Chromium (/usr/bin/chromium, or CHROMIUM) and Playwright, and npm for the Inspector, whose
packages are kept where INSPECTOR says.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.inspector import open_app, start_inspector

Theme = Literal["light", "dark"]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
PAGE = "https://tidelines.example/2026/09/storing-the-tide"
WIKI = "https://wiki.openwaters.example/wiki/Tidal_energy_storage"
QUOTES = [
    "Tidal turbines stand still four times a day",
    "That used to be the moment when the diesel came on",
    "a tank of lithium salts now keeps the lights on",
]


# The last are those of the README: docs/ui-*.png.
SIZES: tuple[tuple[Theme, int, int], ...] = (
    ("light", 1200, 800),
    ("dark", 1200, 800),
    ("dark", 390, 800),
    ("light", 900, 560),
)


def make_environ(folder: Path) -> dict[str, str]:
    """The recorded web, with its records in a folder."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_STATE_FOLDER": str(folder / "state"),
        "WEBQUARRY_CACHE_FOLDER": str(folder / "cache"),
        "BRAVE_API_KEY": "demo",
        "SEARCH_PROVIDER": "brave",
    }


def call_tool(environ: dict[str, str], tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool in a process of its own, as a client would call it; its answer, or its error."""
    command = [sys.executable, "-m", "webquarry", "call", tool, json.dumps(arguments), "--json"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60)
    answer: dict[str, Any] = json.loads(done.stdout or "{}")
    return answer


def fill(environ: dict[str, str]) -> str:
    """A session with steps, sources and quotes, and calls that fail; its id."""
    begun = call_tool(
        environ,
        "sequential_search",
        searchStep="Tidal power cannot be kept: a turbine stands still at slack water.",
        stepNumber=1,
        researchGoal="How is tidal power kept for slack water?",
    )
    id: str = begun["sessionId"]
    call_tool(environ, "web_search", query="tidal energy storage", sessionId=id)
    call_tool(environ, "scrape_page", url=PAGE, sessionId=id)
    call_tool(environ, "scrape_page", url="https://shop.chandlery.example/clearance", sessionId=id)
    call_tool(
        environ,
        "sequential_search",
        searchStep="It can: a battery on the quay carries the supply over slack water.",
        stepNumber=2,
        sessionId=id,
        isRevision=True,
        revisesStep=1,
        confidence="high",
    )
    call_tool(environ, "scrape_page", url=WIKI, sessionId=id)
    call_tool(environ, "check_quotes", quotes=QUOTES, sources=[PAGE, WIKI], sessionId=id)
    return id


@contextmanager
def serve_page(environ: dict[str, str]) -> Iterator[str]:
    """`webquarry ui` on a free port: its address."""
    command = [sys.executable, "-m", "webquarry", "ui", "--no-open"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        assert re.match(r"http://127\.0\.0\.1:\d+/", address), address
        try:
            yield address
        finally:
            process.terminate()


def list_views(id: str) -> dict[str, str]:
    """The fragment of each view, by the name of its picture."""
    return {
        "now": "#/now",
        "search": "#/search",
        "sources": f"#/sources?session={id}",
        "page": f"#/page?url={PAGE}&session={id}&read=1",
        "sessions": "#/sessions",
        "session": f"#/sessions?id={id}",
        "bill": "#/bill",
        "health": "#/health",
    }


def take_pictures(folder: Path) -> None:
    """Every view in both themes, and narrow in the dark one."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as records, sync_playwright() as playwright:
        environ = make_environ(Path(records))
        id = fill(environ)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with serve_page(environ) as address:
            for theme, width, height in SIZES:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme=theme,
                    reduced_motion="reduce",
                )
                page = context.new_page()
                page.goto(address)
                for name, fragment in list_views(id).items():
                    page.evaluate("hash => { location.hash = hash }", fragment)
                    page.wait_for_function("document.querySelector('main h1')")
                    page.wait_for_timeout(700)
                    if name == "search":
                        page.get_by_label("Search for").fill("tidal energy storage")
                        page.get_by_role("button", name="Search", exact=True).click()
                        page.get_by_text("5 results").first.wait_for()
                    if name == "page":
                        page.get_by_role("button", name=QUOTES[1]).click()
                    page.screenshot(path=folder / f"{name}-{theme}-{width}.png")
                context.close()
        take_app_pictures(folder, browser, environ, id)
        browser.close()


def take_app_pictures(folder: Path, browser: Browser, environ: dict[str, str], id: str) -> None:
    """What the Apps tab of the Inspector shows of a session, a page and the bill."""
    calls = {"session": {"sessionId": id}, "page": {"url": PAGE, "sessionId": id}, "bill": {}}
    themes: tuple[Theme, ...] = ("light", "dark")
    work = Path(os.environ.get("INSPECTOR", environ["HOME"]))
    with start_inspector(work, environ) as address:
        for theme in themes:
            context = browser.new_context(
                viewport={"width": 1400, "height": 900}, color_scheme=theme
            )
            for name, arguments in calls.items():
                page = context.new_page()
                app = open_app(page, address, arguments)
                app.locator("h1").wait_for()
                page.wait_for_timeout(700)
                page.screenshot(path=folder / f"app-{name}-{theme}.png")
                page.close()
            context.close()


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
