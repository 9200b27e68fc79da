"""`webquarry session`: research sessions of this machine. An id may be shortened."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.cli.options import AsJson, Pager, complete_session, new_group
from webquarry.cli.output import Output, command_output
from webquarry.errors import BadInput, NotFound
from webquarry.terminal import as_json, count_noun, one_line, printable

if TYPE_CHECKING:
    from rich.console import Console

app = new_group(
    "Research sessions on this machine: begin, extend, show and export them.", no_args_is_help=True
)
Id = Annotated[
    str,
    typer.Argument(
        help="The session's id, or its beginning.", metavar="ID", autocompletion=complete_session
    ),
]
_GOAL_CHARACTERS = 80  # of a goal in the list


def find_session_id(id: str) -> str:
    """Complete a shortened id."""
    from webquarry.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def list_ids() -> list[str]:
        async with Toolkit.open() as kit:
            return [known for known, _ in await kit.sessions.list()]

    beginning = id.strip().lower()
    matching = [known for known in bridge.run(list_ids()) if known.startswith(beginning)]
    if len(matching) > 1:
        raise BadInput(
            f"{len(matching)} sessions begin with {one_line(id)!r}.",
            suggested_action=f"Give more of the id: {', '.join(matching[:3])}.",
        )
    if not matching:
        raise NotFound(
            f"There is no research session {one_line(id)!r}.",
            suggested_action="`webquarry session list` shows all. A session ends when it is not "
            "used for a long time.",
        )
    return matching[0]


@app.command("list")
def list_(as_json: AsJson = None) -> None:
    """List sessions, the last used first, and when each ends."""
    with command_output(as_json) as output:
        from webquarry.bridge import bridge
        from webquarry.toolkit import Toolkit

        async def summarize_sessions() -> list[dict[str, Any]]:
            sessions: list[dict[str, Any]] = []
            async with Toolkit.open() as kit:
                for id, finished in await kit.sessions.list():
                    try:
                        session = await kit.sessions.read(id)
                    except NotFound:  # ended in the meantime
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
            return sessions

        sessions = bridge.run(summarize_sessions())
        output.show({"sessions": sessions}, lambda console: _show_list(console, sessions))


@app.command()
def show(id: Id, pager: Pager = True, as_json: AsJson = None) -> None:
    """Show a session: its goal, its steps and its sources."""
    with command_output(as_json) as output:
        session = _read_session(id)
        output.show(session, lambda console: _show_session(console, session), pager=pager)


@app.command()
def export(
    id: Id,
    format: Annotated[
        Literal["markdown", "json", "html"], typer.Option(help="Format of the export.")
    ] = "markdown",
    verify_links: Annotated[
        bool, typer.Option("--verify-links", help="Check whether each source can be reached.")
    ] = False,
    include_found: Annotated[
        bool, typer.Option("--include-found", help="Also cite sources that were not read.")
    ] = False,
) -> None:
    """Write a session with its sources and citations to stdout."""
    with command_output(format == "json") as output:
        arguments = {
            "sessionId": find_session_id(id),
            "format": format,
            "verify_links": verify_links,
            "include_found": include_found,
        }
        with output.show_progress("writing the session"):
            exported = _call("research_export", arguments)
        if format == "json":
            output.write(as_json(exported))
        else:
            output.write(printable(exported["content"]).rstrip("\n"))


@app.command()
def new(
    goal: Annotated[list[str], typer.Argument(help="The research question.")],
    first: Annotated[
        str | None, typer.Option("--step", help="The first step. Default: the question.")
    ] = None,
    as_json: AsJson = None,
) -> None:
    """Begin a session: its goal, and the first step."""
    words = " ".join(goal)
    with command_output(as_json) as output:
        arguments = {"searchStep": first or words, "stepNumber": 1, "researchGoal": words}
        _record(output, arguments, is_new=True)


@app.command()
def step(
    id: Id,
    text: Annotated[list[str], typer.Argument(help="What this step asks or found.")],
    revises: Annotated[int | None, typer.Option(help="Number of the step that it revises.")] = None,
    confidence: Annotated[
        Literal["low", "medium", "high"] | None, typer.Option(help="Confidence in the step.")
    ] = None,
    reasoning: Annotated[str | None, typer.Option(help="Reason of the step.")] = None,
    gap: Annotated[str | None, typer.Option(help="What is still unknown.")] = None,
    done: Annotated[bool, typer.Option("--done", help="Finish the research.")] = False,
    as_json: AsJson = None,
) -> None:
    """Add a step to a session."""
    with command_output(as_json) as output:
        arguments = _continue_session(id, " ".join(text))
        arguments |= {
            "revisesStep": revises,
            "confidence": confidence,
            "reasoning": reasoning,
            "knowledgeGap": gap,
            "nextStepNeeded": not done,
        }
        _record(output, arguments)


@app.command()
def note(
    id: Id,
    text: Annotated[list[str], typer.Argument(help="The note.")],
    as_json: AsJson = None,
) -> None:
    """Add a note to a session: a step that begins with `Note:`."""
    with command_output(as_json) as output:
        words = " ".join(text).strip()
        if words:
            words = f"Note: {words}"
        _record(output, _continue_session(id, words))


@app.command()
def delete(
    id: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    as_json: AsJson = None,
) -> None:
    """Delete a session, its steps and its sources, for good."""
    with command_output(as_json) as output:
        from webquarry.bridge import bridge
        from webquarry.toolkit import Toolkit

        session = _read_session(id)
        full_id = session["sessionId"]
        if not yes and not _confirm(session):
            raise BadInput(
                f"The session {full_id} was not deleted.",
                suggested_action="Answer with y, or use --yes. It cannot be undone; "
                f"`webquarry session export {full_id}` writes a copy.",
            )

        async def forget() -> None:
            async with Toolkit.open() as kit:
                await kit.sessions.delete(full_id)

        bridge.run(forget())
        output.show_line({"deleted": full_id}, f"Session {full_id} is deleted.")


def _confirm(session: dict[str, Any]) -> bool:
    """Ask on stderr, because stdout may be a pipe; no answer is a no."""
    summary = session["summary"]
    goal = one_line(summary.get("researchGoal") or session["stepIndex"][0]["text"])
    typer.echo(f"{goal} ({_count_parts(summary)})", err=True)
    typer.echo("Delete it? It cannot be undone. [y/N] ", nl=False, err=True)
    answer = sys.stdin.readline()
    if not sys.stdin.isatty():
        typer.echo(err=True)
    return answer.strip().lower() in ("y", "yes")


def _call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from webquarry.api import call_with

    return call_with(tool, arguments, "research", "fork").as_dict()


def _read_session(id: str) -> dict[str, Any]:
    return _call("get_research_session", {"sessionId": find_session_id(id)})


def _continue_session(id: str, text: str) -> dict[str, Any]:
    """Arguments of the next step of a session."""
    session = _read_session(id)
    number = session["summary"]["totalSteps"] + 1
    return {"searchStep": text, "stepNumber": number, "sessionId": session["sessionId"]}


def _record(output: Output, arguments: dict[str, Any], *, is_new: bool = False) -> None:
    """Record a step and show how to continue."""
    if not arguments["searchStep"].strip():
        raise BadInput("The text is empty.", suggested_action="Give the words to record.")
    answer = _call("sequential_search", arguments)

    def render(console: Console) -> None:
        from rich.text import Text

        from webquarry.cli.layout import print_command, print_hanging

        id = answer["sessionId"]
        if is_new:
            print_hanging(console, "", Text(f"Session {id} is begun."))
            print_hanging(console, "", Text("To record sources in it:", "dim"))
            words = ["webquarry", "search", "WORDS", "--session-id", id]
            print_command(console, "  ", words, "dim")
        else:
            print_hanging(console, "", Text(f"Step {answer['stepNumber']} is recorded."))
        if answer["status"] != "in_progress":
            print_hanging(console, "", Text("The session is finished.", "dim"))
            print_command(console, "  ", ["webquarry", "session", "export", id], "dim")

    output.show(answer, render)


def _count_parts(summary: Mapping[str, Any]) -> str:
    """`2 steps, 1 source`."""
    steps = count_noun(summary["totalSteps"], "step")
    return f"{steps}, {count_noun(summary['totalSources'], 'source')}"


def _show_list(console: Console, sessions: Sequence[Mapping[str, Any]]) -> None:
    """Two lines per session."""
    from rich.text import Text

    from webquarry._search.text import shorten_text
    from webquarry.cli.layout import print_hanging, write_moment

    if not sessions:
        sentence = "There is no research session. Begin one: webquarry session new WORDS"
        print_hanging(console, "", Text(sentence))
    for session in sessions:
        status = session["status"].replace("_", " ")
        goal = shorten_text(one_line(session["goal"]), _GOAL_CHARACTERS)
        line = Text(f"{_count_parts(session)}, {status}  {goal}")
        print_hanging(console, Text(f"{session['sessionId']}  ", "cyan"), line, indent=4)
        used = write_moment(session["updatedAt"])
        last = f"last used {used}, ends {write_moment(session['endsAt'])}"
        print_hanging(console, "    ", Text(last, "dim"))


def _show_session(console: Console, session: Mapping[str, Any]) -> None:
    """Goal, steps, sources and errors of one session."""
    from rich.text import Text

    from webquarry.cli.layout import link, print_hanging, write_moment

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
