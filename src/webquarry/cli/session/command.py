"""`webquarry session`: the research sessions of this machine: which there are, what they
hold, their export, and by `changes.py` what is added to them.

An id may be cut short as long as it means one session. An export is Markdown, or JSON with
`--format json`, or a report that a browser opens with `--format html`, on stdout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.cli.session.changes import delete, new, note, step
from webquarry.cli.session.ids import Id, count_parts, find_session_id
from webquarry.surfaces.terminal import (
    AsJson,
    Pager,
    as_json,
    command_output,
    one_line,
    printable,
)

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    help="Research sessions on this machine: begin one, add to it, look into it, export it with "
    "citations."
)

_GOAL_CHARACTERS = 80  # of a goal in the list


@app.command("list")
def list_(as_json: AsJson = None) -> None:
    """Show the sessions that there are, the one used last first, and when each ends unless it is
    used again.
    """
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
                        "endsAt": f"{kit.sessions.ends_at(session):%Y-%m-%dT%H:%M:%SZ}",
                    }
                    sessions.append(summary)

        bridge.run(summarize_sessions())
        output.show({"sessions": sessions}, lambda console: _show_list(console, sessions))


@app.command()
def show(id: Id, pager: Pager = True, as_json: AsJson = None) -> None:
    """Show a session: its goal, its steps and its sources."""
    with command_output(as_json) as output:
        from webquarry.surfaces.library import call_with

        arguments = {"sessionId": find_session_id(id)}
        session = call_with("get_research_session", arguments, "research", "fork").as_dict()
        output.show(session, lambda console: _show_session(console, session), pager=pager)


@app.command()
def export(
    id: Id,
    format: Annotated[
        Literal["markdown", "json", "html"], typer.Option(help="What is written to stdout.")
    ] = "markdown",
    verify_links: Annotated[
        bool, typer.Option("--verify-links", help="Ask whether each source is still there.")
    ] = False,
    include_found: Annotated[
        bool, typer.Option("--include-found", help="Also cite what was found and not read.")
    ] = False,
) -> None:
    """Write a whole session to stdout: steps, numbered sources with APA citations, errors."""
    with command_output(format == "json") as output:
        from webquarry.surfaces.library import call_with

        arguments = {
            "sessionId": find_session_id(id),
            "format": format,
            "verify_links": verify_links,
            "include_found": include_found,
        }
        with output.show_progress("writing the session"):
            exported = call_with("research_export", arguments, "research", "fork").as_dict()
        if format == "json":
            output.write(as_json(exported))
        else:
            output.write(printable(exported["content"]).rstrip("\n"))


for command in (new, step, note, delete):
    app.command()(command)


def _show_list(console: Console, sessions: Sequence[Mapping[str, Any]]) -> None:
    """Two lines a session, for a person: what it is about, and how far it is."""
    from rich.text import Text

    from webquarry._search.replies.text import shorten_text
    from webquarry.surfaces.display.dates import write_moment
    from webquarry.surfaces.display.layout import print_hanging

    if not sessions:
        sentence = "There is no research session. Begin one: webquarry session new WORDS"
        print_hanging(console, "", Text(sentence))
    for session in sessions:
        counts = count_parts(session)
        status = session["status"].replace("_", " ")
        goal = shorten_text(one_line(session["goal"]), _GOAL_CHARACTERS)
        line = Text(f"{counts}, {status}  {goal}")
        print_hanging(console, Text(f"{session['sessionId']}  ", "cyan"), line, indent=4)
        used = write_moment(session["updatedAt"])
        last = f"last used {used}, ends {write_moment(session['endsAt'])}"
        print_hanging(console, "    ", Text(last, "dim"))


def _show_session(console: Console, session: Mapping[str, Any]) -> None:
    """Goal, steps, sources and errors of one session, for a person."""
    from rich.text import Text

    from webquarry.surfaces.display.dates import write_moment
    from webquarry.surfaces.display.layout import link, print_hanging

    summary = session["summary"]
    status = session["status"].replace("_", " ")
    goal = one_line(summary.get("researchGoal") or "Research session")
    print_hanging(console, "", Text(goal, "bold"))
    about = f"{session['sessionId']}, {status}, last used {write_moment(summary['updatedAt'])}"
    print_hanging(console, "", Text(about, "dim"))
    console.print()
    for entry in session["stepIndex"]:
        text = Text(one_line(entry["text"]))
        if "supersededBy" in entry:
            text.append(f" (superseded by step {entry['supersededBy']})", "dim")
        print_hanging(console, f"{entry['stepNumber']}. ", text)
    console.print()
    for source in session["sources"]:
        title = Text(one_line(source["title"] or source["url"]))
        print_hanging(console, f"[{source['number']}] ", title)
        print_hanging(console, "    ", link(one_line(source["url"])))
    for error in session.get("errors", []):
        words = one_line(f"{error['kind']} came {error['count']} times. {error['advice']}")
        print_hanging(console, "", Text(words, "red"))
