"""Pages of MediaWikis on any host: how they are known, and their articles as Markdown."""
