"""Which provider is asked, and how long a failing one is left alone."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup, TextList, also


class SearchSettings(SettingGroup):
    """Which provider is asked, and how long a failing one is left alone."""

    search_provider: str | None = Field(
        None,
        description="The one search provider to ask. Not set: SEARCH_ROUTING, or whatever is "
        "configured, with DuckDuckGo last.",
        json_schema_extra=also("SEARCH_PROVIDER"),
    )
    search_routing: str | None = Field(
        None,
        description="Search providers in the order they are asked: `brave,google,duckduckgo`, or "
        'JSON by kind of search, `{"web": ["brave"], "news": ["tavily"]}`. Counts '
        "for more than SEARCH_PROVIDER.",
        json_schema_extra=also("SEARCH_ROUTING"),
    )
    breaker_failures: int = Field(
        3,
        ge=1,
        le=100,
        description="Failures in a row after which a search provider is left alone for a while.",
    )
    breaker_rest_seconds: float = Field(
        60,
        gt=0,
        le=86400,
        description="How long it is left alone, unless it asked for another time itself.",
    )
    academic_timeout_seconds: float = Field(
        12,
        gt=0,
        le=600,
        description="Time for one scholarly index; whoever has not answered by then is left out "
        "of the papers, and told of.",
    )
    reference_indexes: TextList = Field(
        [],
        description="Indexes with which references are checked, comma-separated, such as "
        "`crossref,doi,openalex`. Not set: all of them. A reference is sent to nobody else.",
    )
    lenses: Path | None = Field(
        None,
        description="Folder with lenses of your own (JSON files); they take the place of ours by "
        "name.",
    )
