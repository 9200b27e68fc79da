"""Pages that need their scripts: which browser runs them, how far it is shut in, what it may
take; and who is asked for pages that we cannot read.
"""

from __future__ import annotations

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class RenderingSettings(SettingGroup):
    """Pages that need their scripts: which browser runs them, and what it may take."""

    render: bool = Field(
        True,
        description="Whether pages that show nothing without their scripts are read in a browser, "
        "where Chromium is installed. 0 never starts one.",
    )
    browser: str | None = Field(
        None,
        description="The Chromium or headless shell to use, by name or path. Not set: the one "
        "that is installed; none is ever downloaded.",
    )
    browser_sandbox: bool = Field(
        True,
        description="Whether the browser's own sandbox is on. 0 gives hostile pages all rights of "
        "the process: only in a container of its own.",
    )
    render_seconds: float = Field(
        15, gt=0, le=120, description="Most seconds that one page may take in the browser."
    )
    render_pages: int = Field(
        4, ge=1, le=64, description="Most pages in the browser at once; others wait."
    )
    render_memory_mb: int = Field(
        1500,
        ge=300,
        description="Megabytes that the browser with all its pages may take; the largest page is "
        "ended beyond.",
    )
    render_idle_seconds: float = Field(
        60, ge=0, description="Seconds of rest after which the browser ends."
    )
    exa_contents: bool = Field(
        False,
        description="Whether Exa is asked for a page that cannot be read here (a captcha, a "
        "refusal, a shell of scripts). Needs EXA_API_KEY, costs about $0.001 a page, and tells "
        "Exa the address; private and refused addresses are never told.",
    )
