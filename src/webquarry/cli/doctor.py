"""`webquarry doctor`: the report on the configuration, on one screen or with `--all` in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from webquarry import __version__
from webquarry.bridge import bridge
from webquarry.cli.output import Output, pager_option, with_output
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
_MOST_LINES = 10
_MOST_NAMES = 3


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
    show = show_report if everything else show_summary
    output.show(report.as_dict(), lambda console: show(console, report), pager=pager)
    if not report.ok:
        raise click.exceptions.Exit(1)


def show_summary(console: Console, report: Report) -> None:
    """Show the result, the problems and the services in at most ten lines."""
    from rich.text import Text

    shown = _render(console, *_result_mark(report), report.advice)
    left_out = 0
    for mark, style, words, cure in _list_problems(report):
        lines = _render(console, mark, style, words, cure)
        if len(shown) + len(lines) < _MOST_LINES:
            shown += lines
        else:
            left_out += 1
    for name, words in _list_groups(report).items():
        lines = _render(console, f"  {name:<8}", "bold", words)
        if words and len(shown) + len(lines) < _MOST_LINES:
            shown += lines
    for line in shown:
        console.file.write(f"{line}\n")
    rest = f"{left_out} more, and everything" if left_out else "Everything"
    console.print(Text(f"{rest}: webquarry doctor --all", "dim"), soft_wrap=True)


def show_report(console: Console, report: Report) -> None:
    """Show the whole report: one line per check, with its cure below it."""
    from rich.text import Text

    for line in _render(console, *_result_mark(report), report.advice):
        console.file.write(f"{line}\n")
    console.print(Text(f"  webquarry {__version__}", "dim"))
    sections = {
        "Search providers": report.providers,
        "Scholarly indexes": report.indexes,
        "Registers of patents": report.registers,
    }
    for title, checks in sections.items():
        if checks:
            console.print(Text(f"\n{title}", "bold"))
        for check in checks:
            # Where credentials come from; values are never shown.
            places = []
            for variable, source in check.provider.sources().items():
                places.append(source if variable in source else f"{variable} from {source}")
            detail = check.detail + (f" ({', '.join(places)})" if places else "")
            notes = (check.cure, check.provider.notice)
            _show_check(console, check.state, check.provider.label, detail, notes)
    console.print(Text("\nParts", "bold"))
    for part in report.parts:
        _show_check(console, part.state, part.name, part.detail, (part.cure,))


def _show_check(console: Console, state: str, name: str, detail: str, notes: Sequence[str]) -> None:
    from rich.text import Text

    from webquarry.cli.render import link_urls, print_hanging

    mark, style = MARKS[state]
    lead = Text.assemble((f"  {mark} ", style), f"{name:<16}  ")
    print_hanging(console, lead, link_urls(one_line(detail)), indent=6)
    for note in filter(None, notes):
        print_hanging(console, Text("      → ", "cyan"), link_urls(one_line(note), "cyan"))


def _render(console: Console, mark: str, style: str, sentence: str, cure: str = "") -> list[str]:
    """Render a sentence and its cure to the lines of this console."""
    from rich.text import Text

    from webquarry.cli.render import link_urls, print_hanging

    text = link_urls(one_line(sentence))
    if cure:
        text = Text.assemble(text, link_urls(f" → {one_line(cure)}", "cyan"))
    with console.capture() as captured:
        print_hanging(console, Text(f"{mark} ", style), text)
    return captured.get().splitlines()


def _result_mark(report: Report) -> tuple[str, str]:
    if not report.ok:
        return MARKS["broken"]
    return MARKS["ok" if report.can_search else "warning"]


def _list_problems(report: Report) -> Iterator[tuple[str, str, str, str]]:
    """Yield what does not work, errors first; services with the same problem together."""
    names: dict[tuple[str, str, str], list[str]] = {}
    for check in report.services:
        names.setdefault((check.state, check.detail, check.cure), []).append(check.provider.label)
    for part in report.parts:
        names.setdefault((part.state, part.detail, part.cure), []).append(part.name)
    for wanted in ("broken", "warning"):
        for (state, detail, cure), members in names.items():
            if state == wanted:
                sentence = f"{', '.join(members)}: {one_line(detail).rstrip('.')}."
                yield *MARKS[state], sentence, cure


def _list_groups(report: Report) -> dict[str, str]:
    """The usable services of each kind, and the model."""
    models = [p.detail for p in report.parts if p.name == "model" and p.state in ("ok", "off")]
    return {
        "search": _describe_services(report.providers),
        "papers": _describe_services(report.indexes),
        "patents": _describe_services(report.registers) or "web pages of patent sites",
        "model": "".join(models),
    }


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
