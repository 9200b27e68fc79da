"""Doctor shows the result first, then the problems, and with `--all` everything."""

from __future__ import annotations

import pytest

from tests.cli.doctor.reports import shown
from tests.cli.test_app import Runner, on_terminal, without_colours
from webquarry._search.providers.brave import Brave
from webquarry._search.providers.duckduckgo import DuckDuckGo
from webquarry.doctor.checks import CheckResult
from webquarry.doctor.examine import Report, ServiceCheck


def check(state: str, *, reachable: bool | None = True) -> ServiceCheck:
    return ServiceCheck(DuckDuckGo({}), state, "-", reachable=reachable, chosen=False)


@pytest.mark.parametrize(
    "settings", [{}, {"WEBQUARRY_MAX_BYTES": "many", "GOOGLE_SEARCH_API_KEY": "half"}]
)
def test_report_fits_on_one_screen_and_starts_with_the_result(settings: dict[str, str]) -> None:
    lines = without_colours(on_terminal("doctor", "--offline", **settings)).splitlines()

    assert len(lines) <= 12
    assert lines[0][0] in ("✗" if settings else "✓")
    assert lines[-1].endswith("webquarry doctor --all")


def test_equal_problems_are_grouped() -> None:
    parts = [CheckResult(name, "warning", "It is away.", "Wait.") for name in ("one", "two")]

    assert "  ! one, two: It is away. → Wait.\n" in shown(
        Report([check("ok")], parts), everything=False
    )


def test_all_shows_every_provider_below_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Runner(monkeypatch)("doctor", "--offline", "--all", "--text").stdout.decode()

    assert text.startswith("✓ No key is configured")
    assert text.index("No key is configured") < text.index("Search providers")
    assert "Hacker News" in text
    assert "Parts" in text


@pytest.mark.parametrize(
    ("found", "words", "mark"),
    [
        (check("ok"), "searches go to DuckDuckGo, without a key. A key", "✓"),
        (check("ok", reachable=None), "None of them was asked", "✓"),
        (check("warning", reachable=False), "Searching would fail now", "!"),
    ],
)
def test_advice_about_search_matches_the_probes(found: ServiceCheck, words: str, mark: str) -> None:
    off = ServiceCheck(Brave({}), "off", "not configured")
    report = Report([off, found], [])

    assert words in report.advice
    assert "BRAVE_API_KEY" in report.advice
    assert shown(report).startswith(mark)
