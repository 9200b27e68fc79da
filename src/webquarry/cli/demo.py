"""`webquarry demo`: search, read, cite and research on the recorded web in the package.

No keys, settings or files of the user and no network are used. The clock is that of the recording,
so that every run prints the same.
"""

from __future__ import annotations

import os
import tempfile
import textwrap
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from webquarry._search.models import Query
from webquarry.bridge import bridge
from webquarry.cli.output import Output, with_text_output
from webquarry.cli.render import print_hanging, write_date
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
from webquarry.terminal import one_line, printable
from webquarry.toolkit import Toolkit
from webquarry.tools import load

QUESTION = "tidal energy storage"
JAPANESE_PAGE = "https://umi-denki.example/kaisetsu/choryu.html"
CAPTCHA_PAGE = "https://shop.chandlery.example/clearance"

GOAL = "How is tidal power kept for slack water?"
FIRST_STEP = "Tidal power cannot be kept: a turbine stands still at slack water."
REVISION = "It can: batteries on the quay carry the supply over slack water, as two sources say."

# A provider without a key would not be asked. HOME keeps the user's keys out.
ENVIRON = {"BRAVE_API_KEY": "demo", "HOME": os.devnull}
_WIDTH = 96
_EXCERPT_LINES = 8


@click.command()
@with_text_output
def demo(output: Output) -> None:
    """Search, read, cite and research on a recorded web: no keys, no internet."""
    bridge.run(run_demo(output.console))


async def run_demo(console: Console) -> None:
    """Print the whole demo."""
    printer = Printer(console)
    with tempfile.TemporaryDirectory(prefix="webquarry-demo-") as folder:
        settings = Settings.from_environment(
            {"WEBQUARRY_REPLAY": "demo", "WEBQUARRY_STATE_FOLDER": folder}
        )
        async with Toolkit.open(settings, ENVIRON) as kit:
            printer.line("A recorded web answers everything below: no keys, no internet.", "dim")
            best = await show_search(kit, printer)
            await show_page_and_citation(kit, printer, best)
            await show_japanese_page(kit, printer)
            await show_captcha(kit, printer)
            await show_research(kit, printer)
    printer.heading("Next")
    printer.line("  1. Search the live web, without a key or with one (such as BRAVE_API_KEY):")
    printer.line("       webquarry search tidal energy storage")
    printer.line("  2. See what works on this machine:")
    printer.line("       webquarry doctor")


async def show_search(kit: Toolkit, printer: Printer) -> str:
    """Search and list the results; return the URL of the first."""
    printer.heading(f"Search: {QUESTION}")
    results = await kit.router.search("brave", Query(QUESTION, 3))
    for number, result in enumerate(results, 1):
        printer.line(f"  {number}. {one_line(result.title)}", "bold")
        address = f"     {one_line(result.url)}"
        if result.published:
            address += f"  {write_date(result.published)}"
        printer.line(address, "cyan")
        printer.paragraph(result.snippet, "     ")
    return results[0].url


async def show_page_and_citation(kit: Toolkit, printer: Printer, best: str) -> None:
    """Read a result as Markdown, show its beginning, and cite it."""
    page = await _call(kit, "scrape_page", url=best)
    lines = page["content"].splitlines()
    printer.heading(
        f"Read: the first result as Markdown, its first {_EXCERPT_LINES} lines of {len(lines)}"
    )
    cited = page["citation"]["metadata"]
    printer.line(f"  By {one_line(cited['author'])}, {write_date(cited['date'])}", "dim")
    for line in lines[:_EXCERPT_LINES]:
        printer.paragraph(line, "  | ")
    printer.line(f"  The rest: WEBQUARRY_REPLAY=demo webquarry read {page['url']}", "dim")
    printer.heading("Cite: what was read, and when")
    printer.paragraph(page["citation"]["formatted"]["apa"], "  ")
    printer.line(f"  Retrieved {write_date(page['citation']['accessedDate'])}", "dim")


async def show_japanese_page(kit: Toolkit, printer: Printer) -> None:
    """Read a page that is not in UTF-8."""
    page = await kit.reader.read(JAPANESE_PAGE)
    printer.heading(f"Any encoding comes out as UTF-8: this page is in {page.encoding}")
    printer.line(f"  {JAPANESE_PAGE}", "cyan")
    _, _, body = page.markdown.partition("\n# ")
    lines = [line for line in f"# {body or page.markdown}".splitlines() if line.strip()]
    for line in lines[:2]:
        printer.paragraph(line, "  | ")


async def show_captcha(kit: Toolkit, printer: Printer) -> None:
    """Show that a captcha is an error with a kind and an action."""
    printer.heading("A captcha is an error, never content")
    printer.line(f"  {CAPTCHA_PAGE}", "cyan")
    try:
        await kit.reader.read(CAPTCHA_PAGE)
    except WebquarryError as error:
        printer.line(f"  {error.kind}: {one_line(error.sentence)}", "red")
        printer.line(f"  Try: {one_line(error.suggested_action)}")
    else:
        printer.line("  It was read as a page, which is a bug.", "bold red")


async def show_research(kit: Toolkit, printer: Printer) -> None:
    """Show a session of two steps, its sources and its export."""
    printer.heading("Research: steps that are kept, and the sources found on the way")
    step = {"searchStep": FIRST_STEP, "stepNumber": 1, "researchGoal": GOAL, "confidence": "low"}
    session_id = (await _call(kit, "sequential_search", **step))["sessionId"]
    printer.paragraph(f"Step 1: {FIRST_STEP}", "  ")
    found = await _call(kit, "web_search", query=QUESTION, num_results=3, sessionId=session_id)
    printer.line(f"    web_search   {len(found['urls'])} sources recorded", "cyan")
    for url in found["urls"][:2]:
        page = await _call(kit, "scrape_page", url=url, sessionId=session_id)
        printer.line(f"    scrape_page  {one_line(page['url'])}", "cyan")
    step = {"searchStep": REVISION, "stepNumber": 2, "revisesStep": 1, "confidence": "high"}
    await _call(kit, "sequential_search", **step, nextStepNeeded=False, sessionId=session_id)
    printer.paragraph(f"Step 2, revises step 1: {REVISION}", "  ")
    printer.heading("Export: the session as Markdown, with citations (webquarry session export)")
    export = await _call(kit, "research_export", sessionId=session_id)
    _, goal, rest = export["content"].partition("## Goal")
    for line in (goal + rest).splitlines():
        if line.strip():
            printer.paragraph(line, "  | ", "bold" if line.startswith("#") else "")


async def _call(kit: Toolkit, name: str, **arguments: Any) -> dict[str, Any]:
    return (await load("research", name).call(kit, arguments)).as_dict()


class Printer:
    """Prints lines of a fixed width, or narrower on a narrow terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(_WIDTH, console.width) if console.is_terminal else _WIDTH

    def heading(self, text: str) -> None:
        self.line("")
        self.line(text, "bold green")

    def line(self, text: str, style: str = "") -> None:
        indent = len(text) - len(text.lstrip()) + 2
        print_hanging(self._console, "", Text(text, style), indent)

    def paragraph(self, text: str, indent: str, style: str = "") -> None:
        """Print wrapped text; URLs are not broken."""
        width = self._width - len(indent)
        parts = textwrap.wrap(
            printable(text), width, break_long_words=False, break_on_hyphens=False
        )
        for part in parts or [""]:
            self.line((indent + part).rstrip(), style)
