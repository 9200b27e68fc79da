"""`webquarry doctor`: the report on what is configured, in colours or as JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from webquarry.surfaces.terminal import AsJson, Pager, command_output


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Ask no provider.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Every provider and part, with what to do.")
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Say what is configured, what works and what to do about the rest."""
    with command_output(as_json) as output:
        from webquarry.cli.doctor.summary import show_summary
        from webquarry.cli.doctor.view import show_report
        from webquarry.doctor.examine import examine
        from webquarry.surfaces.bridge import bridge

        with output.show_progress("looking" if offline else "asking everybody once"):
            report = bridge.run(examine(offline=offline))
        show = show_report if everything else show_summary
        output.show(report.as_dict(), lambda console: show(console, report), pager=pager)
        if not report.ok:
            raise typer.Exit(1)
