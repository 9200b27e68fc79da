"""Door: `webquarry session`, the research sessions of this machine: which there are, what they
hold, and their export.

An id may be cut short as long as it means one session. An export is Markdown, or JSON with
`--format json`, on stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.surfaces.cli.terminal import AsJson, answering, as_json, one_line, printable

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Research sessions on this machine: list them, look into one, export it with citations."
)

Id = Annotated[str, typer.Argument(help="The session's id, or its beginning.", metavar="ID")]


@app.command("list")
def list_(as_json: AsJson = None) -> None:
    """Show the sessions that there are, the one used last first."""
    with answering(as_json) as output:
        from webquarry.surfaces.bridge import bridge

        found = bridge.run(_sessions())
        output.show({"sessions": found}, lambda console: _show_list(console, found))


@app.command()
def show(id: Id, as_json: AsJson = None) -> None:
    """Show a session: its goal, its steps and its sources."""
    with answering(as_json) as output:
        from webquarry.surfaces.library import call_with

        found = call_with("get_research_session", {"sessionId": _whole(id)}, "research").as_dict()
        output.show(found, lambda console: _show_one(console, found))


@app.command()
def export(
    id: Id,
    format: Annotated[
        Literal["markdown", "json"], typer.Option(help="What is written to stdout.")
    ] = "markdown",
    verify_links: Annotated[
        bool, typer.Option("--verify-links", help="Ask whether each source is still there.")
    ] = False,
) -> None:
    """Write a whole session to stdout: steps, numbered sources with APA citations, errors."""
    with answering(format == "json") as output:
        from webquarry.progress import listening
        from webquarry.surfaces.library import call_with

        arguments = {"sessionId": _whole(id), "format": format, "verify_links": verify_links}
        with listening(_tell) if sys.stderr.isatty() else nullcontext():
            found = call_with("research_export", arguments, "research").as_dict()
        if format == "json":
            text = as_json(found)
        else:
            text = printable(found["content"]).rstrip("\n")
        output.write(text)


def _tell(message: str) -> None:
    typer.echo(one_line(message), err=True)


def _whole(id: str) -> str:
    """The id that a beginning means; one that means none is left as it is, for the tool to say so."""
    from webquarry.errors import BadInput
    from webquarry.surfaces.bridge import bridge

    given = id.strip().lower()
    meant = [one for one in bridge.run(_ids()) if one.startswith(given)]
    if len(meant) > 1:
        raise BadInput(
            f"{len(meant)} sessions begin with {one_line(id)!r}.",
            suggested_action=f"Give more of the id: {', '.join(meant[:3])}.",
        )
    if meant:
        return meant[0]
    return id


async def _ids() -> list[str]:
    from webquarry.toolkit import Toolkit

    async with Toolkit.open() as kit:
        return [id for id, _ in await kit.sessions.list()]


async def _sessions() -> list[dict[str, Any]]:
    """Every session in short. One that ends while we look is left out."""
    from webquarry.errors import NotFound
    from webquarry.toolkit import Toolkit

    found = []
    async with Toolkit.open() as kit:
        for id, finished in await kit.sessions.list():
            try:
                session = await kit.sessions.read(id)
            except NotFound:
                continue
            found.append(
                {
                    "sessionId": id,
                    "status": "finished" if finished else "in_progress",
                    "goal": session.goal or session.steps[0].text,
                    "totalSteps": len(session.steps),
                    "totalSources": len(session.sources),
                    "updatedAt": f"{session.touched_at:%Y-%m-%dT%H:%M:%SZ}",
                }
            )
    return found


def _show_list(console: Console, sessions: Sequence[Mapping[str, Any]]) -> None:
    if not sessions:
        console.print(
            "There is no research session. The tool sequential_search begins one.", soft_wrap=True
        )
    for one in sessions:
        counts = f"{one['totalSteps']} steps, {one['totalSources']} sources, {one['status'].replace('_', ' ')}"
        console.print(f"{one['sessionId']}  {counts}  {_short(one['goal'])}", soft_wrap=True)


def _show_one(console: Console, found: Mapping[str, Any]) -> None:
    from rich.text import Text

    def line(text: str, style: str = "") -> None:
        console.print(Text(one_line(text), style), soft_wrap=True)

    about = found["summary"]
    line(about.get("researchGoal") or "Research session", "bold")
    line(
        f"{found['sessionId']}, {found['status'].replace('_', ' ')}, last used "
        f"{about['updatedAt']}",
        "dim",
    )
    console.print()
    for step in found["stepIndex"]:
        superseded = ""
        if "supersededBy" in step:
            superseded = f" (superseded by step {step['supersededBy']})"
        line(f"{step['stepNumber']}. {step['text']}{superseded}", "dim" if superseded else "")
    console.print()
    for source in found["sources"]:
        line(f"[{source['number']}] {source['title'] or source['url']}")
        console.print(Text(f"    {one_line(source['url'])}", "cyan"), soft_wrap=True)
    for error in found.get("errors", []):
        line(f"{error['kind']} came {error['count']} times. {error['advice']}", "red")


def _short(text: str) -> str:
    from webquarry.search.replies.text import shorten_text

    return shorten_text(one_line(text), 80)
