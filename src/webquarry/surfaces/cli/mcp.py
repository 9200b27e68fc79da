"""The command `webquarry mcp`: a tool set as an MCP server, on stdin and stdout or over HTTP, and
how clients find it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from webquarry.registry import module_names

_SCRIPTS = {
    "duckduckgo": "websearch-mcp"
}  # how a set calls itself where it has a script of its own
_TEXTS = ("json", "markdown", "digest")
_LEVELS = ("debug", "info", "warning", "error")
_FORMATS = ("text", "json")

app = typer.Typer(help="Serve a tool set over MCP, on stdin and stdout unless --http is given.")


def _toolsets(incomplete: str) -> list[str]:
    return [name for name in _served_sets() if name.startswith(incomplete)]


def _served_sets() -> list[str]:
    """As the server knows them, but without importing it."""
    from importlib import import_module

    sets = module_names("webquarry.tools")
    parts = [
        part
        for name in sets
        for part in getattr(import_module(f"webquarry.tools.{name}"), "PARTS", {})
    ]
    return sorted([*sets, *parts])


@app.callback(invoke_without_command=True)
def mcp(
    context: typer.Context,
    toolset: Annotated[
        str,
        typer.Option(
            help="The tools to serve: `research`, its smaller part `core`, or `duckduckgo` as "
            "websearch-mcp does.",
            autocompletion=_toolsets,
        ),
    ] = "research",
    with_tools: Annotated[
        bool,
        typer.Option(
            "--with-tools", help="Serve the external tools found on this machine besides."
        ),
    ] = False,
    http: Annotated[
        bool,
        typer.Option("--http", help="Serve over HTTP; for others than this machine, see --host."),
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            envvar="PORT", help="The port with --http; 0 takes any that is free.", min=0, max=65535
        ),
    ] = 8000,
    host: Annotated[
        str,
        typer.Option(
            help="The address with --http; beyond this machine (0.0.0.0) callers must show a token."
        ),
    ] = "127.0.0.1",
    workers: Annotated[
        int, typer.Option(help="Processes that serve, with --http.", min=1, max=64)
    ] = 1,
    text: Annotated[
        str | None,
        typer.Option(
            help="What the text of a result holds beside its structured content: `json`, "
            "`markdown` or `digest`.",
            autocompletion=lambda: list(_TEXTS),
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(help="Least important message on stderr: debug, info, warning or error."),
    ] = None,
    log_format: Annotated[
        str | None, typer.Option(help="How messages are written: `text` or `json`.")
    ] = None,
) -> None:
    """Serve a tool set over MCP, on stdin and stdout unless --http is given."""
    if context.invoked_subcommand is not None:
        return
    _one_of(toolset, _served_sets(), "--toolset", f"There is no tool set {toolset!r}")
    for value, known, flag in (
        (text, _TEXTS, "--text"),
        (log_level, _LEVELS, "--log-level"),
        (log_format, _FORMATS, "--log-format"),
    ):
        _one_of(value, known, flag, f"{value!r} is not known")
    name = _SCRIPTS.get(toolset, "webquarry")
    if http:
        from webquarry.surfaces.server.app import ListenOptions
        from webquarry.surfaces.server.app import run as run_http

        place = ListenOptions(host, port, workers)
        raise typer.Exit(run_http(name, toolset, with_tools, text, (log_level, log_format), place))
    from webquarry.surfaces.mcp.stdio import run

    raise typer.Exit(run(name, toolset, with_tools, text, (log_level, log_format)))


def _one_of(value: str | None, known: list[str] | tuple[str, ...], flag: str, problem: str) -> None:
    if value is not None and value not in known:
        raise typer.BadParameter(f"{problem}; there are: {', '.join(known)}.", param_hint=flag)


@app.command()
def config(
    client: Annotated[str, typer.Argument(help="claude, claude-desktop, cursor, vscode or codex.")],
    write: Annotated[
        bool, typer.Option("--write", help="Write it into the client's file, with a backup.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option(help="Another file than the client's usual one.")
    ] = None,
    toolset: Annotated[
        str, typer.Option(help="The tool set that the client gets.", autocompletion=_toolsets)
    ] = ("research"),
) -> None:
    """Print what a client needs to start this server, or write it where the client looks."""
    from webquarry.surfaces.cli.mcp_config import CLIENTS, entry_for, write_entry
    from webquarry.surfaces.cli.terminal import command_output

    _one_of(client, tuple(CLIENTS), "CLIENT", f"There is no client {client!r}")
    _one_of(toolset, _served_sets(), "--toolset", f"There is no tool set {toolset!r}")
    with command_output(False):
        if not write:
            typer.echo(CLIENTS[client].block(entry_for(toolset)), nl=False)
            return
        place, backup = write_entry(CLIENTS[client], entry_for(toolset), file)
        typer.echo(
            f"Written to {place}." + (f" What it held before is in {backup}." if backup else "")
        )
