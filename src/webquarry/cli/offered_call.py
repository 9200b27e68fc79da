"""What a command line means: words come in, the tool and the arguments that they stand for go out.

A command offers its call before it makes it. On a terminal nobody takes it and the command goes on;
another door that speaks the same words (`%web` in a notebook) takes it, and calls by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import typer
import typer.main

from webquarry.errors import BadInput


@dataclass(frozen=True)
class OfferedCall:
    """A tool of the research set and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


_TAKEN: ContextVar[list[OfferedCall] | None] = ContextVar("webquarry_offered_call", default=None)


def offer_call(tool: str, arguments: Mapping[str, Any]) -> None:
    """Say what is about to be called; where somebody takes it, the command ends here."""
    taken = _TAKEN.get()
    if taken is not None:
        taken.append(OfferedCall(tool, arguments))
        raise typer.Exit


def take_call(app: typer.Typer, words: Sequence[str], program: str) -> OfferedCall | None:
    """The call that a line of an app's words stands for; None where it only asked for help, which
    is shown. What cannot be understood is `BadInput`.
    """
    taken: list[OfferedCall] = []
    token = _TAKEN.set(taken)
    try:
        command = typer.main.get_command(app)
        command.main(list(words), prog_name=program, standalone_mode=False)
    except Exception as error:
        tell = getattr(error, "format_message", None)  # as click's own have, wherever it comes from
        if tell is None:
            raise
        help_line = f"{program} {words[0]} --help shows what it takes."
        raise BadInput(tell(), suggested_action=help_line) from None
    finally:
        _TAKEN.reset(token)
    return taken[0] if taken else None
