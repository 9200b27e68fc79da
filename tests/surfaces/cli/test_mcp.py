"""The command `webquarry mcp`."""

from __future__ import annotations

import asyncio

import pytest
from typer.testing import CliRunner

from tests.duckduckgo_site import DuckDuckGoSite
from tests.surfaces.mcp.stdio_process import session
from webquarry.__main__ import main
from webquarry.registry import module_names
from webquarry.surfaces.cli import mcp as mcp_cli
from webquarry.surfaces.cli.app import app
from webquarry.surfaces.server.app import ListenOptions


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, bool]]:
    """What would be served, instead of serving it."""
    calls: list[tuple[str, str, bool]] = []

    def run(name: str, set_name: str, with_tools: bool, *_: object) -> int:
        calls.append((name, set_name, with_tools))
        return 0

    monkeypatch.setattr("webquarry.surfaces.mcp.stdio.run", run)
    return calls


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        ([], ("webquarry", "research", False)),
        (["--toolset", "research"], ("webquarry", "research", False)),
        (["--toolset", "duckduckgo"], ("websearch-mcp", "duckduckgo", False)),
        (["--with-tools"], ("webquarry", "research", True)),
    ],
)
def test_the_tool_set_that_is_named_is_served_and_research_otherwise(
    served: list[tuple[str, str, bool]], flags: list[str], names: tuple[str, str, bool]
) -> None:
    assert CliRunner().invoke(app, ["mcp", *flags]).exit_code == 0
    assert served == [names]


def test_an_unknown_tool_set_is_wrong_usage_and_told_with_those_there_are(
    served: list[tuple[str, str, bool]],
) -> None:
    done = CliRunner().invoke(app, ["mcp", "--toolset", "weather"])

    assert (done.exit_code, served) == (2, [])
    assert all(name in done.output for name in (*module_names("webquarry.tools"), "core"))


@pytest.mark.parametrize(
    ("flag", "value"),
    [("--text", "yaml"), ("--log-level", "loud"), ("--log-format", "xml"), ("--port", "70000")],
)
def test_a_value_that_a_flag_does_not_take_is_wrong_usage(
    served: list[tuple[str, str, bool]], flag: str, value: str
) -> None:
    done = CliRunner().invoke(app, ["mcp", flag, value])

    assert (done.exit_code, served) == (2, [])


def test_flags_reach_the_server_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []

    def run(*arguments: object) -> int:
        calls.append(arguments)
        return 0

    monkeypatch.setattr("webquarry.surfaces.server.app.run", run)
    monkeypatch.setenv("PORT", "8123")
    flags = [
        "--http",
        "--toolset",
        "core",
        "--text",
        "digest",
        "--log-level",
        "info",
        "--log-format",
        "json",
    ]

    assert CliRunner().invoke(app, ["mcp", *flags]).exit_code == 0
    assert (
        CliRunner()
        .invoke(app, ["mcp", "--http", "--port", "9", "--host", "0.0.0.0", "--workers", "4"])
        .exit_code
        == 0
    )
    assert calls == [
        ("webquarry", "core", False, "digest", ("info", "json"), ListenOptions("127.0.0.1", 8123)),
        ("webquarry", "research", False, None, (None, None), ListenOptions("0.0.0.0", 9, 4)),
    ]


def test_the_usual_start_reads_no_flags_and_serves_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[object, ...]] = []

    def run(*arguments: object) -> int:
        calls.append(arguments)
        return 0

    monkeypatch.setattr("webquarry.surfaces.mcp.stdio.run", run)
    monkeypatch.setattr("sys.argv", ["webquarry", "mcp"])

    assert main() == 0
    monkeypatch.setattr("sys.argv", ["webquarry", "mcp", "--toolset", "core"])
    assert main() == 0
    assert calls == [
        ("webquarry", "research", False, None),
        ("webquarry", "core", False, None),
    ]


def test_tool_sets_complete() -> None:
    assert mcp_cli._complete_toolset("duck") == ["duckduckgo"]


def test_the_command_serves_as_the_script_does() -> None:
    async def run(site: DuckDuckGoSite) -> None:
        async with session(
            site.environ, "2025-06-18", ("webquarry", "mcp", "--toolset", "duckduckgo")
        ) as client:
            result = await client.call_tool("web_search", {"query": "seal wear"})
            assert "## Web Search Results" in str(result.content)

    with DuckDuckGoSite() as site:
        asyncio.run(run(site))
