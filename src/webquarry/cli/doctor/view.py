"""How doctor's whole report looks on a terminal: the verdict, then a line a check, its cure below
it.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from webquarry import __version__
from webquarry.doctor.examine import Report, ServiceCheck
from webquarry.surfaces.display.layout import link_urls, print_hanging
from webquarry.surfaces.terminal import one_line

MARKS = {
    "ok": ("✓", "green"),
    "off": ("-", "dim"),
    "warning": ("!", "yellow"),
    "broken": ("✗", "bold red"),
}


def show_verdict(console: Console, report: Report) -> None:
    """What it comes to, in a sentence or two."""
    state = "ok" if report.can_search else "warning"
    if not report.ok:
        state = "broken"
    mark, style = MARKS[state]
    print_hanging(console, Text(f"{mark} ", style), link_urls(one_line(report.advice), "bold"))


def show_report(console: Console, report: Report) -> None:
    """The whole report."""
    show_verdict(console, report)
    console.print(Text(f"  webquarry {__version__}", "dim"))
    _show_services(console, "Search providers", report.providers)
    _show_services(console, "Scholarly indexes", report.indexes)
    _show_services(console, "Registers of patents", report.registers)
    console.print(Text("\nParts", "bold"))
    width = max(len(part.name) for part in report.parts)
    for part in report.parts:
        _show_line(console, part.state, part.name.ljust(width), part.detail, part.cure)


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
            print_hanging(console, "      ", Text(notice, "yellow"))


def _show_line(console: Console, state: str, name: str, detail: str, cure: str) -> None:
    mark, style = MARKS[state]
    lead = Text.assemble((f"  {mark} ", style), f"{name}  ")
    print_hanging(console, lead, link_urls(one_line(detail)))
    if cure:
        print_hanging(console, Text("      → ", "cyan"), link_urls(one_line(cure), "cyan"))
