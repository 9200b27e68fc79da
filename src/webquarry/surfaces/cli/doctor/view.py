"""How doctor's report looks on a terminal: one line a check, its cure below it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from webquarry import __version__
from webquarry.surfaces.doctor.examine import Report, ServiceCheck
from webquarry.surfaces.terminal import one_line

_MARKS = {
    "ok": ("✓", "green"),
    "off": ("-", "dim"),
    "warning": ("!", "yellow"),
    "broken": ("✗", "bold red"),
}


def show_report(console: Console, report: Report) -> None:
    """The whole report."""
    console.print(Text(f"webquarry {__version__}", "bold"))
    _show_services(console, "Search providers", report.providers)
    _show_services(console, "Scholarly indexes", report.indexes)
    _show_services(console, "Registers of patents", report.registers)
    console.print(Text("\nParts", "bold"))
    width = max(len(part.name) for part in report.parts)
    for part in report.parts:
        _show_line(console, part.state, part.name.ljust(width), part.detail, part.cure)
    style = "bold" if report.ok else "bold red"
    console.print(Text(f"\n{report.advice}", style), soft_wrap=True)


def _show_services(console: Console, title: str, checks: list[ServiceCheck]) -> None:
    if not checks:
        return
    console.print(Text(f"\n{title}", "bold"))
    width = max(len(check.provider.label) for check in checks)
    for check in checks:
        label = check.provider.label.ljust(width)
        detail = check.detail
        # Where the credentials come from; the values are never shown.
        places = []
        for variable, source in check.provider.sources().items():
            if variable in source:
                places.append(source)
            else:
                places.append(f"{variable} from {source}")
        if places:
            detail += f" ({', '.join(places)})"
        _show_line(console, check.state, label, detail, check.cure)
        if check.provider.notice:
            notice = one_line(check.provider.notice)
            console.print(Text(f"      {notice}", "yellow"), soft_wrap=True)


def _show_line(console: Console, state: str, name: str, detail: str, cure: str) -> None:
    mark, style = _MARKS[state]
    line = Text(f"  {mark} ", style)
    line.append(f"{name}  {one_line(detail)}")
    console.print(line, soft_wrap=True)
    if cure:
        console.print(Text(f"      → {one_line(cure)}", "cyan"), soft_wrap=True)
