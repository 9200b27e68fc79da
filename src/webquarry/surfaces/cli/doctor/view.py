"""How doctor's report looks on a terminal: one line a finding, its cure below it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from webquarry import __version__
from webquarry.surfaces.cli.doctor.examine import Report, ServiceCheck
from webquarry.surfaces.cli.terminal import one_line

_MARKS = {
    "ok": ("✓", "green"),
    "off": ("-", "dim"),
    "warning": ("!", "yellow"),
    "broken": ("✗", "bold red"),
}


def show_report(console: Console, report: Report) -> None:
    """The whole report."""
    console.print(Text(f"webquarry {__version__}", "bold"))
    _members(console, "Search providers", report.providers)
    _members(console, "Scholarly indexes", report.indexes)
    _members(console, "Registers of patents", report.registers)
    console.print(Text("\nParts", "bold"))
    width = max(len(part.name) for part in report.parts)
    for part in report.parts:
        _line(console, part.state, part.name.ljust(width), part.detail, part.cure)
    console.print(Text(f"\n{report.advice}", "bold" if report.ok else "bold red"), soft_wrap=True)


def _members(console: Console, title: str, findings: list[ServiceCheck]) -> None:
    if not findings:
        return
    console.print(Text(f"\n{title}", "bold"))
    width = max(len(finding.provider.label) for finding in findings)
    for finding in findings:
        _line(
            console,
            finding.state,
            finding.provider.label.ljust(width),
            _with_sources(finding),
            finding.cure,
        )
        if finding.provider.notice:
            console.print(
                Text(f"      {one_line(finding.provider.notice)}", "yellow"), soft_wrap=True
            )


def _line(console: Console, state: str, name: str, detail: str, cure: str) -> None:
    mark, style = _MARKS[state]
    console.print(Text(f"  {mark} ", style) + Text(f"{name}  {one_line(detail)}"), soft_wrap=True)
    if cure:
        console.print(Text(f"      → {one_line(cure)}", "cyan"), soft_wrap=True)


def _with_sources(finding: ServiceCheck) -> str:
    """The places are told, the values never."""
    sources = finding.provider.sources()
    told = ", ".join(
        source if variable in source else f"{variable} from {source}"
        for variable, source in sources.items()
    )
    if told:
        return f"{finding.detail} ({told})"
    return finding.detail
