"""Words of a page without Markdown syntax, with which quotes are compared."""
