"""Doctor's report in ten lines: the verdict, what is wrong with its cure, then what there is.

What does not fit is counted, and `--all` shows it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from webquarry.cli.doctor.view import MARKS, show_verdict
from webquarry.doctor.check_result import CheckResult
from webquarry.doctor.examine import Report, ServiceCheck
from webquarry.surfaces.display.layout import link_urls, print_hanging
from webquarry.surfaces.terminal import one_line

_MOST_LINES = 10
_MOST_NAMES = 3
_WRONG = ("broken", "warning")
Show = Callable[[Console], None]


def show_summary(console: Console, report: Report) -> None:
    """The report in at most ten lines of this console."""
    draft = Console(  # where it is seen how many lines something takes
        file=io.StringIO(), width=console.width, force_terminal=console.is_terminal
    )

    def count_lines(show: Show) -> int:
        with draft.capture() as captured:
            show(draft)
        return captured.get().count("\n")

    def show_verdict_of_report(console: Console) -> None:
        show_verdict(console, report)

    chosen: list[Show] = [show_verdict_of_report]
    room = _MOST_LINES - count_lines(show_verdict_of_report) - 1  # the last one names --all
    left_out = 0
    problems = _list_problems(report)
    for show in (*problems, *_list_groups(report)):
        count = count_lines(show)
        if count <= room:
            chosen.append(show)
            room -= count
        elif show in problems:
            left_out += 1
    for show in chosen:
        show(console)
    rest = "Everything: webquarry doctor --all"
    if left_out:
        rest = f"{left_out} more, and everything: webquarry doctor --all"
    console.print(Text(rest, "dim"), soft_wrap=True)


def _list_problems(report: Report) -> list[Show]:
    """What does not work, what is configured first, each with its cure; what ails several in the
    same way is told once.
    """
    names: dict[tuple[str, str, str], list[str]] = {}
    for check in (*report.providers, *report.indexes, *report.registers):
        ailment = (check.state, check.detail, check.cure)
        names.setdefault(ailment, []).append(check.provider.label)
    for part in report.parts:
        names.setdefault((part.state, part.detail, part.cure), []).append(part.name)
    wrong = [ailment for ailment in names if ailment[0] in _WRONG]
    wrong.sort(key=lambda ailment: _WRONG.index(ailment[0]))
    shows: list[Show] = []
    for state, detail, cure in wrong:
        who = ", ".join(names[state, detail, cure])
        shows.append(partial(_print_problem, state=state, name=who, detail=detail, cure=cure))
    return shows


def _print_problem(console: Console, *, state: str, name: str, detail: str, cure: str) -> None:
    mark, style = MARKS[state]
    sentence = f"{name}: {one_line(detail).rstrip('.')}."
    line = link_urls(sentence)
    if cure:
        line = Text.assemble(line, link_urls(f" → {one_line(cure)}", "cyan"))
    print_hanging(console, Text(f"{mark} ", style), line)


def _list_groups(report: Report) -> list[Show]:
    """What there is, a line a group."""
    groups = {
        "search": _describe_services(report.providers),
        "papers": _describe_services(report.indexes),
        "patents": _describe_services(report.registers) or "web pages of patent sites",
        "model": _describe_model(report.parts),
    }
    shows: list[Show] = []
    for name, words in groups.items():
        if words:
            lead = Text(f"  {name:<9}", "bold")
            shows.append(partial(print_hanging, lead=lead, text=Text(words)))
    return shows


def _describe_services(checks: Sequence[ServiceCheck]) -> str:
    """Who is there, by name or by number, and whether they answered."""
    ready = [check for check in checks if check.configured and check.state != "broken"]
    if not ready:
        return ""
    names = [check.provider.label for check in ready]
    words = f"{len(names)} of {len(checks)}"
    if len(names) <= _MOST_NAMES:
        words = ", ".join(names)
    answered = sum(bool(check.reachable) for check in ready)
    if all(check.reachable is None for check in ready):
        return f"{words} (not asked)"
    if answered == len(ready):
        return f"{words} (answered)"
    return f"{words} ({answered} of {len(ready)} answered)"


def _describe_model(parts: Sequence[CheckResult]) -> str:
    """Whether questions can be asked."""
    for part in parts:
        if part.name == "model" and part.state not in _WRONG:
            return one_line(part.detail)
    return ""
