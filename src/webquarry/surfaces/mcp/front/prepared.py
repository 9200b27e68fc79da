# Importing pathlib would cost a tenth of the start of a server.
# ruff: noqa: PTH100, PTH118, PTH120, PTH123, PTH208
"""The answers that a tool set always gives: who the server is, and its lists, in every revision.

They are generated (data/mcp/front, by scripts/generate.py) from the answers of the SDK's server. A
set whose tools are not those that were listed has none. Nothing heavy is imported here.
"""

from __future__ import annotations

import json
import os

import webquarry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SETS = {"research": "webquarry", "core": "webquarry", "duckduckgo": "websearch-mcp"}
VERSION_MARK = "@version@"  # stands for the version of this program
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_PACKAGE = os.path.dirname(os.path.abspath(webquarry.__file__))
FOLDER = os.path.join(_PACKAGE, "data", "mcp", "front")


class PreparedAnswers:
    """What is known of a tool set without importing it: its tools, and results as JSON."""

    def __init__(self, index: dict[str, Any], results: str) -> None:
        self.tools = frozenset(index["tools"])
        self.package: str = index["package"]
        self.server_info = {**index["serverInfo"], "version": webquarry.__version__}
        self._places: dict[str, dict[str, list[int]]] = index["places"]
        self._results = results
        self._loaded: dict[int, bytes] = {}  # by their place

    def load(self) -> PreparedAnswers:
        """The same with all results in memory: a server over HTTP is asked for them often."""
        for revision, places in self._places.items():
            for method, (start, _) in places.items():
                self._loaded[start] = self.find(method, revision)
        return self

    def knows(self, method: str, revision: str) -> bool:
        """Whether there is an answer to such a request."""
        return method in self._places.get(revision, ())

    def find(self, method: str, revision: str) -> bytes:
        """The result of such a request."""
        start, size = self._places[revision][method]
        if start in self._loaded:
            return self._loaded[start]
        with open(self._results, "rb") as file:
            file.seek(start)
            result = file.read(size)
        return result.replace(VERSION_MARK.encode(), webquarry.__version__.encode())


def find_prepared(name: str, set_name: str) -> PreparedAnswers | None:
    """The prepared answers of a set that is served under its own name; None where there are none
    that fit.
    """
    if SETS.get(set_name) != name:
        return None
    try:
        with open(os.path.join(FOLDER, f"{set_name}.json"), encoding="utf-8") as file:
            index = json.load(file)
    except FileNotFoundError:
        return None
    if index["present"] != _list_modules(index["package"]):
        return None
    return PreparedAnswers(index, os.path.join(FOLDER, f"{set_name}.jsonl"))


def _list_modules(package: str) -> list[str]:
    """The names of the tools in a package, sorted, as `module_names` finds them, without importing
    it.
    """
    names = set()
    for entry in os.listdir(os.path.join(_PACKAGE, "tools", package)):
        name = entry.partition(".")[0]
        if name and not name.startswith("_"):
            names.add(name)
    return sorted(names)
