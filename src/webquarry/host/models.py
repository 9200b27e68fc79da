"""Data of the tool host: descriptions of tools, findings about them, and where tools are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Origin = Literal["system", "user", "project"]
State = Literal["broken", "untrusted", "overridden"]
Severity = Literal["error", "warning"]

JsonObject = dict[str, Any]
Schema = dict[str, Any]  # JSON Schema of parameters

TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True)
class ToolSchema:
    """The description of a tool."""

    name: str
    description: str
    parameters: Schema


@dataclass(frozen=True)
class Finding:
    """An error or a warning about a description."""

    severity: Severity
    path: str  # such as $.parameters.properties.city.type
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.path}: {self.message}"


@dataclass(frozen=True)
class Executable:
    """A file that may be a tool."""

    path: Path
    origin: Origin
    ours: bool = False  # installed by webquarry; only these get the whole environment


@dataclass(frozen=True)
class HostedTool:
    """A tool that can be run."""

    schema: ToolSchema
    executable: Executable
    warnings: tuple[Finding, ...] = ()

    @property
    def name(self) -> str:
        return self.schema.name

    @property
    def description(self) -> str:
        return self.schema.description

    @property
    def parameters(self) -> Schema:
        return self.schema.parameters

    @property
    def path(self) -> Path:
        return self.executable.path

    @property
    def origin(self) -> Origin:
        return self.executable.origin


@dataclass(frozen=True)
class Skipped:
    """A file in a tool folder that is not served, with the reason."""

    path: Path
    reason: str
    origin: Origin = "user"
    state: State = "broken"
    name: str | None = None  # of the tool, if its description was read
