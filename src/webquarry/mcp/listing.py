# pathlib takes 3 ms to import.
# ruff: noqa: PTH100, PTH118, PTH120, PTH123, PTH208
"""What a tool set offers: the server's identity, its tools, resources and prompts.

`data/mcp/<set>.json` is generated (scripts/generate.py), because importing the tools and building
their schemas takes longer than the rest of the start. A generated file that does not match the
modules in the folder of the tools is ignored, and the listing is built from the code.
"""

from __future__ import annotations

import json
import os

import webquarry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from webquarry.settings import Settings

SETS = ("research", "core", "duckduckgo")  # the sets with generated files
_NAMES = {"duckduckgo": "websearch-mcp"}  # server names other than webquarry
_PACKAGE = os.path.dirname(os.path.abspath(webquarry.__file__))
_RESEARCH = "research"  # the package whose sets have resources and prompts


class ToolListing:
    """The contents of one generated file; `lists` has the items of each list by their key."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.package: str = data["package"]
        self.server_info = {**data["serverInfo"], "version": webquarry.__version__}
        self.instructions: str | None = data.get("instructions")
        self.capabilities: dict[str, Any] = data["capabilities"]
        self.lists: dict[str, list[dict[str, Any]]] = data["lists"]
        self.tools = [tool["name"] for tool in self.lists["tools"]]  # without external ones


def load_listing(set_name: str) -> ToolListing:
    """Load the generated listing of a set, or build it; raise BadInput for an unknown set."""
    if set_name in SETS:
        try:
            data = json.loads(read_data(f"{set_name}.json"))
            if data["modules"] == list_modules(data["package"]):
                return ToolListing(data)
        except FileNotFoundError:
            pass
    return ToolListing(build_listing(set_name))


def read_data(name: str) -> str:
    """Read a file in `data/mcp`."""
    with open(os.path.join(_PACKAGE, "data", "mcp", name), encoding="utf-8") as file:
        return file.read()


def server_name(set_name: str) -> str:
    """The name under which a set is served."""
    return _NAMES.get(set_name, "webquarry")


def read_settings(package: str) -> Settings:
    """The settings from the environment, adapted by the package of the tools (`own_settings`)."""
    from webquarry.settings import Settings
    from webquarry.tools import read_attribute

    settings = Settings.from_environment()
    adapt = read_attribute(package, "own_settings", None)
    if adapt is None:
        return settings
    adapted: Settings = adapt(settings)
    return adapted


def list_modules(package: str) -> list[str]:
    """The names of the tool modules in a package, without importing it."""
    names = {entry.partition(".")[0] for entry in os.listdir(f"{_PACKAGE}/tools/{package}")}
    return sorted(name for name in names if name and not name.startswith("_"))


def build_listing(set_name: str) -> dict[str, Any]:
    """Import the tools of a set and describe what it offers."""
    from webquarry.tools import find_toolset, load
    from webquarry.tools._describe import APP_META, describe_tool

    package, names = find_toolset(set_name)
    tools = [describe_tool(load(package, name)) for name in names]
    data: dict[str, Any] = {
        "package": package,
        "modules": list_modules(package),
        "serverInfo": {"name": server_name(package)},
        "capabilities": {"tools": {"listChanged": False}},
        "lists": {"tools": tools},
    }
    if package != _RESEARCH:
        return data
    from base64 import b64encode
    from tomllib import loads

    from webquarry.mcp.prompts import describe_prompts
    from webquarry.views.app import APP_EXTENSION

    server = loads(read_data("server.toml"))
    icon = "data:image/svg+xml;base64," + b64encode(server["icon"].encode()).decode()
    icons = [{"src": icon, "mimeType": "image/svg+xml", "sizes": ["any"]}]
    data["serverInfo"] = {**server["serverInfo"], "icons": icons}
    data["instructions"] = server["instructions"]
    data["capabilities"] |= {
        "completions": {},
        "prompts": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
    }
    for key in ("resources", "resourceTemplates"):
        data["lists"][key] = server[key]
    data["lists"]["prompts"] = describe_prompts()
    if any(APP_META in tool.get("_meta", {}) for tool in tools):
        data["capabilities"]["extensions"] = {APP_EXTENSION: {}}
        for key, items in server["app"].items():
            data["lists"][key] += items
    return data
