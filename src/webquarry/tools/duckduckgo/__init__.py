"""Search and instant answers by DuckDuckGo, as Markdown: the two tools that `websearch-mcp` serves.
No key is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webquarry.settings import Settings

ORDER = ("web_search", "instant_answer")


def own_settings(settings: Settings) -> Settings:
    """The settings of the engine while it serves this tool set: what WEBSEARCH_... says counts for
    more.
    """
    own: dict[str, Any] = {
        "timeout_seconds": settings.websearch_timeout_secs,
        "user_agent": settings.websearch_user_agent,
        "retries": settings.websearch_max_retries,
        "cache_search_seconds": settings.websearch_cache_ttl_secs,
    }
    seconds = settings.websearch_cache_ttl_secs
    if seconds is not None:
        own["cache_empty_seconds"] = min(settings.cache_empty_seconds, seconds)
        own["cache"] = settings.cache and seconds > 0  # 0: nor what others have kept
    return settings.replace(**{name: value for name, value in own.items() if value is not None})
