"""`webquarry check`: drafts beside their sources."""
