"""The command `webquarry mcp`: a tool set as an MCP server on stdin and stdout."""

from __future__ import annotations

from typing import Annotated

import typer

from webquarry.registry import module_names

_SCRIPTS = {"duckduckgo": "websearch-mcp"}  # how a set calls itself where it has a script of its own


def _toolsets(incomplete: str) -> list[str]:
    return [name for name in module_names("webquarry.tools") if name.startswith(incomplete)]


def mcp(
    toolset: Annotated[
        str,
        typer.Option(
            help="The tools to serve: `research`, or `duckduckgo` as the script websearch-mcp does.",
            autocompletion=_toolsets,
        ),
    ] = "research",
    with_tools: Annotated[
        bool, typer.Option("--with-tools", help="Serve the external tools found on this machine besides.")
    ] = False,
) -> None:
    """Serve a tool set over MCP on stdin and stdout."""
    if toolset not in module_names("webquarry.tools"):
        known = ", ".join(module_names("webquarry.tools"))
        raise typer.BadParameter(f"There is no tool set {toolset!r}; there are: {known}.", param_hint="--toolset")
    from webquarry.surfaces.mcp.stdio import run

    raise typer.Exit(run(_SCRIPTS.get(toolset, "webquarry"), toolset, with_tools))
