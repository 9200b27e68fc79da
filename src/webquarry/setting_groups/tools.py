"""Where the tools of others are, and what one run of them may take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from webquarry.setting_groups.group import SettingGroup, split_list

# Entries for single tools, such as weather=120
_Variables = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+=[A-Za-z_][A-Za-z0-9_]*$")]
_Seconds = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+=([1-9]\d{0,3}|\d{1,4}\.\d*[1-9])$")]
_Sizes = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+=[1-9]\d{3,8}$")]


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
    tool_schema_seconds: float = Field(
        10,
        gt=0,
        le=3600,
        description="Time that a tool may take to describe itself, when it is asked with --schema.",
    )
    tool_schema_max_bytes: int = Field(
        1_048_576,
        ge=1024,
        le=100_000_000,
        description="Most bytes that a tool's description may have.",
    )
    tool_timeout_seconds: float = Field(
        30, gt=0, le=3600, description="Time that one run of a tool may take."
    )
    tool_max_output_bytes: int = Field(
        65536,
        ge=1024,
        description="Most bytes that a tool may print in one run; above it the run fails. A tool "
        "is told, and web_fetch cuts its answer to fit.",
    )
    tool_timeouts: Annotated[list[_Seconds], BeforeValidator(split_list)] = Field(
        [],
        description="The time for single tools, comma-separated, such as weather=120; counts for "
        "more than a file beside the tool.",
    )
    tool_output_limits: Annotated[list[_Sizes], BeforeValidator(split_list)] = Field(
        [],
        description="The most bytes for single tools, comma-separated, such as weather=1000000; "
        "counts for more than a file beside the tool.",
    )
    tool_variables: Annotated[list[_Variables], BeforeValidator(split_list)] = Field(
        [],
        description="Environment variables that single tools get besides those that every program "
        "needs, comma-separated, such as weather=WEATHER_API_KEY,forge=FORGE_TOKEN.",
    )
