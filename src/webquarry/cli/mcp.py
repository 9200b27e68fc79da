"""`webquarry mcp`: serve a tool set over MCP, and configure clients."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from webquarry.cli.options import complete, new_group
from webquarry.tools import toolset_names

_TEXTS = ("json", "markdown", "digest")
_LEVELS = ("debug", "info", "warning", "error")
_FORMATS = ("text", "json")

app = new_group("Serve a tool set over MCP, on stdin and stdout unless --http is given.")


def _list_clients() -> Iterable[str]:
    from webquarry.cli.mcp_config import CLIENTS

    return CLIENTS


Toolset = Annotated[
    str,
    typer.Option(
        help="The tools to serve: `research`, its subset `core`, or `duckduckgo`.",
        autocompletion=complete(toolset_names),
    ),
]
WithTools = Annotated[
    bool,
    typer.Option("--with-tools", help="Also serve the external tools found on this machine."),
]
Http = Annotated[
    bool,
    typer.Option("--http", help="Serve over HTTP; for other machines, see --host."),
]
Port = Annotated[
    int,
    typer.Option(
        envvar="PORT", help="The port with --http; 0 takes any free port.", min=0, max=65535
    ),
]
Host = Annotated[
    str,
    typer.Option(
        help="The address with --http; for other machines (0.0.0.0) callers need a token."
    ),
]
Workers = Annotated[int, typer.Option(help="Server processes with --http.", min=1, max=64)]
ResultText = Annotated[
    str | None,
    typer.Option(
        help="Text of a result beside its structured content: `json`, `markdown` or `digest`.",
        autocompletion=complete(lambda: _TEXTS),
    ),
]
LogLevel = Annotated[
    str | None,
    typer.Option(help="Log level: debug, info, warning or error."),
]
LogFormat = Annotated[str | None, typer.Option(help="Log format: `text` or `json`.")]


@app.callback(invoke_without_command=True)
def mcp(
    context: typer.Context,
    toolset: Toolset = "research",
    with_tools: WithTools = False,
    http: Http = False,
    port: Port = 8000,
    host: Host = "127.0.0.1",
    workers: Workers = 1,
    text: ResultText = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
) -> None:
    """Serve a tool set over MCP, on stdin and stdout unless --http is given."""
    if context.invoked_subcommand is not None:
        return
    _check_choice(toolset, toolset_names(), "--toolset", f"There is no tool set {toolset!r}")
    _check_choice(text, _TEXTS, "--text", f"{text!r} is not known")
    _check_choice(log_level, _LEVELS, "--log-level", f"{log_level!r} is not known")
    _check_choice(log_format, _FORMATS, "--log-format", f"{log_format!r} is not known")
    logs = (log_level, log_format)
    if http:
        from webquarry.mcp.serving import HttpServer
        from webquarry.mcp.serving import run as run_http
        from webquarry.ui.guard import build_page

        server = HttpServer(toolset, with_tools, text, logs, host, workers, build_page)
        raise typer.Exit(run_http(server, port))
    from webquarry.mcp.stdio import run

    raise typer.Exit(run(toolset, with_tools, text, logs))


@app.command()
def config(
    client: Annotated[
        str | None,
        typer.Argument(
            help="claude (Claude Code), claude-desktop, cursor, vscode or codex. Default: list "
            "them.",
            autocompletion=complete(_list_clients),
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write it to the client's file, with a backup.")
    ] = False,
    file: Annotated[
        Path | None, typer.Option(help="Another file than the client's default.")
    ] = None,
    toolset: Annotated[
        str,
        typer.Option(help="The tool set of the client.", autocompletion=complete(toolset_names)),
    ] = "research",
    env: Annotated[
        list[str] | None,
        typer.Option(
            help="Variable of the server, such as BRAVE_API_KEY=...; NAME alone takes its current "
            "value. May be repeated.",
            metavar="NAME[=VALUE]",
        ),
    ] = None,
) -> None:
    """Print the configuration of a client, or write it with --write."""
    from webquarry.cli.mcp_config import CLIENTS, entry_for, read_variables, write_entry
    from webquarry.cli.output import command_output

    if client is None:
        for name, known in CLIENTS.items():
            typer.echo(f"{name:<15} {known.label:<15} {known.usual_path()}")
        typer.echo("One of them: webquarry mcp config CLIENT, or with --write", err=True)
        return
    _check_choice(client, tuple(CLIENTS), "CLIENT", f"There is no client {client!r}")
    _check_choice(toolset, toolset_names(), "--toolset", f"There is no tool set {toolset!r}")
    with command_output(False):
        chosen = CLIENTS[client]
        variables = read_variables(env or (), os.environ)
        entry = entry_for(toolset, chosen.text, variables)
        if not write:
            typer.echo(chosen.block(entry), nl=False)
            typer.echo(f"Put this into {chosen.usual_path()}, or use --write.", err=True)
            typer.echo(f"Then: {chosen.look_for}", err=True)
            return
        path, backup = write_entry(chosen, entry, file)
        report = f"Written to {path}."
        if backup:
            report += f" What it held before is in {backup}."
        typer.echo(report)
        typer.echo(f"Then: {chosen.look_for}")


def _check_choice(
    value: str | None, choices: list[str] | tuple[str, ...], flag: str, problem: str
) -> None:
    """Raise a usage error for a value that is not a choice."""
    if value is not None and value not in choices:
        raise typer.BadParameter(f"{problem}; there are: {', '.join(choices)}.", param_hint=flag)
