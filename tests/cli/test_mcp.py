"""The command `webquarry mcp`."""

from __future__ import annotations

import asyncio

import pytest
from click.testing import CliRunner

from tests.duckduckgo_site import DuckDuckGoSite
from tests.mcp.stdio_process import session
from webquarry.__main__ import main
from webquarry.cli.app import cli as app
from webquarry.mcp.serving import HttpServer
from webquarry.ui.guard import build_page


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Records what would be served on stdio."""
    calls: list[tuple[str, bool]] = []

    def run(set_name: str, with_tools: bool, *_: object) -> int:
        calls.append((set_name, with_tools))
        return 0

    monkeypatch.setattr("webquarry.mcp.stdio.run", run)
    return calls


def test_options_are_passed_to_the_http_server(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []

    def run(*arguments: object) -> int:
        calls.append(arguments)
        return 0

    monkeypatch.setattr("webquarry.mcp.serving.run", run)
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
    core = HttpServer("core", text_format="digest", logs=("info", "json"), build_page=build_page)
    assert calls == [
        (core, 8123),
        (HttpServer("research", host="0.0.0.0", workers=4, build_page=build_page), 9),
    ]


def test_the_start_without_the_command_line_parser_serves_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: list[str] = []

    def run(set_name: str, **options: object) -> int:
        served.append(set_name)
        return 0

    monkeypatch.setattr("webquarry.mcp.stdio.run", run)
    monkeypatch.setattr("sys.argv", ["webquarry", "mcp"])

    assert main() == 0
    monkeypatch.setattr("sys.argv", ["webquarry", "mcp", "--toolset", "core"])
    assert main() == 0
    assert served == ["research", "core"]


def test_the_command_serves_the_same_as_the_script() -> None:
    async def run(site: DuckDuckGoSite) -> None:
        async with session(
            site.environ, "2025-06-18", ("webquarry", "mcp", "--toolset", "duckduckgo")
        ) as client:
            result = await client.call_tool("web_search", {"query": "seal wear"})
            assert "## Web Search Results" in str(result.content)

    with DuckDuckGoSite() as site:
        asyncio.run(run(site))
