"""The tool set `research`: search, read and cite. The default set of every door."""

# What a door with little room serves, by name.
PARTS = {"core": ("web_search", "scrape_page", "search_and_scrape")}
ORDER = ("web_search", "scrape_page", "instant_answer")  # as they are listed: the one most often wanted first
