"""`webquarry token`: tokens for callers of an HTTP server."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.cli.options import AsJson, complete, new_group
from webquarry.cli.output import command_output

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.mcp.auth import TokenFile

app = new_group(
    "Manage tokens for callers of an HTTP server (webquarry mcp --http).", no_args_is_help=True
)

_DURATION = re.compile(r"(\d{1,5})([hdw])")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
complete_token = complete(lambda: [token.name for token in _open_file().tokens()])


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the token, such as `laptop`.")],
    expires: Annotated[
        str | None,
        typer.Option(help="Lifetime, such as 12h, 30d or 8w. Default: until it is revoked."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            help="Existing token of the same caller, to share its sessions and answers.",
            autocompletion=complete_token,
        ),
    ] = None,
    metrics: Annotated[
        bool,
        typer.Option("--metrics", help="Grant access to /metrics only, for Prometheus."),
    ] = False,
) -> None:
    """Create a token and print it once; only its hash is stored."""
    from webquarry.errors import BadInput
    from webquarry.mcp.auth import MCP, METRICS

    with command_output(False):
        file = _open_file()
        lasts = None
        if expires is not None:
            match = _DURATION.fullmatch(expires.strip())
            if not match or not int(match[1]):
                raise BadInput(
                    f"Invalid duration: {expires!r}.",
                    suggested_action="Use a number and h, d or w, such as 30d.",
                )
            unit = _UNITS[match[2]]
            lasts = timedelta(**{unit: int(match[1])})
        use = METRICS if metrics else MCP
        token = file.add(name, lasts=lasts, like=like, use=use)
        typer.echo(f"The token {name!r} is shown only this once.", err=True)
        typer.echo(token)


@app.command("list")
def list_(as_json: AsJson = None) -> None:
    """List the tokens: name, creation, expiry, use, caller."""
    from webquarry.clock import Clock
    from webquarry.mcp.auth import METRICS

    with command_output(as_json) as output:
        file = _open_file()
        tokens = file.tokens()
        now = Clock().now()
        rows: list[dict[str, Any]] = []
        for token in tokens:
            shared = []
            for other in tokens:
                if other.principal == token.principal and other.name != token.name:
                    shared.append(other.name)
            row: dict[str, Any] = {
                "name": token.name,
                "created": token.created,
                "expires": token.expires,
                "expired": token.is_expired(now),
                "use": "metrics" if token.use == METRICS else "mcp",
                "sameCallerAs": shared,
            }
            rows.append(row)
        output.show({"tokens": rows}, lambda console: _show_tokens(console, rows))
        if not rows:
            typer.echo(
                f"There is no token in {file.path}. Create one: webquarry token add NAME", err=True
            )


def _show_tokens(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one line per token."""
    from rich.text import Text

    from webquarry.cli.layout import print_hanging, write_moment

    for row in rows:
        until = "until it is revoked"
        if row["expires"]:
            until = f"until {write_moment(str(row['expires']))}"
        words = [f"created {write_moment(str(row['created']))}", until]
        if row["expired"]:
            words.append("EXPIRED")
        if row["use"] == "metrics":
            words.append("for /metrics only")
        if row["sameCallerAs"]:
            words.append(f"same caller as {', '.join(row['sameCallerAs'])}")
        width = max(len(one["name"]) for one in rows)
        lead = Text(f"{row['name']:<{width}}  ", "bold")
        print_hanging(console, lead, Text(", ".join(words)), indent=4)


@app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The token's name.", autocompletion=complete_token)],
) -> None:
    """Revoke a token; running servers notice at once."""
    with command_output(False):
        _open_file().revoke(name)
        typer.echo(f"The token {name!r} is revoked.", err=True)


def _open_file() -> TokenFile:
    from webquarry.mcp.auth import TokenFile, tokens_path
    from webquarry.settings import Settings

    return TokenFile(tokens_path(Settings.from_environment(), os.environ))
