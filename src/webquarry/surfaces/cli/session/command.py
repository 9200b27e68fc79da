"""`webquarry session`: the research sessions of this machine: which there are, what they
hold, and their export.

An id may be cut short as long as it means one session. An export is Markdown, or JSON with
`--format json`, on stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.surfaces.terminal import AsJson, as_json, command_output, one_line, printable

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Research sessions on this machine: list them, look into one, export it with citations."
)

_GOAL_CHARACTERS = 80  # of a goal in the list

Id = Annotated[str, typer.Argument(help="The session's id, or its beginning.", metavar="ID")]


@app.command("list")
def list_(as_json: AsJson = None) -> None:
    """Show the sessions that there are, the one used last first."""
    with command_output(as_json) as output:
        from webquarry.errors import NotFound
        from webquarry.surfaces.bridge import bridge
        from webquarry.toolkit import Toolkit

        sessions: list[dict[str, Any]] = []

        async def summarize_sessions() -> None:
            async with Toolkit.open() as kit:
                for id, finished in await kit.sessions.list():
                    try:
                        session = await kit.sessions.read(id)
                    except NotFound:  # it has ended while we look
                        continue
                    summary = {
                        "sessionId": id,
                        "status": "finished" if finished else "in_progress",
                        "goal": session.goal or session.steps[0].text,
                        "totalSteps": len(session.steps),
                        "totalSources": len(session.sources),
                        "updatedAt": f"{session.touched_at:%Y-%m-%dT%H:%M:%SZ}",
                    }
                    sessions.append(summary)

        bridge.run(summarize_sessions())
        output.show({"sessions": sessions}, lambda console: _show_list(console, sessions))


@app.command()
def show(id: Id, as_json: AsJson = None) -> None:
    """Show a session: its goal, its steps and its sources."""
    with command_output(as_json) as output:
        from webquarry.surfaces.library import call_with

        arguments = {"sessionId": _complete_id(id)}
        session = call_with("get_research_session", arguments, "research", "fork").as_dict()
        output.show(session, lambda console: _show_session(console, session))


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
    with command_output(format == "json") as output:
        from webquarry.progress import listening
        from webquarry.surfaces.library import call_with

        arguments = {"sessionId": _complete_id(id), "format": format, "verify_links": verify_links}
        with ExitStack() as stack:
            if sys.stderr.isatty():
                stack.enter_context(listening(lambda text: typer.echo(one_line(text), err=True)))
            exported = call_with("research_export", arguments, "research", "fork").as_dict()
        if format == "json":
            output.write(as_json(exported))
        else:
            output.write(printable(exported["content"]).rstrip("\n"))


def _complete_id(id: str) -> str:
    """The id that a beginning means; one that means none is left as it is, for the tool to say
    so.
    """
    from webquarry.errors import BadInput
    from webquarry.surfaces.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def list_ids() -> list[str]:
        async with Toolkit.open() as kit:
            return [known for known, _ in await kit.sessions.list()]

    beginning = id.strip().lower()
    fitting = [known for known in bridge.run(list_ids()) if known.startswith(beginning)]
    if len(fitting) > 1:
        raise BadInput(
            f"{len(fitting)} sessions begin with {one_line(id)!r}.",
            suggested_action=f"Give more of the id: {', '.join(fitting[:3])}.",
        )
    if fitting:
        return fitting[0]
    return id


def _show_list(console: Console, sessions: Sequence[Mapping[str, Any]]) -> None:
    """One line a session, for a person."""
    from webquarry.search.replies.text import shorten_text

    if not sessions:
        console.print(
            "There is no research session. The tool sequential_search begins one.", soft_wrap=True
        )
    for session in sessions:
        counts = f"{session['totalSteps']} steps, {session['totalSources']} sources"
        status = session["status"].replace("_", " ")
        goal = shorten_text(one_line(session["goal"]), _GOAL_CHARACTERS)
        console.print(f"{session['sessionId']}  {counts}, {status}  {goal}", soft_wrap=True)


def _show_session(console: Console, session: Mapping[str, Any]) -> None:
    """Goal, steps, sources and errors of one session, for a person."""
    from rich.text import Text

    def line(text: str, style: str = "") -> None:
        console.print(Text(one_line(text), style), soft_wrap=True)

    summary = session["summary"]
    status = session["status"].replace("_", " ")
    line(summary.get("researchGoal") or "Research session", "bold")
    line(f"{session['sessionId']}, {status}, last used {summary['updatedAt']}", "dim")
    console.print()
    for step in session["stepIndex"]:
        text = f"{step['stepNumber']}. {step['text']}"
        if "supersededBy" in step:
            line(f"{text} (superseded by step {step['supersededBy']})", "dim")
        else:
            line(text)
    console.print()
    for source in session["sources"]:
        line(f"[{source['number']}] {source['title'] or source['url']}")
        console.print(Text(f"    {one_line(source['url'])}", "cyan"), soft_wrap=True)
    for error in session.get("errors", []):
        line(f"{error['kind']} came {error['count']} times. {error['advice']}", "red")
