"""The tool set `research`: search, read and cite. The default set of every door."""

# What a door with little room serves, by name.
PARTS = {"core": ("web_search", "scrape_page", "search_and_scrape")}
CLOSED = True  # its input schemas say that unknown fields are refused
ORDER = (  # as they are listed: the one most often wanted first
    "web_search",
    "scrape_page",
    "search_and_scrape",
    "academic_search",
    "patent_search",
    "instant_answer",
    "sequential_search",
    "get_research_session",
    "research_export",
    "format_bibliography",
    "check_quotes",
    "check_citations",
    "show_research",
)
