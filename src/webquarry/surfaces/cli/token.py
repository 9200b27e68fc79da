"""`webquarry token`: who may use a server that serves others."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from webquarry.surfaces.server.tokens import TokenFile

app = typer.Typer(
    help="Tokens for callers of a server that serves others (webquarry mcp --http).",
    no_args_is_help=True,
)

_DURATION = re.compile(r"(\d{1,5})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="What to call it, such as `laptop`.")],
    expires: Annotated[
        str | None,
        typer.Option(
            help="How long it is good, such as 12h, 30d or 8w. Not given: until it is revoked."
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            help="Another token of the same caller, whose sessions and answers it shares."
        ),
    ] = None,
    metrics: Annotated[
        bool,
        typer.Option(
            "--metrics", help="For reading /metrics and nothing else, such as Prometheus does."
        ),
    ] = False,
) -> None:
    """Make a token and print it once; only its hash is kept."""
    from webquarry.errors import BadInput
    from webquarry.surfaces.server.tokens import MCP, METRICS
    from webquarry.surfaces.terminal import command_output

    with command_output(False):
        file = _open_file()
        lasts = None
        if expires is not None:
            match = _DURATION.fullmatch(expires.strip())
            if not match or not int(match[1]):
                raise BadInput(
                    f"{expires!r} is no duration.",
                    suggested_action="Use a number and h, d or w, such as 30d.",
                )
            unit = _UNITS[match[2]]
            lasts = timedelta(**{unit: int(match[1])})
        use = METRICS if metrics else MCP
        token = file.add(name, lasts=lasts, like=like, use=use)
        typer.echo(f"This is the only time that the token {name!r} is shown.", err=True)
        typer.echo(token)


@app.command("list")
def list_() -> None:
    """Show the tokens that there are: name, when they were made, when they end, what for, which
    share a caller.
    """
    from webquarry.clock import Clock
    from webquarry.surfaces.server.tokens import METRICS
    from webquarry.surfaces.terminal import command_output

    with command_output(False):
        file = _open_file()
        tokens = file.tokens()
        if not tokens:
            typer.echo(
                f"There is no token in {file.path}. Make one: webquarry token add NAME", err=True
            )
            return
        now = Clock().now()
        width = max(len(token.name) for token in tokens)
        for token in tokens:
            until = token.expires or "revoked"
            line = f"{token.name:<{width}}  made {token.created}  until {until}"
            if token.is_over(now):
                line += "  EXPIRED"
            if token.use == METRICS:
                line += "  for /metrics alone"
            shared = []
            for other in tokens:
                if other.principal == token.principal and other.name != token.name:
                    shared.append(other.name)
            if shared:
                line += f"  same caller as {', '.join(shared)}"
            typer.echo(line)


@app.command()
def revoke(name: Annotated[str, typer.Argument(help="The token's name.")]) -> None:
    """Make a token worthless at once; running servers notice."""
    from webquarry.surfaces.terminal import command_output

    with command_output(False):
        _open_file().revoke(name)
        typer.echo(f"The token {name!r} is revoked.", err=True)


def _open_file() -> TokenFile:
    from webquarry.settings import Settings
    from webquarry.surfaces.server.tokens import TokenFile, tokens_path

    return TokenFile(tokens_path(Settings.from_environment(), os.environ))
