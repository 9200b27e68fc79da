"""`webquarry calls`: the log of tool calls of this machine. `--follow` prints one JSON per line."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.cli.options import AsJson
from webquarry.cli.output import Output, command_output
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from webquarry.store.calls import CallLog, LoggedCall

_LOOK_SECONDS = 0.25  # between two queries
_SHOWN = 60  # characters of the first argument


def calls(
    count: Annotated[
        int, typer.Option("--count", "-n", min=1, help="Maximum number of calls.")
    ] = 20,
    after: Annotated[
        int | None, typer.Option(help="Only calls after this id, the oldest first.")
    ] = None,
    receipt: Annotated[
        str | None, typer.Option(help="Only calls with this receipt, as `_meta` names it.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Show new calls as they are made.")
    ] = False,
    as_json: AsJson = None,
) -> None:
    """Show the tools that were called on this machine, and the outcomes."""
    with command_output(as_json) as output:
        import os

        from webquarry.settings import Settings
        from webquarry.store.open import open_call_log

        settings = Settings.from_environment()
        log = open_call_log(settings, os.environ)
        if after is not None or receipt is not None:
            found = log.list_after(after or 0, count, receipt)
        else:
            found = log.list_latest(count)
        if not follow:
            answer = {"enabled": settings.call_log, "calls": [call.as_dict() for call in found]}

            def render(console: Console) -> None:
                for call in found:
                    _show_call(console, call)
                if not found:
                    console.print("No call is in the log.")

            output.show(answer, render)
            return
        _follow(log, output, found, after or 0)


def _follow(log: CallLog, output: Output, found: Sequence[LoggedCall], after: int) -> None:
    """Show new calls until Ctrl-C."""
    while True:
        for call in found:
            after = call.id
            if output.json:
                output.write(json.dumps(call.as_dict(), ensure_ascii=True))
            else:
                _show_call(output.console, call)
        try:
            time.sleep(_LOOK_SECONDS)
        except KeyboardInterrupt:
            return
        found = log.list_after(after)


def _show_call(console: Console, call: LoggedCall) -> None:
    """Show a call in one line."""
    from rich.text import Text

    from webquarry.cli.layout import print_hanging

    moment = datetime.fromtimestamp(call.at, UTC)
    facts = [f"{call.seconds:.3g} s"]
    if call.cached:
        facts.append("kept")
    for number, word in ((call.found, "found"), (call.read, "read")):
        if number:
            facts.append(f"{number} {word}")
    if call.cost is not None:
        facts.append(f"${call.cost:.4f}")
    if call.outcome != "ok":
        facts.append(f"{call.outcome}: {call.message}".rstrip(": "))
    line = f"{call.tool}  {_name_subject(call.arguments)}  {', '.join(facts)}  {call.receipt}"
    print_hanging(console, f"{moment:%Y-%m-%d %H:%M:%S}  ", Text(one_line(line)), indent=4)


def _name_subject(arguments: dict[str, Any]) -> str:
    """The first text among the arguments."""
    for value in arguments.values():
        if isinstance(value, str):
            text = one_line(value)
            if len(text) > _SHOWN:
                text = text[:_SHOWN] + "..."
            return json.dumps(text, ensure_ascii=False)
    return ""
