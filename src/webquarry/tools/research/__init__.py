"""The tool set `research`: search, read and cite. The default set of every door."""

ORDER = ("web_search", "instant_answer")  # as they are listed: the one most often wanted first
