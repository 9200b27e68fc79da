"""A page's words as they stand, without the marks of Markdown: what quotes are compared with."""
