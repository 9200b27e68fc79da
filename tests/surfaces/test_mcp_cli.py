"""The command `webquarry mcp`."""

from __future__ import annotations

import asyncio

import pytest
from typer.testing import CliRunner

from tests.duckduckgo_site import DuckDuckGoSite
from tests.surfaces.mcp.stdio_process import session
from webquarry.registry import module_names
from webquarry.surfaces import mcp_cli
from webquarry.surfaces.cli import app


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, bool]]:
    """What would be served, instead of serving it."""
    calls: list[tuple[str, str, bool]] = []

    def run(name: str, set_name: str, with_tools: bool) -> int:
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


def test_an_unknown_tool_set_is_wrong_usage_and_told_with_those_there_are(served: list[tuple[str, str, bool]]) -> None:
    done = CliRunner().invoke(app, ["mcp", "--toolset", "weather"])

    assert (done.exit_code, served) == (2, [])
    assert all(name in done.output for name in module_names("webquarry.tools"))


def test_tool_sets_complete() -> None:
    assert mcp_cli._toolsets("duck") == ["duckduckgo"]


def test_the_command_serves_as_the_script_does() -> None:
    async def run(site: DuckDuckGoSite) -> None:
        async with session(site.environ, "2025-06-18", ("webquarry", "mcp", "--toolset", "duckduckgo")) as client:
            result = await client.call_tool("web_search", {"query": "seal wear"})
            assert "## Web Search Results" in str(result.content)

    with DuckDuckGoSite() as site:
        asyncio.run(run(site))
