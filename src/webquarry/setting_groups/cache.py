"""What is kept, where, and for how long."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup


class CacheSettings(SettingGroup):
    """What is kept, where, and for how long."""

    cache: bool = Field(
        True,
        description="Keep answers on disk for a while. Off: only what is asked at the same time "
        "is shared.",
    )
    cache_folder: Path | None = Field(
        None,
        description="Folder of the cache. Not set: `$XDG_CACHE_HOME/webquarry`, or "
        "`~/.cache/webquarry`.",
    )
    state_folder: Path | None = Field(
        None,
        description="Folder of the records: research sessions, paid answers, the ledger. Not set: "
        "`$XDG_STATE_HOME/webquarry`, or `~/.local/state/webquarry`.",
    )
    records: Literal["durable", "memory"] = Field(
        "durable",
        description="`durable`: what cannot be written to the records is refused, with the reason. "
        "`memory`: records are kept in the memory of each process alone, and are gone when it "
        "ends.",
    )
    cache_max_bytes: int = Field(
        200_000_000,
        ge=1_000_000,
        description="Most bytes kept on disk; what was used longest ago goes first.",
    )
    library: bool = Field(
        True,
        description="Keep the pages that were read, encrypted, to be searched later as the "
        "provider `library`. `0` keeps none.",
    )
    library_max_bytes: int = Field(
        500_000_000,
        ge=1_000_000,
        description="Most bytes of the library, in the folder of the records; what was used "
        "longest ago goes first.",
    )
    cache_search_seconds: float = Field(
        1800,
        ge=0,
        description="How long the results of a search are good; a sixth of it where another "
        "provider stood in.",
    )
    cache_read_seconds: float = Field(
        3600, ge=0, description="How long a page that was read is good."
    )
    cache_patents_seconds: float = Field(
        86400, ge=0, description="How long patents that were found are good."
    )
    cache_academic_seconds: float = Field(
        3600,
        ge=0,
        description="How long papers that were found are good; a sixth of it where an index did "
        "not answer.",
    )
    cache_empty_seconds: float = Field(
        60, ge=0, description='How long "nothing was found" is good.'
    )
    redis_timeout_seconds: float = Field(
        0.5,
        gt=0,
        le=60,
        description="How long the Redis that several servers share may take to answer before a "
        "call goes on without it.",
    )
