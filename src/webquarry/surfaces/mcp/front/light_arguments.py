"""The flags that clients are told to start a server on stdio with, read without loading what reads
all others. Nothing heavy is imported here.
"""

from __future__ import annotations

from webquarry.surfaces.mcp.front.prepared import SETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXTS = ("json", "markdown", "digest")


def read_arguments(arguments: Sequence[str]) -> tuple[str, str, str | None] | None:
    """The name of the server, its tool set and what the texts of results hold, if these arguments
    say no more than that, and say it rightly: `["mcp", "--toolset", "core"]`. None for others.
    """
    if not arguments or arguments[0] != "mcp":
        return None
    found: dict[str, str] = {}
    rest = list(arguments[1:])
    while rest:
        flag, sign, value = rest.pop(0).partition("=")
        if not sign and rest:
            value = rest.pop(0)
        if flag in found:
            return None
        found[flag] = value
    set_name, text = found.pop("--toolset", "research"), found.pop("--text", None)
    if found or set_name not in SETS or text not in (None, *_TEXTS):
        return None
    return SETS[set_name], set_name, text
