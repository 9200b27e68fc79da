"""Where the tools of others are, and what one run of them may take."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class ToolSettings(SettingGroup):
    """Where the tools of others are, and what one run of them may take."""

    system_tools: Path | None = Field(
        None,
        description="Folder of the tools that everybody on this machine has. Not set: "
        "webquarry's own executables.",
    )
    user_tools: Path = Field(
        Path("~/.ikigai/tools"), description="Folder of your own tools; they override the system's."
    )
    project_tools: Path = Field(
        Path(".ikigai/tools"),
        description="Folder of the project's tools; they override yours, and run only after "
        "`webquarry tools trust`.",
    )
    tool_timeout_seconds: float = Field(
        30, gt=0, le=3600, description="Time that one run of a tool may take."
    )
    tool_max_output_bytes: int = Field(
        65536,
        ge=1024,
        description="Most bytes that a tool may print in one run; above it the run fails.",
    )
