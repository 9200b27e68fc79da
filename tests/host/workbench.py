"""Tools to test with: small shell scripts, which start in a few milliseconds."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from webquarry.host.host import ToolHost
from webquarry.settings import Settings

WEATHER: dict[str, Any] = {
    "name": "weather",
    "description": "Tells the weather of a city.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Which city", "minLength": 2},
            "days": {"type": "integer", "description": "How many days", "minimum": 1, "maximum": 7},
        },
        "required": ["city"],
    },
}


def schema_of(name: str, **fields: Any) -> dict[str, Any]:
    """The weather tool under another name."""
    return {**WEATHER, "name": name, **fields}


class Workbench:
    """A home, a project, and their tool folders."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "project"
        self.user_tools, self.project_tools = (
            self.home / ".ikigai" / "tools",
            self.project / ".ikigai" / "tools",
        )
        self.user_tools.mkdir(parents=True)
        self.project_tools.mkdir(parents=True)
        self.environ = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(folder / "state"),
            "WEBQUARRY_SYSTEM_TOOLS": str(folder / "nothing-here"),
        }

    @classmethod
    def as_ours(cls, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
        """One that this process finds itself at: its project is the working directory, its home is
        ours.
        """
        made = cls(folder)
        monkeypatch.chdir(made.project)
        for name, value in made.environ.items():
            monkeypatch.setenv(name, value)
        return made

    def script(self, name: str, body: str, folder: Path | None = None) -> Path:
        """An executable shell script."""
        path = (folder or self.user_tools) / name
        path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
        path.chmod(0o755)
        return path

    def tool(
        self,
        schema: Mapping[str, Any],
        body: str = "cat",
        folder: Path | None = None,
        file: str = "",
    ) -> Path:
        """A well-behaved tool that answers `--schema`, and otherwise runs `body`; by default it
        echoes its input.
        """
        text = shlex.quote(json.dumps(schema))
        name = file or str(schema["name"]).replace("_", "-")
        return self.script(
            name, f"""if [ "$1" = --schema ]; then echo {text}; exit 0; fi\n{body}""", folder
        )

    def host(self, **environ: str) -> ToolHost:
        """What is found with these variables set besides the usual ones."""
        return ToolHost.discover(environ={**self.environ, **environ})

    def settings(self, **environ: str) -> Settings:
        return Settings.from_environment({**self.environ, **environ})
