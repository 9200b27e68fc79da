"""How long and how many research sessions are kept."""

from __future__ import annotations

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class SessionSettings(SettingGroup):
    """How long and how many research sessions are kept."""

    session_idle_seconds: float = Field(
        4 * 3600, gt=0, description="How long a research session is kept after it was last used."
    )
    session_most: int = Field(
        50,
        ge=1,
        description="Most research sessions of one caller; a finished one gives way to a new "
        "one, an unfinished one never.",
    )
    session_most_steps: int = Field(200, ge=1, description="Most steps of one research session.")
