"""`webquarry doctor`: the report on what is configured, in colours or as JSON."""

from __future__ import annotations

from typing import Annotated

import typer

from webquarry.surfaces.terminal import AsJson, command_output


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Ask no provider.")] = False,
    as_json: AsJson = None,
) -> None:
    """Say what is configured, what works and what to do about the rest."""
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge
        from webquarry.surfaces.cli.doctor.view import show_report
        from webquarry.surfaces.doctor.examine import examine

        report = bridge.run(examine(offline=offline))
        output.show(report.as_dict(), lambda console: show_report(console, report))
        if not report.ok:
            raise typer.Exit(1)
