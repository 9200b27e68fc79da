"""One folder per tool set, one file per tool, named as the tool."""

from __future__ import annotations

TYPE_CHECKING = False  # the MCP server imports this package before its first call
if TYPE_CHECKING:
    from webquarry.tool import Tool


def load(toolset: str, name: str) -> Tool:
    """Import a tool."""
    import importlib

    package = f"{__name__}.{toolset}"
    _check_name(name, package, f"tool {name!r} in the tool set {toolset!r}")
    tool: Tool = getattr(importlib.import_module(f"{package}.{name}"), name)
    return tool


def toolset(name: str) -> list[Tool]:
    """Import all tools of a set, sorted by name."""
    from webquarry.registry import module_names

    _check_name(name, __name__, f"tool set {name!r}")
    return [load(name, member) for member in module_names(f"{__name__}.{name}")]


def _check_name(name: str, package: str, what: str) -> None:
    from webquarry.errors import BadInput
    from webquarry.registry import module_names

    known = module_names(package)
    if name not in known:
        raise BadInput(f"There is no {what}.", suggested_action=f"Use one of: {', '.join(known)}.")
