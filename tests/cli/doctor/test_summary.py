"""Doctor in ten lines: the verdict first, then what is wrong, and `--all` for everything."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.cli.test_app import Runner, on_terminal, without_colours
from webquarry._search.providers.brave import Brave
from webquarry._search.providers.duckduckgo import DuckDuckGo
from webquarry.cli.doctor import show_summary
from webquarry.doctor.checks import CheckResult
from webquarry.doctor.examine import Report, ServiceCheck

LONG = "It did not do what it was asked to do, for a reason that takes some words to tell. " * 2


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(monkeypatch)


def summarize(report: Report, width: int) -> list[str]:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, highlight=False)
    show_summary(console, report)
    assert isinstance(console.file, io.StringIO)
    return without_colours(console.file.getvalue()).splitlines()


def check(state: str, *, reachable: bool | None = True) -> ServiceCheck:
    return ServiceCheck(DuckDuckGo({}), state, "-", reachable=reachable, chosen=False)


@pytest.mark.parametrize("columns", ["60", "120"])
@pytest.mark.parametrize(
    "settings", [{}, {"WEBQUARRY_MAX_BYTES": "many", "GOOGLE_SEARCH_API_KEY": "half"}]
)
def test_it_is_ten_lines_at_most_and_the_first_is_the_verdict(
    columns: str, settings: dict[str, str]
) -> None:
    lines = without_colours(
        on_terminal("doctor", "--offline", COLUMNS=columns, **settings)
    ).splitlines()

    assert len(lines) <= 10
    assert lines[0][0] in ("✗" if settings else "✓")
    assert lines[-1].endswith("webquarry doctor --all")
    assert all(len(line) <= int(columns) for line in lines)


@pytest.mark.parametrize("width", [60, 120])
def test_omitted_problems_are_counted(width: int) -> None:
    parts = [CheckResult(f"part {number}", "broken", f"{number} {LONG}") for number in range(9)]
    lines = summarize(Report([check("ok")], parts), width)

    assert len(lines) <= 10
    assert "does not work: part 0, part 1" in " ".join(" ".join(lines).split())
    shown = sum(line.startswith("✗ part") for line in lines)
    assert lines[-1].startswith(f"{9 - shown} more, ")


def test_equal_problems_are_grouped() -> None:
    parts = [CheckResult(name, "warning", "It is away.", "Wait.") for name in ("one", "two")]
    lines = summarize(Report([check("ok")], parts), 120)

    assert "! one, two: It is away. → Wait." in lines


def test_all_shows_every_provider_below_the_verdict(run: Runner) -> None:
    text = run("doctor", "--offline", "--all", "--text").stdout.decode()

    assert text.startswith("✓ No key is configured")
    assert text.index("No key is configured") < text.index("Search providers")
    assert "Hacker News" in text
    assert "Parts" in text


@pytest.mark.parametrize(
    ("found", "words", "mark"),
    [
        (check("ok"), "searches go to DuckDuckGo", "✓"),
        (check("ok", reachable=None), "needs none, but was not asked", "✓"),
        (check("warning", reachable=False), "Searching would fail now", "!"),
    ],
)
def test_advice_about_search_matches_the_probes(found: ServiceCheck, words: str, mark: str) -> None:
    off = ServiceCheck(Brave({}), "off", "not configured")
    report = Report([off, found], [])
    first, *_ = summarize(report, 120)

    assert words in report.advice
    assert ("searches go to" in report.advice) == bool(found.reachable)
    assert "BRAVE_API_KEY" in report.advice
    assert first.startswith(mark)
