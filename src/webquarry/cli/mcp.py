"""`webquarry mcp` serves a tool set and configures clients, `webquarry token` manages the tokens of
an HTTP server, `webquarry ui` opens the local page.
"""

from __future__ import annotations

import os
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.mcp_config import CLIENTS, entry_for, read_variables, write_entry
from webquarry.cli.output import Output, with_output, with_text_output
from webquarry.errors import BadInput
from webquarry.tools import toolset_names

if TYPE_CHECKING:
    from webquarry.mcp.auth import TokenFile

_DURATION = re.compile(r"(\d{1,5})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_toolset = click.option(
    "--toolset",
    type=click.Choice(toolset_names()),
    default="research",
    show_default=True,
    help="The tools to serve; `core` is a subset of `research`.",
)


@click.group(invoke_without_command=True)
@_toolset
@click.option(
    "--with-tools", is_flag=True, help="Also serve the external tools found on this machine."
)
@click.option("--http", is_flag=True, help="Serve over HTTP; for other machines, see --host.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    envvar="PORT",
    help="The port with --http; 0 takes any free port.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    help="The address with --http; for other machines (0.0.0.0) callers need a token.",
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, help="Server processes with --http."
)
@click.option(
    "--text",
    type=click.Choice(["json", "markdown", "digest"]),
    help="Text of a result in addition to its structured content.",
)
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]))
@click.option("--log-format", type=click.Choice(["text", "json"]))
@click.pass_context
def mcp(
    context: click.Context,
    toolset: str,
    with_tools: bool,
    http: bool,
    port: int,
    host: str,
    workers: int,
    text: str | None,
    log_level: str | None,
    log_format: str | None,
) -> None:
    """Serve a tool set over MCP, on stdin and stdout unless --http is given."""
    if context.invoked_subcommand is not None:
        return
    logs = (log_level, log_format)
    if http:
        from webquarry.mcp.serving import HttpServer
        from webquarry.mcp.serving import run as run_http
        from webquarry.ui.guard import build_page

        server = HttpServer(toolset, with_tools, text, logs, host, workers, build_page)
        raise click.exceptions.Exit(run_http(server, port))
    from webquarry.mcp.stdio import run

    raise click.exceptions.Exit(run(toolset, with_tools, text, logs))


@mcp.command()
@click.argument("client", required=False, type=click.Choice(list(CLIENTS)))
@click.option("--write", is_flag=True, help="Write it to the client's file, with a backup.")
@click.option(
    "--file", type=click.Path(path_type=Path), help="Another file than the client's default."
)
@_toolset
@click.option(
    "--env",
    multiple=True,
    metavar="NAME[=VALUE]",
    help="Variable of the server, such as BRAVE_API_KEY=...; NAME alone takes its current value. "
    "May be repeated.",
)
@with_text_output
def config(
    output: Output,
    client: str | None,
    write: bool,
    file: Path | None,
    toolset: str,
    env: tuple[str, ...],
) -> None:
    """Print the configuration of a client, or write it with --write.

    CLIENT: claude (Claude Code), claude-desktop, cursor, vscode or codex. Default: list them.
    """
    if client is None:
        for name, known in CLIENTS.items():
            output.write(f"{name:<15} {known.label:<15} {known.usual_path()}")
        click.echo("One of them: webquarry mcp config CLIENT, or with --write", err=True)
        return
    chosen = CLIENTS[client]
    entry = entry_for(toolset, chosen.text, read_variables(env, os.environ))
    if not write:
        click.echo(chosen.merge("", entry), nl=False)
        click.echo(f"Put this into {chosen.usual_path()}, or use --write.", err=True)
        click.echo(f"Then: {chosen.look_for}", err=True)
        return
    path, backup = write_entry(chosen, entry, file)
    stored = f" Its former content is in {backup}." if backup else ""
    output.write(f"Written to {path}.{stored}")
    output.write(f"Then: {chosen.look_for}")


@click.group()
def token() -> None:
    """Manage tokens for callers of an HTTP server (webquarry mcp --http)."""


def _open_tokens() -> TokenFile:
    from webquarry.mcp.auth import TokenFile, tokens_path
    from webquarry.settings import Settings

    return TokenFile(tokens_path(Settings.from_environment(), os.environ))


@token.command()
@click.argument("name")
@click.option("--expires", help="Lifetime, such as 12h, 30d or 8w. Default: until it is revoked.")
@click.option(
    "--like",
    help="Existing token of the same caller, to share its sessions and answers.",
)
@click.option("--metrics", is_flag=True, help="Grant access to /metrics only, for Prometheus.")
@with_text_output
def add(output: Output, name: str, expires: str | None, like: str | None, metrics: bool) -> None:
    """Create a token and print it once; only its hash is stored."""
    from webquarry.mcp.auth import MCP, METRICS

    lifetime = None
    if expires is not None:
        match = _DURATION.fullmatch(expires.strip())
        if not match or not int(match[1]):
            raise BadInput(
                f"Invalid duration: {expires!r}.",
                suggested_action="Use a number and h, d or w, such as 30d.",
            )
        lifetime = timedelta(**{_UNITS[match[2]]: int(match[1])})
    created = _open_tokens().add(name, lasts=lifetime, like=like, use=METRICS if metrics else MCP)
    click.echo(f"The token {name!r} is shown only this once.", err=True)
    output.write(created)


@token.command("list")
@with_output
def list_(output: Output) -> None:
    """List the tokens: name, creation, expiry, use, caller."""
    from webquarry.clock import Clock
    from webquarry.mcp.auth import METRICS

    file = _open_tokens()
    tokens = file.tokens()
    rows: list[dict[str, Any]] = []
    for one in tokens:
        same = [other.name for other in tokens if other.principal == one.principal]
        row: dict[str, Any] = {
            "name": one.name,
            "created": one.created,
            "expires": one.expires,
            "expired": one.is_expired(Clock().now()),
            "use": "metrics" if one.use == METRICS else "mcp",
            "sameCallerAs": [name for name in same if name != one.name],
        }
        rows.append(row)

    def render() -> None:
        for row in rows:
            until = f"until {row['expires']}" if row["expires"] else "until it is revoked"
            words = [f"created {row['created']}", until]
            words += ["EXPIRED"] if row["expired"] else []
            words += ["for /metrics only"] if row["use"] == "metrics" else []
            if row["sameCallerAs"]:
                words.append(f"same caller as {', '.join(row['sameCallerAs'])}")
            output.write(f"{row['name']}  {', '.join(words)}")

    output.show({"tokens": rows}, render)
    if not rows:
        line = f"There is no token in {file.path}. Create one: webquarry token add NAME"
        click.echo(line, err=True)


@token.command()
@click.argument("name")
@with_text_output
def revoke(output: Output, name: str) -> None:
    """Revoke a token; running servers notice at once."""
    _open_tokens().revoke(name)
    click.echo(f"The token {name!r} is revoked.", err=True)


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port; 0 takes any free port."
)
@click.option("--no-open", is_flag=True, help="Print the address without opening a browser.")
@with_text_output
def ui(output: Output, port: int, no_open: bool) -> None:
    """Open a page in the browser: calls, sources, quotes in their texts, the bill."""
    import webbrowser

    from webquarry.ui.local import serve_page

    serve_page(port, None if no_open else webbrowser.open)
