"""What the tool host speaks of: a tool's description, what was found wrong with it, and where it
lives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Origin = Literal["system", "user", "project"]
State = Literal["broken", "untrusted", "overridden"]
Severity = Literal["error", "warning"]

JsonObject = dict[str, Any]  # as it is parsed, or as a vendor's API takes it
Schema = dict[str, Any]  # of parameters, in the words of JSON Schema

TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(frozen=True)
class ToolSchema:
    """What a tool says of itself: the three fields that every vendor's form is made from."""

    name: str
    description: str
    parameters: Schema


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or only unusual, in a description."""

    severity: Severity
    path: str  # where in the JSON, such as $.parameters.properties.city.type
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.path}: {self.message}"


@dataclass(frozen=True)
class Executable:
    """A file that may be a tool, and whose it is."""

    path: Path
    origin: Origin
    ours: bool = False  # one of webquarry's own scripts: these alone see the whole environment
    copy: Path | None = None  # of a project's tool: the verified bytes, which are run in its place

    @property
    def program(self) -> Path:
        """The file that is run."""
        return self.copy or self.path


@dataclass(frozen=True)
class HostedTool:
    """A tool that was found, described itself well, and can be run."""

    schema: ToolSchema
    executable: Executable
    warnings: tuple[Finding, ...] = field(default=())

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
    """A file in a tool folder that is not served, and why."""

    path: Path
    reason: str
    origin: Origin = "user"
    state: State = "broken"
    name: str | None = None  # the tool's name, when it got as far as telling it
