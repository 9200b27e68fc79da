"""What is written to stderr, and the log of calls."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class LogSettings(SettingGroup):
    """What is written to stderr, and the log of calls."""

    log_format: Literal["text", "json"] = Field(
        "text", description="How messages are written to stderr."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="Least important message that is written to stderr."
    )
    call_log: bool = Field(
        True,
        description="Keep a log of the calls of tools beside the records, encrypted, for "
        "`webquarry calls`: tool, masked arguments, outcome, sources; nothing of the answers' "
        "texts.",
    )
    call_log_max_bytes: int = Field(
        20_000_000,
        ge=100_000,
        description="Most bytes of the log of calls; the oldest go first.",
    )
    call_log_seconds: float = Field(
        30 * 86_400, gt=0, description="How long a call is kept in the log: 30 days."
    )
