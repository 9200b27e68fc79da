"""`webquarry doctor`: the report on the configuration, on one screen or with `--all` in full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from webquarry.bridge import bridge
from webquarry.cli.output import Output, pager_option, with_output

if TYPE_CHECKING:
    from webquarry.doctor.checks import CheckResult
    from webquarry.doctor.examine import Report, ServiceCheck

MARKS = {
    "ok": ("✓ ", "green"),
    "off": ("- ", "dim"),
    "warning": ("! ", "yellow"),
    "broken": ("✗ ", "bold red"),
}


@click.command()
@click.option("--offline", is_flag=True, help="Send no request.")
@click.option("--all", "everything", is_flag=True, help="Every provider and part, with what to do.")
@pager_option
@with_output
def doctor(output: Output, offline: bool, everything: bool, pager: bool) -> None:
    """Show the configuration, what works and how to repair the rest."""
    from webquarry.doctor.examine import examine

    with output.show_progress("checking" if offline else "asking each provider once"):
        report = bridge.run(examine(offline=offline))
    output.show(
        report.as_dict(), lambda: show_report(output, report, everything=everything), pager=pager
    )
    if not report.ok:
        raise click.exceptions.Exit(1)


def show_report(output: Output, report: Report, *, everything: bool) -> None:
    """Show the result, then the problems with their cures, or every check."""
    state = "broken"
    if report.ok:
        state = "ok" if report.can_search else "warning"
    output.print(report.advice, *MARKS[state])
    sections: dict[str, Sequence[ServiceCheck | CheckResult]] = {
        "Search providers": report.providers,
        "Scholarly indexes": report.indexes,
        "Registers of patents": report.registers,
        "Parts": report.parts,
    }
    for title, checks in sections.items():
        if everything:
            output.write(f"\n{title}")
        else:
            ready = sum(check.state in ("ok", "warning") for check in checks)
            output.write(f"{title}: {ready} of {len(checks)} ready")
        _show_checks(output, checks, everything)
    if not everything:
        output.write("Everything: webquarry doctor --all")


def _show_checks(
    output: Output, checks: Sequence[ServiceCheck | CheckResult], everything: bool
) -> None:
    """Show problems, or all checks; those with the same problem together."""
    names: dict[tuple[str, str, str], list[str]] = {}
    for check in checks:
        if everything or check.state in ("broken", "warning"):
            detail = check.detail
            provider = getattr(check, "provider", None)
            if everything and provider is not None:
                sources = [*provider.sources().values(), provider.notice]
                detail = ". ".join(filter(None, [detail, *sources]))
            names.setdefault((check.state, detail, check.cure), []).append(check.name)
    for (state, detail, cure), members in names.items():
        mark, style = MARKS[state]
        text = f"{', '.join(members)}: {detail}"
        output.print(f"{text} → {cure}" if cure else text, f"  {mark}", style)
