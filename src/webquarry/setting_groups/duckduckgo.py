"""The tool set `duckduckgo`, which has variables of its own."""

from __future__ import annotations

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup, also


class DuckDuckGoSettings(SettingGroup):
    """The tool set `duckduckgo`, which has variables of its own."""

    websearch_max_results: int = Field(
        10,
        ge=1,
        le=30,
        description="`duckduckgo` tools: how many results a search gives when the call does not "
        "say.",
        json_schema_extra=also("WEBSEARCH_MAX_RESULTS"),
    )
    websearch_timeout_secs: float | None = Field(
        None,
        gt=0,
        le=600,
        description="`duckduckgo` tools: total time for one call, further pages and retries "
        "included. Not set: WEBQUARRY_TIMEOUT_SECONDS.",
        json_schema_extra=also("WEBSEARCH_TIMEOUT_SECS"),
    )
    websearch_user_agent: str | None = Field(
        None,
        description="`duckduckgo` tools: how we introduce ourselves. Not set: "
        "WEBQUARRY_USER_AGENT.",
        json_schema_extra=also("WEBSEARCH_USER_AGENT"),
    )
    websearch_cache_ttl_secs: float | None = Field(
        None,
        ge=0,
        description="`duckduckgo` tools: how long an answer is kept; 0 keeps none. Not set: "
        "WEBQUARRY_CACHE_SEARCH_SECONDS.",
        json_schema_extra=also("WEBSEARCH_CACHE_TTL_SECS"),
    )
    websearch_rate_limit_ms: int = Field(
        1000,
        ge=0,
        le=600_000,
        description="Least time between two requests to DuckDuckGo, which wants a captcha solved "
        "by whoever is in a hurry.",
        json_schema_extra=also("WEBSEARCH_RATE_LIMIT_MS"),
    )
    websearch_max_retries: int | None = Field(
        None,
        ge=0,
        le=10,
        description="`duckduckgo` tools: further tries after a network error, 429 or 503. Not "
        "set: WEBQUARRY_RETRIES.",
        json_schema_extra=also("WEBSEARCH_MAX_RETRIES"),
    )
