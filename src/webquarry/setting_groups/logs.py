"""What is written to stderr."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class LogSettings(SettingGroup):
    """What is written to stderr."""

    log_format: Literal["text", "json"] = Field(
        "text", description="How messages are written to stderr."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least important message that is written to stderr."
    )
