"""What Tab offers for a value: a beginning comes in, the values that go on from it come out.

Completion must never say anything: what cannot be found out offers nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def _offer(list_values: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """A completion of values that are listed when they are wanted."""

    def complete(incomplete: str) -> list[str]:
        try:
            values = list(list_values())
        except Exception:  # such as a setting that cannot be used; the command itself will say so
            return []
        return [value for value in values if value.startswith(incomplete)]

    return complete


def _list_tools() -> Iterable[str]:
    from webquarry.surfaces.library import tool_names

    return tool_names()


def _list_tool_sets() -> Iterable[str]:
    from webquarry.registry import module_names

    return module_names("webquarry.tools")


def _list_lenses() -> Iterable[str]:
    from webquarry._search.query.lenses import load_lenses
    from webquarry.settings import Settings

    return load_lenses(Settings.from_environment().lenses)


def _list_styles() -> Iterable[str]:
    from typing import get_args

    from webquarry.evidence.citation import CitationStyle

    return get_args(CitationStyle)


def _list_services(kind: str) -> Iterable[str]:
    """Who can be asked for the web, papers or patents, those of other packages included."""
    from webquarry.surfaces.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def list_names() -> list[str]:
        async with Toolkit.open() as kit:
            if kind == "web":
                return [provider.name for provider in kit.router.providers()]
            if kind == "papers":
                return [index.name for index in kit.scholar.services.all()]
            return [register.name for register in kit.patents.services.all()]

    return bridge.run(list_names())


def _list_clients() -> Iterable[str]:
    from webquarry.cli.mcp_config import CLIENTS

    return CLIENTS


def _list_tokens() -> Iterable[str]:
    import os

    from webquarry.mcp.auth import TokenFile, tokens_path
    from webquarry.settings import Settings

    file = TokenFile(tokens_path(Settings.from_environment(), os.environ))
    return [token.name for token in file.tokens()]


complete_tool = _offer(_list_tools)
complete_tool_set = _offer(_list_tool_sets)
complete_lens = _offer(_list_lenses)
complete_style = _offer(_list_styles)
complete_provider = _offer(lambda: _list_services("web"))
complete_index = _offer(lambda: _list_services("papers"))
complete_register = _offer(lambda: [*_list_services("patents"), "web"])
complete_client = _offer(_list_clients)
complete_token = _offer(_list_tokens)
complete_link_form = _offer(lambda: ("list", "inline"))


def complete_session(incomplete: str) -> list[tuple[str, str]]:
    """The ids of sessions, each with its goal."""
    from webquarry.surfaces.bridge import bridge
    from webquarry.surfaces.terminal import one_line
    from webquarry.toolkit import Toolkit

    async def list_sessions() -> list[tuple[str, str]]:
        found = []
        async with Toolkit.open() as kit:
            for id, _ in await kit.sessions.list():
                if not id.startswith(incomplete):
                    continue
                session = await kit.sessions.read(id)
                found.append((id, one_line(session.goal or session.steps[0].text)))
        return found

    try:
        return bridge.run(list_sessions())
    except Exception:  # the command itself will say why
        return []
