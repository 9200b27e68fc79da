"""What a person adds to a research session by hand, with the tool `sequential_search`: a new
session, a step, a note; and how one is deleted.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.cli.session.ids import Id, count_parts, find_session_id
from webquarry.surfaces.terminal import AsJson, Output, command_output, one_line

if TYPE_CHECKING:
    from rich.console import Console

Confidence = Annotated[
    Literal["low", "medium", "high"] | None, typer.Option(help="How sure you are of it.")
]
Done = Annotated[bool, typer.Option("--done", help="The research is finished with this step.")]


def new(
    goal: Annotated[list[str], typer.Argument(help="What is to be found out.")],
    first: Annotated[
        str | None, typer.Option("--step", help="The first step. Not given: the goal itself.")
    ] = None,
    as_json: AsJson = None,
) -> None:
    """Begin a session: its goal, and the first step."""
    words = " ".join(goal)
    with command_output(as_json) as output:
        arguments = {"searchStep": first or words, "stepNumber": 1, "researchGoal": words}
        _record(output, arguments, "begun")


def step(
    id: Id,
    text: Annotated[list[str], typer.Argument(help="What this step asks or found.")],
    revises: Annotated[
        int | None, typer.Option(help="The number of the step that it takes the place of.")
    ] = None,
    confidence: Confidence = None,
    reasoning: Annotated[str | None, typer.Option(help="Why.")] = None,
    gap: Annotated[str | None, typer.Option(help="What is still unknown.")] = None,
    done: Done = False,
    as_json: AsJson = None,
) -> None:
    """Add a step to a session; sources found from now on belong to it."""
    with command_output(as_json) as output:
        arguments = _continue_session(id, " ".join(text))
        arguments |= {
            "revisesStep": revises,
            "confidence": confidence,
            "reasoning": reasoning,
            "knowledgeGap": gap,
            "nextStepNeeded": not done,
        }
        _record(output, arguments, "recorded")


def note(
    id: Id,
    text: Annotated[list[str], typer.Argument(help="What is to be remembered.")],
    as_json: AsJson = None,
) -> None:
    """Add a note to a session: a step that begins with `Note:`."""
    with command_output(as_json) as output:
        words = " ".join(text).strip()
        if words:
            words = f"Note: {words}"
        _record(output, _continue_session(id, words), "recorded")


def delete(
    id: Id,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    as_json: AsJson = None,
) -> None:
    """Delete a session, its steps and its sources, for good."""
    with command_output(as_json) as output:
        from webquarry.errors import BadInput
        from webquarry.surfaces.bridge import bridge
        from webquarry.surfaces.library import call_with
        from webquarry.toolkit import Toolkit

        arguments = {"sessionId": find_session_id(id)}
        session = call_with("get_research_session", arguments, "research", "fork").as_dict()
        full_id = session["sessionId"]
        if not yes and not _confirm(session):
            raise BadInput(
                f"The session {full_id} was not deleted.",
                suggested_action="Answer with y, or say so with --yes. There is no way back; "
                f"`webquarry session export {full_id}` keeps a copy.",
            )

        async def forget() -> None:
            async with Toolkit.open() as kit:
                await kit.sessions.delete(full_id)

        bridge.run(forget())
        sentence = f"Session {full_id} is deleted; there is no way back."
        output.show({"deleted": full_id}, lambda console: output.write(sentence))


def _confirm(session: dict[str, Any]) -> bool:
    """Ask on stderr whether it may go; no answer is a no."""
    summary = session["summary"]
    goal = one_line(summary.get("researchGoal") or session["stepIndex"][0]["text"])
    typer.echo(f"{goal} ({count_parts(summary)})", err=True)
    typer.echo(
        f"There is no way back; `webquarry session export {session['sessionId']}` keeps a copy.",
        err=True,
    )
    # Not `typer.confirm`, which writes to stdout too.
    typer.echo("Delete it? [y/N] ", nl=False, err=True)
    answer = sys.stdin.readline()
    if not sys.stdin.isatty():
        typer.echo(err=True)
    return answer.strip().lower() in ("y", "yes")


def _continue_session(id: str, text: str) -> dict[str, Any]:
    """The arguments of one more step of a session."""
    from webquarry.surfaces.library import call_with

    full_id = find_session_id(id)
    known = call_with("get_research_session", {"sessionId": full_id}, "research", "fork").as_dict()
    number = known["summary"]["totalSteps"] + 1
    return {"searchStep": text, "stepNumber": number, "sessionId": full_id}


def _record(output: Output, arguments: dict[str, Any], what: str) -> None:
    """Record a step, and say how to go on."""
    from webquarry.errors import BadInput
    from webquarry.surfaces.library import call_with

    if not arguments["searchStep"].strip():
        raise BadInput("There are no words to record.", suggested_action="Give some.")
    answer = call_with("sequential_search", arguments, "research", "fork").as_dict()

    def render(console: Console) -> None:
        from rich.text import Text

        from webquarry.surfaces.display.layout import print_command, print_hanging

        id = answer["sessionId"]
        if what == "begun":
            print_hanging(console, "", Text(f"Session {id} is begun."))
            print_hanging(console, "", Text("To record in it what you find:", "dim"))
            words = ["webquarry", "search", "WORDS", "--session-id", id]
            print_command(console, "  ", words, "dim")
        else:
            print_hanging(console, "", Text(f"Step {answer['stepNumber']} is recorded."))
        if answer["status"] != "in_progress":
            print_hanging(console, "", Text("The session is finished.", "dim"))
            print_command(console, "  ", ["webquarry", "session", "export", id], "dim")

    output.show(answer, render)
