"""`webquarry session`: research sessions of this machine. An id may be shortened."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from webquarry.bridge import bridge
from webquarry.cli.output import Output, pager_option, with_output, with_text_output
from webquarry.errors import BadInput, NotFound
from webquarry.terminal import as_json, count_noun, one_line, printable

_GOAL_CHARACTERS = 80  # of a goal in the list

session_id = click.argument("id")


@click.group()
def session() -> None:
    """Research sessions on this machine: create, extend, show and export them."""


def find_session_id(id: str) -> str:
    """Complete a shortened id."""
    start = id.strip().lower()
    matching = [known for known in bridge.run(_list_ids()) if known.startswith(start)]
    if len(matching) > 1:
        raise BadInput(
            f"{len(matching)} sessions start with {one_line(id)!r}.",
            suggested_action=f"Give more of the id: {', '.join(matching[:3])}.",
        )
    if not matching:
        raise NotFound(
            f"There is no research session {one_line(id)!r}.",
            suggested_action="`webquarry session list` shows all. A session ends when it is not "
            "used for a long time.",
        )
    return matching[0]


async def _list_ids() -> list[str]:
    from webquarry.toolkit import Toolkit

    async with Toolkit.open() as kit:
        return [id for id, _ in await kit.sessions.list()]


@session.command("list")
@with_output
def list_(output: Output) -> None:
    """List sessions, the last used first, and when each ends."""
    sessions = bridge.run(_summarize_sessions())

    def render() -> None:
        if not sessions:
            output.write("There is no research session. Create one: webquarry session new WORDS")
        for found in sessions:
            status = found["status"].replace("_", " ")
            goal = one_line(found["goal"])[:_GOAL_CHARACTERS]
            output.print(f"{found['sessionId']}  {_count_parts(found)}, {status}  {goal}")
            output.print(f"last used {found['updatedAt']}, ends {found['endsAt']}", "    ", "dim")

    output.show({"sessions": sessions}, render)


async def _summarize_sessions() -> list[dict[str, Any]]:
    from webquarry.toolkit import Toolkit

    sessions: list[dict[str, Any]] = []
    async with Toolkit.open() as kit:
        for id, finished in await kit.sessions.list():
            try:
                found = await kit.sessions.read(id)
            except NotFound:  # ended in the meantime
                continue
            summary = {
                "sessionId": id,
                "status": "finished" if finished else "in_progress",
                "goal": found.goal or found.steps[0].text,
                "totalSteps": len(found.steps),
                "totalSources": len(found.sources),
                "updatedAt": f"{found.touched_at:%Y-%m-%dT%H:%M:%SZ}",
                "endsAt": f"{kit.sessions.ends_at(found):%Y-%m-%dT%H:%M:%SZ}",
            }
            sessions.append(summary)
    return sessions


@session.command()
@session_id
@pager_option
@with_output
def show(output: Output, id: str, pager: bool) -> None:
    """Show a session: its goal, its steps and its sources."""
    found = _read_session(id)
    output.show(found, lambda: _show_session(output, found), pager=pager)


def _show_session(output: Output, found: Mapping[str, Any]) -> None:
    summary = found["summary"]
    output.print(summary.get("researchGoal") or "Research session", style="bold")
    status = found["status"].replace("_", " ")
    output.print(f"{found['sessionId']}, {status}, last used {summary['updatedAt']}", style="dim")
    for step in found["stepIndex"]:
        superseded = ""
        if "supersededBy" in step:
            superseded = f" (superseded by step {step['supersededBy']})"
        output.print(step["text"] + superseded, f"{step['stepNumber']}. ")
    for source in found["sources"]:
        output.print(source["title"] or source["url"], f"[{source['number']}] ")
        output.print(source["url"], "    ", "cyan")
    for error in found.get("errors", []):
        output.print(f"{error['kind']} occurred {error['count']} times. {error['advice']}")


@session.command()
@session_id
@click.option("--format", type=click.Choice(["markdown", "json", "html"]), default="markdown")
@click.option("--verify-links", is_flag=True, help="Check whether each source can be reached.")
@click.option("--include-found", is_flag=True, help="Also cite sources that were not read.")
@with_text_output
def export(output: Output, id: str, format: str, verify_links: bool, include_found: bool) -> None:
    """Write a session with its sources and citations to stdout."""
    output.json = format == "json"
    arguments = {
        "sessionId": find_session_id(id),
        "format": format,
        "verify_links": verify_links,
        "include_found": include_found,
    }
    with output.show_progress("writing the session"):
        exported = _call("research_export", arguments)
    if output.json:
        output.write(as_json(exported))
    else:
        output.write(printable(exported["content"]).rstrip("\n"))


@session.command()
@click.argument("goal", nargs=-1, required=True)
@with_output
def new(output: Output, goal: tuple[str, ...]) -> None:
    """Create a session; its goal is the first step."""
    words = " ".join(goal)
    _record(output, {"searchStep": words, "stepNumber": 1, "researchGoal": words})


@session.command()
@session_id
@click.argument("text", nargs=-1, required=True)
@click.option("--revises", type=int, help="Number of the step that it revises.")
@click.option("--confidence", type=click.Choice(["low", "medium", "high"]))
@click.option("--reasoning", help="Reason of the step.")
@click.option("--gap", help="Open question.")
@click.option("--done", is_flag=True, help="Finish the research.")
@with_output
def step(
    output: Output,
    id: str,
    text: tuple[str, ...],
    revises: int | None,
    confidence: str | None,
    reasoning: str | None,
    gap: str | None,
    done: bool,
) -> None:
    """Add a step to a session."""
    details = {
        "revisesStep": revises,
        "confidence": confidence,
        "reasoning": reasoning,
        "knowledgeGap": gap,
        "nextStepNeeded": not done,
    }
    _record(output, _next_step(id, " ".join(text)) | details)


@session.command()
@session_id
@click.argument("text", nargs=-1, required=True)
@with_output
def note(output: Output, id: str, text: tuple[str, ...]) -> None:
    """Add a note to a session: a step with the prefix `Note:`."""
    words = " ".join(text).strip()
    _record(output, _next_step(id, words and f"Note: {words}"))


@session.command()
@session_id
@click.option("-y", "--yes", is_flag=True, help="Do not ask first.")
@with_output
def delete(output: Output, id: str, yes: bool) -> None:
    """Delete a session, its steps and its sources, for good."""
    from webquarry.toolkit import Toolkit

    found = _read_session(id)
    full_id, summary = found["sessionId"], found["summary"]
    if not yes:
        # On stderr, because stdout may be a pipe; no answer is a no.
        goal = one_line(summary.get("researchGoal") or found["stepIndex"][0]["text"])
        click.echo(f"{goal} ({_count_parts(summary)})", err=True)
        click.echo("Delete it? It cannot be undone. [y/N] ", nl=False, err=True)
        yes = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not yes:
        raise BadInput(
            f"The session {full_id} was not deleted.",
            suggested_action="Answer with y, or use --yes. It cannot be undone; "
            f"`webquarry session export {full_id}` writes a copy.",
        )

    async def delete_session() -> None:
        async with Toolkit.open() as kit:
            await kit.sessions.delete(full_id)

    bridge.run(delete_session())
    output.show_line({"deleted": full_id}, f"Session {full_id} is deleted.")


def _call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from webquarry.api import call_with

    return call_with(tool, arguments, "research", "fork").as_dict()


def _read_session(id: str) -> dict[str, Any]:
    return _call("get_research_session", {"sessionId": find_session_id(id)})


def _next_step(id: str, text: str) -> dict[str, Any]:
    """Arguments of the next step of a session."""
    found = _read_session(id)
    number = found["summary"]["totalSteps"] + 1
    return {"searchStep": text, "stepNumber": number, "sessionId": found["sessionId"]}


def _record(output: Output, arguments: dict[str, Any]) -> None:
    """Record a step and show how to continue."""
    if not arguments["searchStep"].strip():
        raise BadInput("The text is empty.", suggested_action="Give the words to record.")
    answer = _call("sequential_search", arguments)
    id = answer["sessionId"]
    lines = [f"Step {answer['stepNumber']} is recorded."]
    if "sessionId" not in arguments:
        lines = [f"Session {id} is created.", "To record sources in it:"]
        lines.append(f"  webquarry search WORDS --session {id}")
    if answer["status"] != "in_progress":
        lines += ["The session is finished.", f"  webquarry session export {id}"]
    output.show(answer, lambda: output.write("\n".join(lines)))


def _count_parts(summary: Mapping[str, Any]) -> str:
    """`2 steps, 1 source`."""
    steps = count_noun(summary["totalSteps"], "step")
    return f"{steps}, {count_noun(summary['totalSources'], 'source')}"
