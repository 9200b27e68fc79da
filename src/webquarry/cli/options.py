"""Options that several commands share, completion of their values, and offered calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from webquarry.errors import BadInput


@dataclass(frozen=True)
class OfferedCall:
    """A tool of the research set and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


_OFFERED: ContextVar[list[OfferedCall] | None] = ContextVar("webquarry_offered", default=None)


def offer_call(tool: str, arguments: Mapping[str, Any]) -> None:
    """End the command here if `take_call` wants its call instead of its output."""
    offered = _OFFERED.get()
    if offered is not None:
        offered.append(OfferedCall(tool, arguments))
        raise typer.Exit


def take_call(app: typer.Typer, words: Sequence[str], program: str) -> OfferedCall | None:
    """Return the call that a command line stands for, or None if it only showed help.

    Raises `BadInput` for wrong usage. Used by `%web` in notebooks.
    """
    import typer.main

    offered: list[OfferedCall] = []
    token = _OFFERED.set(offered)
    try:
        command = typer.main.get_command(app)
        command.main(list(words), prog_name=program, standalone_mode=False)
    except Exception as error:
        format_message = getattr(error, "format_message", None)  # of click's usage errors
        if format_message is None:
            raise
        help_line = f"{program} {words[0]} --help shows what it takes."
        raise BadInput(format_message(), suggested_action=help_line) from None
    finally:
        _OFFERED.reset(token)
    return offered[0] if offered else None


def new_group(help: str, **options: Any) -> typer.Typer:
    """A command with subcommands."""
    return typer.Typer(
        help=help,
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **options,
    )


def complete(list_values: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Completion of a value. A failure offers nothing; the command itself reports it."""

    def complete_value(incomplete: str) -> list[str]:
        try:
            return [value for value in list_values() if value.startswith(incomplete)]
        except Exception:
            return []

    return complete_value


def list_services(kind: str) -> list[str]:
    """Names of the providers of the web, of papers or of patents."""
    from webquarry.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def list_names() -> list[str]:
        async with Toolkit.open() as kit:
            if kind == "web":
                return [provider.name for provider in kit.router.providers()]
            if kind == "papers":
                return [index.name for index in kit.scholar.services.all()]
            return [register.name for register in kit.patents.services.all()]

    return bridge.run(list_names())


def list_lenses() -> Iterable[str]:
    """Names of the lenses."""
    from webquarry._search.lenses import load_lenses
    from webquarry.settings import Settings

    return load_lenses(Settings.from_environment().lenses)


def list_styles() -> Iterable[str]:
    """Names of the citation styles."""
    from typing import get_args

    from webquarry.evidence.models import CitationStyle

    return get_args(CitationStyle)


def complete_session(incomplete: str) -> list[tuple[str, str]]:
    """Ids of sessions with their goals."""
    from webquarry.bridge import bridge
    from webquarry.terminal import one_line
    from webquarry.toolkit import Toolkit

    async def list_sessions() -> list[tuple[str, str]]:
        found = []
        async with Toolkit.open() as kit:
            for id, _ in await kit.sessions.list():
                if id.startswith(incomplete):
                    session = await kit.sessions.read(id)
                    found.append((id, one_line(session.goal or session.steps[0].text)))
        return found

    try:
        return bridge.run(list_sessions())
    except Exception:
        return []


AsJson = Annotated[
    bool | None,
    typer.Option(
        "--json/--text", help="Print JSON or text. Default: JSON in a pipe.", show_default=False
    ),
]
Pager = Annotated[
    bool,
    typer.Option(
        "--pager/--no-pager",
        help="On a terminal, page long output with $PAGER, or less -R.",
        show_default=False,
    ),
]
SessionId = Annotated[
    str | None,
    typer.Option(
        help="Research session to record the sources in.", autocompletion=complete_session
    ),
]
Style = Annotated[
    str,
    typer.Option(
        help="Citation style: apa, mla, bibtex, ris or csl-json.",
        autocompletion=complete(list_styles),
    ),
]
Words = Annotated[
    list[str], typer.Argument(help="Words to search for; no quotation marks are needed.")
]
