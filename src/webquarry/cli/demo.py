"""`webquarry demo`: search, read, cite and research on the recorded web in the package.

No keys, settings or files of the user and no network are used. The clock is that of the recording,
so that every run prints the same.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import click

from webquarry._search.models import Query
from webquarry.bridge import bridge
from webquarry.cli.output import Output, with_text_output
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
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
_EXCERPT_LINES = 8


@click.command()
@with_text_output
def demo(output: Output) -> None:
    """Search, read, cite and research on a recorded web: no keys, no internet."""
    bridge.run(run_demo(output))


async def run_demo(output: Output) -> None:
    """Print the whole demo."""
    with tempfile.TemporaryDirectory(prefix="webquarry-demo-") as folder:
        settings = Settings.from_environment(
            {"WEBQUARRY_REPLAY": "demo", "WEBQUARRY_STATE_FOLDER": folder}
        )
        async with Toolkit.open(settings, ENVIRON) as kit:
            output.print("A recorded web answers everything below: no keys, no internet.")
            best = await show_search(kit, output)
            await show_page_and_citation(kit, output, best)
            await show_japanese_page(kit, output)
            await show_captcha(kit, output)
            await show_research(kit, output)
    _heading(output, "Next")
    output.print("1. Search the live web, without a key or with one (such as BRAVE_API_KEY):", "  ")
    output.print("webquarry search tidal energy storage", "       ")
    output.print("2. See what works on this machine:", "  ")
    output.print("webquarry doctor", "       ")


async def show_search(kit: Toolkit, output: Output) -> str:
    """Search and list the results; return the URL of the first."""
    _heading(output, f"Search: {QUESTION}")
    results = await kit.router.search("brave", Query(QUESTION, 3))
    for number, result in enumerate(results, 1):
        output.print(f"{number}. {result.title}", "  ", "bold")
        output.print(f"{result.url}  {result.published or ''}", "     ", "cyan")
        output.print(result.snippet, "     ")
    return results[0].url


async def show_page_and_citation(kit: Toolkit, output: Output, best: str) -> None:
    """Read a result as Markdown, show its beginning, and cite it."""
    page = await _call(kit, "scrape_page", url=best)
    lines = page["content"].splitlines()
    _heading(
        output,
        f"Read: the first result as Markdown, its first {_EXCERPT_LINES} lines of {len(lines)}",
    )
    cited = page["citation"]["metadata"]
    output.print(f"By {cited['author']}, {cited['date']}", "  ", "dim")
    for line in lines[:_EXCERPT_LINES]:
        output.print(line, "  | ")
    output.print(f"The rest: WEBQUARRY_REPLAY=demo webquarry read {page['url']}", "  ", "dim")
    _heading(output, "Cite: what was read, and when")
    output.print(page["citation"]["formatted"]["apa"], "  ")
    output.print(f"Retrieved {page['citation']['accessedDate']}", "  ", "dim")


async def show_japanese_page(kit: Toolkit, output: Output) -> None:
    """Read a page that is not in UTF-8."""
    page = await kit.reader.read(JAPANESE_PAGE)
    _heading(output, f"Any encoding comes out as UTF-8: this page is in {page.encoding}")
    output.print(JAPANESE_PAGE, "  ", "cyan")
    _, _, body = page.markdown.partition("\n# ")
    lines = [line for line in f"# {body or page.markdown}".splitlines() if line.strip()]
    for line in lines[:2]:
        output.print(line, "  | ")


async def show_captcha(kit: Toolkit, output: Output) -> None:
    """Show that a captcha is an error with a kind and an action."""
    _heading(output, "A captcha is an error, never content")
    output.print(CAPTCHA_PAGE, "  ", "cyan")
    try:
        await kit.reader.read(CAPTCHA_PAGE)
    except WebquarryError as error:
        output.print(f"{error.kind}: {error.sentence}", "  ", "red")
        output.print(f"Try: {error.suggested_action}", "  ")
    else:
        output.print("It was read as a page, which is a bug.", "  ", "bold red")


async def show_research(kit: Toolkit, output: Output) -> None:
    """Show a session of two steps, its sources and its export."""
    _heading(output, "Research: steps that are kept, and the sources found on the way")
    step = {"searchStep": FIRST_STEP, "stepNumber": 1, "researchGoal": GOAL, "confidence": "low"}
    session_id = (await _call(kit, "sequential_search", **step))["sessionId"]
    output.print(f"Step 1: {FIRST_STEP}", "  ")
    found = await _call(kit, "web_search", query=QUESTION, num_results=3, sessionId=session_id)
    output.print(f"web_search   {len(found['urls'])} sources recorded", "    ", "cyan")
    for url in found["urls"][:2]:
        page = await _call(kit, "scrape_page", url=url, sessionId=session_id)
        output.print(f"scrape_page  {page['url']}", "    ", "cyan")
    step = {"searchStep": REVISION, "stepNumber": 2, "revisesStep": 1, "confidence": "high"}
    await _call(kit, "sequential_search", **step, nextStepNeeded=False, sessionId=session_id)
    output.print(f"Step 2, revises step 1: {REVISION}", "  ")
    _heading(output, "Export: the session as Markdown, with citations (webquarry session export)")
    export = await _call(kit, "research_export", sessionId=session_id)
    _, goal, rest = export["content"].partition("## Goal")
    for line in (goal + rest).splitlines():
        if line.strip():
            output.print(line, "  | ", "bold" if line.startswith("#") else "")


async def _call(kit: Toolkit, name: str, **arguments: Any) -> dict[str, Any]:
    return (await load("research", name).call(kit, arguments)).as_dict()


def _heading(output: Output, text: str) -> None:
    output.write("")
    output.print(text, style="bold green")
