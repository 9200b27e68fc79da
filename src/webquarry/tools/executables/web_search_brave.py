"""The `web_search_brave` tool."""

from __future__ import annotations

from webquarry.tool import tool
from webquarry.toolkit import Toolkit
from webquarry.tools.executables._search import (
    AllowedDomains,
    BlockedDomains,
    QueryText,
    SearchAnswer,
    search,
)


@tool(strict=True)
async def web_search_brave(
    kit: Toolkit,
    query: QueryText,
    allowed_domains: AllowedDomains = None,
    blocked_domains: BlockedDomains = None,
) -> SearchAnswer:
    """Search the web using Brave Search API and use the results to inform responses. Provides
    up-to-date information for current events and recent data. Returns search result information
    formatted as search result blocks, including links as markdown hyperlinks.
    """
    return await search(kit, "brave", query, allowed_domains, blocked_domains)
