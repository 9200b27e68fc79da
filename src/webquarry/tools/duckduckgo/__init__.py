"""Search and instant answers of DuckDuckGo as Markdown: the two tools of `websearch-mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webquarry.settings import Settings

ORDER = ("web_search", "instant_answer")


def own_settings(settings: Settings) -> Settings:
    """Return the settings of the engine for this tool set, with those of WEBSEARCH_... applied."""
    own: dict[str, Any] = {
        "timeout_seconds": settings.websearch_timeout_secs,
        "user_agent": settings.websearch_user_agent,
        "retries": settings.websearch_max_retries,
        "cache_search_seconds": settings.websearch_cache_ttl_secs,
    }
    seconds = settings.websearch_cache_ttl_secs
    if seconds is not None:
        own["cache_empty_seconds"] = min(settings.cache_empty_seconds, seconds)
        own["cache"] = settings.cache and seconds > 0  # 0 disables reading the cache as well
    return settings.replace(**{name: value for name, value in own.items() if value is not None})
