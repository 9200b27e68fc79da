"""Tool sets: one folder per set, one file per tool, named as the tool.

The package of a set may define `ORDER` (of its tools in lists), `PARTS` (named subsets),
`CLOSED` (the schemas refuse unknown fields) and `own_settings()`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the MCP server imports this package before its first call
if TYPE_CHECKING:
    from typing import Any

    from webquarry.tool import Tool


def load(package: str, name: str) -> Tool:
    """Import a tool."""
    from importlib import import_module

    known = tool_names(package)
    if name not in known:
        raise _unknown(f"tool {name!r} in the tool set {package!r}", known)
    tool: Tool = getattr(import_module(f"{__name__}.{package}.{name}"), name)
    return tool


def toolset(package: str) -> list[Tool]:
    """Import all tools of a package, sorted by name."""
    return [load(package, name) for name in tool_names(package)]


def tool_names(package: str) -> list[str]:
    """Return the sorted names of the tools of a package, without importing them."""
    from webquarry.registry import module_names

    packages = module_names(__name__)
    if package not in packages:
        raise _unknown(f"tool set {package!r}", packages)
    return module_names(f"{__name__}.{package}")


def toolset_names() -> list[str]:
    """Return the names of all sets: packages and their parts."""
    from webquarry.registry import module_names

    packages = module_names(__name__)
    parts = [part for package in packages for part in read_attribute(package, "PARTS", {})]
    return sorted([*packages, *parts])


def find_toolset(set_name: str) -> tuple[str, list[str]]:
    """Return the package of a set and the names of its tools, in the order of the package."""
    from webquarry.registry import module_names

    for package in module_names(__name__):
        part = read_attribute(package, "PARTS", {}).get(set_name)
        if package == set_name or part is not None:
            order = read_attribute(package, "ORDER", ())
            rank = {name: place for place, name in enumerate(order)}
            names = sorted(tool_names(package), key=lambda name: rank.get(name, len(rank)))
            return package, [name for name in names if part is None or name in part]
    raise _unknown(f"tool set {set_name!r}", toolset_names())


def read_attribute(package: str, name: str, default: Any) -> Any:
    """Return an attribute of the package of a tool set."""
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{package}"), name, default)


def _unknown(what: str, known: list[str]) -> Exception:
    from webquarry.errors import BadInput

    return BadInput(f"There is no {what}.", suggested_action=f"Use one of: {', '.join(known)}.")
