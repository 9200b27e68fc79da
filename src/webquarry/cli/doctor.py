"""`webquarry doctor`: the report on what is configured, on one screen or with `--all` in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from webquarry.cli.options import AsJson, Pager
from webquarry.cli.output import command_output
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.doctor.examine import Report, ServiceCheck

MARKS = {
    "ok": ("✓", "green"),
    "off": ("-", "dim"),
    "warning": ("!", "yellow"),
    "broken": ("✗", "bold red"),
}
_FINE = ("ok", "off")
_MOST_LINES = 10
_MOST_NAMES = 3


def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="Send no request.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Every provider and part, with what to do.")
    ] = False,
    pager: Pager = True,
    as_json: AsJson = None,
) -> None:
    """Show what is configured, what works and what to do about the rest."""
    with command_output(as_json) as output:
        from webquarry.bridge import bridge
        from webquarry.doctor.examine import examine

        with output.show_progress("checking" if offline else "asking each provider once"):
            report = bridge.run(examine(offline=offline))
        show = show_report if everything else show_summary
        output.show(report.as_dict(), lambda console: show(console, report), pager=pager)
        if not report.ok:
            raise typer.Exit(1)


def show_summary(console: Console, report: Report) -> None:
    """Show the result, the problems and the services in at most ten lines."""
    from rich.text import Text

    shown = _render_verdict(console, report)
    left_out = 0
    for block in _render_problems(console, report):
        if len(shown) + len(block) < _MOST_LINES:
            shown += block
        else:
            left_out += 1
    for block in _render_groups(console, report):
        if len(shown) + len(block) < _MOST_LINES:
            shown += block
    for line in shown:
        console.file.write(f"{line}\n")
    rest = "Everything: webquarry doctor --all"
    if left_out:
        rest = f"{left_out} more, and everything: webquarry doctor --all"
    console.print(Text(rest, "dim"), soft_wrap=True)


def show_report(console: Console, report: Report) -> None:
    """Show the whole report: one line per check, with its cure below it."""
    from rich.text import Text

    from webquarry import __version__

    for line in _render_verdict(console, report):
        console.file.write(f"{line}\n")
    console.print(Text(f"  webquarry {__version__}", "dim"))
    _show_services(console, "Search providers", report.providers)
    _show_services(console, "Scholarly indexes", report.indexes)
    _show_services(console, "Registers of patents", report.registers)
    console.print(Text("\nParts", "bold"))
    width = max(len(part.name) for part in report.parts)
    for part in report.parts:
        _show_check(console, part.state, part.name.ljust(width), part.detail, part.cure)


def _render_lines(console: Console, lead: tuple[str, str], sentence: str, cure: str) -> list[str]:
    """The lines of a sentence and its cure on this console."""
    from rich.text import Text

    from webquarry.cli.layout import link_urls, print_hanging

    text = link_urls(one_line(sentence))
    if cure:
        text = Text.assemble(text, link_urls(f" → {one_line(cure)}", "cyan"))
    with console.capture() as captured:
        print_hanging(console, Text(*lead), text)
    return captured.get().splitlines()


def _render_verdict(console: Console, report: Report) -> list[str]:
    state = "ok" if report.can_search else "warning"
    if not report.ok:
        state = "broken"
    mark, style = MARKS[state]
    return _render_lines(console, (f"{mark} ", style), report.advice, "")


def _render_problems(console: Console, report: Report) -> Iterator[list[str]]:
    """Render what does not work, errors first; services with the same problem together."""
    names: dict[tuple[str, str, str], list[str]] = {}
    for check in (*report.providers, *report.indexes, *report.registers):
        names.setdefault((check.state, check.detail, check.cure), []).append(check.provider.label)
    for part in report.parts:
        names.setdefault((part.state, part.detail, part.cure), []).append(part.name)
    for wanted in ("broken", "warning"):
        for (state, detail, cure), members in names.items():
            if state == wanted:
                mark, style = MARKS[state]
                sentence = f"{', '.join(members)}: {one_line(detail).rstrip('.')}."
                yield _render_lines(console, (f"{mark} ", style), sentence, cure)


def _render_groups(console: Console, report: Report) -> Iterator[list[str]]:
    """Render the services and the model, one line per group."""
    models = [one_line(p.detail) for p in report.parts if p.name == "model" and p.state in _FINE]
    groups = {
        "search": _describe_services(report.providers),
        "papers": _describe_services(report.indexes),
        "patents": _describe_services(report.registers) or "web pages of patent sites",
        "model": "".join(models),
    }
    for name, words in groups.items():
        if words:
            yield _render_lines(console, (f"  {name:<9}", "bold"), words, "")


def _describe_services(checks: Sequence[ServiceCheck]) -> str:
    """Names or number of the usable services, and whether they answered."""
    ready = [check for check in checks if check.configured and check.state != "broken"]
    if not ready:
        return ""
    words = f"{len(ready)} of {len(checks)}"
    if len(ready) <= _MOST_NAMES:
        words = ", ".join(check.provider.label for check in ready)
    answered = sum(bool(check.reachable) for check in ready)
    if all(check.reachable is None for check in ready):
        return f"{words} (not asked)"
    if answered == len(ready):
        return f"{words} (answered)"
    return f"{words} ({answered} of {len(ready)} answered)"


def _show_services(console: Console, title: str, checks: Sequence[ServiceCheck]) -> None:
    from rich.text import Text

    from webquarry.cli.layout import print_hanging

    if not checks:
        return
    console.print(Text(f"\n{title}", "bold"))
    width = max(len(check.provider.label) for check in checks)
    for check in checks:
        # Where credentials come from; values are never shown.
        places = []
        for variable, source in check.provider.sources().items():
            places.append(source if variable in source else f"{variable} from {source}")
        detail = check.detail
        if places:
            detail += f" ({', '.join(places)})"
        label = check.provider.label.ljust(width)
        _show_check(console, check.state, label, detail, check.cure)
        if check.provider.notice:
            print_hanging(console, "      ", Text(one_line(check.provider.notice), "yellow"))


def _show_check(console: Console, state: str, name: str, detail: str, cure: str) -> None:
    from rich.text import Text

    from webquarry.cli.layout import link_urls, print_hanging

    mark, style = MARKS[state]
    lead = Text.assemble((f"  {mark} ", style), f"{name}  ")
    print_hanging(console, lead, link_urls(one_line(detail)))
    if cure:
        print_hanging(console, Text("      → ", "cyan"), link_urls(one_line(cure), "cyan"))
