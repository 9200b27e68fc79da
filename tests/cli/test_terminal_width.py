"""What a person sees on a terminal of 60 and of 120 columns: no line is wider, words stay whole, and
errors are as readable as answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.text import Text

from tests.ask.fakes import FakeServers, home
from tests.cli.test_app import RECORDED, on_terminal, without_colours

pytestmark = pytest.mark.slow

PAGE = "https://wiki.openwaters.example/wiki/Tidal_energy_storage"
ARTICLE = "https://tidelines.example/2026/09/storing-the-tide"
BRAVE = RECORDED | {"BRAVE_API_KEY": "demo"}
both_widths = pytest.mark.parametrize("columns", [60, 120])


def see(columns: int, *arguments: str, **settings: str) -> str:
    shown = BRAVE | {"COLUMNS": str(columns), "LINES": "1000"} | settings
    return without_colours(on_terminal(*arguments, **shown))


def widest(seen: str) -> int:
    return max(Text(line).cell_len for line in seen.splitlines())


@both_widths
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["search", "tidal", "energy", "storage"], "2026-09-14"),
        (["read", PAGE], "Round-trip"),
        (["read", ARTICLE, "--max-length", "900"], "--cursor"),
        (["read", ARTICLE, "--raw"], "<!DOCTYPE html>"),
        (["cite", ARTICLE], "Calloway, I. (2026, September 14)."),
        (["patents", "tidal", "turbine", "folding", "blades"], "US10999999B2"),
        (["doctor", "--offline", "--all"], "Registers of patents"),
        (["call", "scrape_page", "--help"], "citation_style"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_no_line_is_wider_than_the_terminal(
    columns: int, command: list[str], expected: str
) -> None:
    seen = see(columns, *command)

    assert expected in seen
    is_source = "--raw" in command  # the text of the server is not wrapped
    lines = [line for line in seen.splitlines() if "webquarry " not in line]  # to be copied
    assert is_source or widest("\n".join(lines)) <= columns


@both_widths
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["search", "x", "--no-such-flag"], "No such option"),
        (["search"], "Missing argument"),
        (["search", "x", "--provider", "braev"], "no search provider 'braev'"),
        (["read", "https://shop.chandlery.example/clearance"], "captcha"),
        (["cite", ARTICLE, "--style", "chicago"], "bibtex"),
        (["call", "web_search"], "webquarry call web_search --help"),
        (["session", "show", "zzz"], "Error: There is no research session"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_fits_the_terminal_too(
    columns: int, command: list[str], expected: str, tmp_path: Path
) -> None:
    seen = see(columns, *command, WEBQUARRY_STATE_FOLDER=str(tmp_path))

    assert expected in " ".join(seen.replace("│", " ").split())
    assert widest(seen) <= columns


@both_widths
def test_error_lines_have_a_hanging_indent(columns: int) -> None:
    lines = see(columns, "search", "x", "--provider", "braev").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("Try: "))

    assert len(lines) > start + 1
    assert lines[start + 1].startswith("     ")


@pytest.fixture
def stage() -> Iterator[FakeServers]:
    with FakeServers() as stage:
        yield stage


@both_widths
def test_an_answer_is_rendered_and_wrapped_with_its_sources(
    columns: int, stage: FakeServers, tmp_path: Path
) -> None:
    sentence = "- **Nobody** knows, and it is not to be found out by asking again and again."
    stage.answer = lambda question, model: f"# Who\n\n{sentence}\n{sentence}"
    environ = home(stage, tmp_path) | {"COLUMNS": str(columns)}
    seen = without_colours(on_terminal("ask", "Who", "is", "it?", "[search]", **environ))

    assert "# Who" not in seen
    assert "**" not in seen
    assert " • Nobody knows" in seen
    assert " 1. " in seen
    assert widest(seen) <= columns
    assert stage.bodies[0]["messages"][0]["content"].endswith("Who is it? [search]")


def test_page_has_its_citation_below() -> None:
    lines = see(120, "read", ARTICLE).splitlines()

    assert lines[0].strip() == "Storing the tide: how a battery fills the gap at slack water"
    assert any(line.startswith("Cite: Calloway, I.") for line in lines)


def test_addresses_are_links() -> None:
    for command in (["search", "tidal energy storage"], ["read", ARTICLE], ["cite", ARTICLE]):
        assert f";{ARTICLE}\x1b\\" in on_terminal(*command, **BRAVE)
