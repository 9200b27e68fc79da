"""How long and how many research sessions are kept."""

from __future__ import annotations

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class SessionSettings(SettingGroup):
    """How long and how many research sessions are kept."""

    session_idle_seconds: float = Field(
        30 * 86_400,
        gt=0,
        description="How long a research session is kept after it was last used: 30 days.",
    )
    session_most: int = Field(
        1_000,
        ge=1,
        description="Most research sessions of one caller. Beyond it the one idle longest gives "
        "way to a new one, finished ones first.",
    )
    session_most_steps: int = Field(200, ge=1, description="Most steps of one research session.")
