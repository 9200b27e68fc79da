"""The tool set `research`: search, read and cite. The default set of every interface."""

# Smaller sets for interfaces with little room.
PARTS = {"core": ("web_search", "scrape_page", "search_and_scrape")}
CLOSED = True  # the input schemas refuse unknown fields
ORDER = (  # of the listed tools: the most used first
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
