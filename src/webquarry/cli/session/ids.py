"""Which session is meant: an id may be cut short as long as it means one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from webquarry.cli.completion import complete_session
from webquarry.reprs.counts import count_noun
from webquarry.surfaces.terminal import one_line

Id = Annotated[
    str,
    typer.Argument(
        help="The session's id, or its beginning.", metavar="ID", autocompletion=complete_session
    ),
]


def find_session_id(id: str) -> str:
    """The id that a beginning means."""
    from webquarry.errors import BadInput, NotFound
    from webquarry.surfaces.bridge import bridge
    from webquarry.toolkit import Toolkit

    async def list_ids() -> list[str]:
        async with Toolkit.open() as kit:
            return [known for known, _ in await kit.sessions.list()]

    beginning = id.strip().lower()
    fitting = [known for known in bridge.run(list_ids()) if known.startswith(beginning)]
    if len(fitting) > 1:
        raise BadInput(
            f"{len(fitting)} sessions begin with {one_line(id)!r}.",
            suggested_action=f"Give more of the id: {', '.join(fitting[:3])}.",
        )
    if not fitting:
        raise NotFound(
            f"There is no research session {one_line(id)!r}.",
            suggested_action="`webquarry session list` shows those that there are; one ends when "
            "it has not been used for long.",
        )
    return fitting[0]


def count_parts(summary: Mapping[str, Any]) -> str:
    """How much a session holds: `2 steps, 1 source`."""
    counts = []
    for name, word in (("totalSteps", "step"), ("totalSources", "source")):
        counts.append(count_noun(summary[name], word))
    return ", ".join(counts)
