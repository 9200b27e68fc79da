"""`webquarry demo`: search, read and cite on the recorded web that ships with the package, then a
short research session.

Nothing of the user's is looked at: no keys, no settings, no files, no network. The engine is the
real one; only its transport answers from the recording, and its clock stands at the time of it. So
every run prints the same. The session is recorded in a folder that is gone at the end.
"""

from __future__ import annotations

import os
import tempfile
import textwrap
from typing import Any

from rich.console import Console
from rich.text import Text

from webquarry.errors import WebquarryError
from webquarry.evidence.citation import CitedPage, cite
from webquarry.search.models import Query, Result
from webquarry.settings import Settings
from webquarry.surfaces.cli.terminal import one_line, printable
from webquarry.tool import load
from webquarry.toolkit import Toolkit

QUESTION = "tidal energy storage"
JAPANESE_PAGE = "https://umi-denki.example/kaisetsu/choryu.html"
CAPTCHA_PAGE = "https://shop.chandlery.example/clearance"

GOAL = "How is tidal power kept for slack water?"
FIRST_STEP = "Tidal power cannot be kept: a turbine stands still at slack water."
REVISION = "It can: batteries on the quay carry the supply over slack water, as two sources say."

# The recording holds no keys and asks for none, but a provider without one would not ask. No folder
# of keys is looked into.
ENVIRON = {"BRAVE_API_KEY": "demo", "HOME": os.devnull}
_WIDTH = 96
_EXCERPT_LINES = 12


async def tell(console: Console) -> None:
    """The whole demo, step by step."""
    story = _Story(console)
    with tempfile.TemporaryDirectory(prefix="webquarry-demo-") as folder:
        settings = Settings.from_environment(
            {"WEBQUARRY_REPLAY": "demo", "WEBQUARRY_STATE_FOLDER": folder}
        )
        async with Toolkit.open(settings, ENVIRON) as kit:
            story.line("A recorded web answers everything below: no keys, no internet.", "dim")
            best = await _search(kit, story)
            await _read_and_cite(kit, story, best)
            await _read_japanese(kit, story)
            await _meet_captcha(kit, story)
            await _research(kit, story)
    story.heading("Next")
    story.line(
        "  1. Set a key to search the live web: export BRAVE_API_KEY=...  "
        "(https://brave.com/search/api/)"
    )
    story.line("  2. See what works on this machine:    webquarry doctor")


async def _search(kit: Toolkit, story: _Story) -> Result:
    story.heading(f"Search: {QUESTION}")
    results = await kit.router.search("brave", Query(QUESTION, 3))
    for number, result in enumerate(results, 1):
        story.line(f"  {number}. {one_line(result.title)}", "bold")
        story.line(
            f"     {one_line(result.url)}" + (f"  {result.published}" if result.published else ""),
            "cyan",
        )
        story.paragraph(result.snippet, "     ")
    return results[0]


async def _read_and_cite(kit: Toolkit, story: _Story, best: Result) -> None:
    page = await kit.reader.read(best.url)
    lines, start = page.markdown.splitlines(), _first_heading(page.markdown)
    story.heading(
        f"Read: the first result as Markdown, from its heading on (line {start + 1} of "
        f"{len(lines)})"
    )
    for line in lines[start : start + _EXCERPT_LINES]:
        story.paragraph(line, "  | ")
    story.line(f"  The rest: WEBQUARRY_REPLAY=demo webquarry read {page.url} --text", "dim")
    story.heading("Cite: what was read, and when")
    story.paragraph(cite(CitedPage(page.title, page.url, page.fetched_at, best.published)), "  ")


async def _read_japanese(kit: Toolkit, story: _Story) -> None:
    page = await kit.reader.read(JAPANESE_PAGE)
    story.heading(f"Any encoding comes out as UTF-8: this page is in {page.encoding}")
    story.line(f"  {JAPANESE_PAGE}", "cyan")
    lines = page.markdown.splitlines()[_first_heading(page.markdown) :]
    for line in [line for line in lines if line.strip()][:2]:
        story.paragraph(line, "  | ")


def _first_heading(markdown: str) -> int:
    """The number of the first heading's line, from 0; above it stand menus and banners."""
    return next(
        (number for number, line in enumerate(markdown.splitlines()) if line.startswith("# ")), 0
    )


async def _meet_captcha(kit: Toolkit, story: _Story) -> None:
    """A wall is an error with a kind and an action. Were it ever read as a page, the demo should
    say so.
    """
    story.heading("A captcha is an error, never content")
    story.line(f"  {CAPTCHA_PAGE}", "cyan")
    try:
        await kit.reader.read(CAPTCHA_PAGE)
    except WebquarryError as error:
        story.line(f"  {error.kind}: {one_line(error.message)}", "red")
        story.line(f"  Try: {one_line(error.suggested_action)}")
    else:
        story.line("  It was read as a page, which is a bug.", "bold red")


async def _research(kit: Toolkit, story: _Story) -> None:
    """A session of two steps, of which the second revises the first; what the tools find is
    recorded on the way.
    """
    story.heading("Research: steps that are kept, and the sources found on the way")
    first = await _call(
        kit,
        "sequential_search",
        searchStep=FIRST_STEP,
        stepNumber=1,
        researchGoal=GOAL,
        confidence="low",
    )
    id = first["sessionId"]
    story.paragraph(f"Step 1: {FIRST_STEP}", "  ")
    found = await _call(kit, "web_search", query=QUESTION, num_results=3, sessionId=id)
    story.line(f"    web_search   {len(found['urls'])} sources recorded", "cyan")
    for url in found["urls"][:2]:
        page = await _call(kit, "scrape_page", url=url, sessionId=id)
        story.line(f"    scrape_page  {one_line(page['url'])}", "cyan")
    await _call(
        kit,
        "sequential_search",
        searchStep=REVISION,
        stepNumber=2,
        revisesStep=1,
        confidence="high",
        nextStepNeeded=False,
        sessionId=id,
    )
    story.paragraph(f"Step 2, revises step 1: {REVISION}", "  ")
    story.heading("Export: the session as Markdown, with citations (webquarry session export)")
    export = await _call(kit, "research_export", sessionId=id)
    shown = export["content"].partition("## Goal")
    for line in "".join(shown[1:]).splitlines():
        if line.strip():
            story.paragraph(line, "  | ", "bold" if line.startswith("#") else "")


async def _call(kit: Toolkit, name: str, **arguments: Any) -> dict[str, Any]:
    return (await load("research", name).call(kit, arguments)).as_dict()


class _Story:
    """Prints the demo. Lines are broken here and not by the console, so that they do not depend on
    its width.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def heading(self, text: str) -> None:
        self.line("")
        self.line(text, "bold green")

    def line(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)

    def paragraph(self, text: str, indent: str, style: str = "") -> None:
        """A line of text, broken between words where it is long; an address stays whole."""
        width = _WIDTH - len(indent)
        parts = textwrap.wrap(
            printable(text), width, break_long_words=False, break_on_hyphens=False
        )
        for part in parts or [""]:
            self.line((indent + part).rstrip(), style)
